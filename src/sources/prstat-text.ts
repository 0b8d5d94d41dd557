import { TEXT_REPORT_MAX_ROWS } from "../core/index.ts";
import { Findings, quoteLine } from "./findings.ts";
import { LineSplitter, type LineSink } from "./line-splitter.ts";
import { NamePool } from "./name-pool.ts";
import { isAligned, PRSTAT_TITLES, readPrstatRow, readPrstatTotal, ZONE_WIDTH, type PrstatTotal, type PrstatZone } from "./prstat-rows.ts";
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import { toolTime } from "./tool-time.ts";

/** One sample of `prstat -Z`. */
export interface PrstatReport {
  /** The time line of `-d` before it; null without one. */
  readonly timeNs: bigint | null;
  readonly line: number;
  /** Processes listed above the zones. */
  readonly processRows: number;
  readonly zones: readonly PrstatZone[];
  readonly total: PrstatTotal | null;
  /** Zones are missing: the rows' processes sum to less than the Total line counts. */
  readonly rowLimitHit: boolean;
}

interface OpenPrstat {
  readonly line: number;
  readonly timeNs: bigint | null;
  processRows: number;
  inZones: boolean;
  /** Lines have the blanks that the tool pads its last column with, so one without them is cut. */
  isPadded: boolean;
  /** The titles stand where this tool puts them, so rows have to as well. */
  isAligned: boolean;
  processes: number;
  readonly zones: PrstatZone[];
  readonly zoneIds: Set<number>;
}

/**
 * Reads `prstat -Z` with `-c`: a block of processes, a block of zones, a Total line, for each interval. On a terminal a carriage return
 * leads each line. Reports come out with their Total line.
 */
export class PrstatReader implements TextReader<PrstatReport>, LineSink {
  readonly #findings = new Findings();
  readonly #splitter = new LineSplitter(this);
  readonly #names = new NamePool();
  #open: OpenPrstat | null = null;
  #timeNs: bigint | null = null;
  #done: PrstatReport[] = [];
  #sawAnything = false;

  push(chunk: Uint8Array): PrstatReport[] {
    this.#splitter.push(chunk);
    return this.#takeDone();
  }

  end(): PrstatReport[] {
    this.#splitter.end();
    this.#closeWithoutTotal();
    if (!this.#sawAnything) this.#findings.add("no-data", "There is no prstat output; that does not mean that nothing is used.");
    return this.#takeDone();
  }

  takeDiagnostics(): Diagnostic[] {
    return this.#findings.take();
  }

  line(text: string, start: number, end: number, line: number): void {
    // What stands before a carriage return has been written over, as "Please wait..." is.
    const printed = text.slice(start, end).replace(/\r+$/, "").replace(/^.*\r/, "");
    const content = printed.trimEnd();
    if (content === "") return;
    this.#sawAnything = true;
    if (/^ *PID +USERNAME\b/.test(content)) {
      this.#closeWithoutTotal();
      this.#begin(line);
    } else if (/^ *ZONEID +NPROC\b/.test(content)) {
      if (this.#open === null || this.#open.inZones) {
        this.#closeWithoutTotal();
        this.#begin(line);
      }
      this.#open!.inZones = true;
      this.#open!.isPadded = printed !== content;
      this.#open!.isAligned = content === PRSTAT_TITLES;
    } else if (content.startsWith("Total:")) {
      this.#total(content, line);
    } else if (/^(prstat|Usage): /i.test(content)) {
      this.#findings.add("tool-error", `The tool reported ${quoteLine(content)}.`, line);
    } else if (this.#open === null || toolTime(content) !== null) {
      this.#betweenReports(content, line);
    } else if (this.#open.inZones) {
      this.#zone(this.#open, this.#open.isPadded ? printed : content.padEnd(printed.length + ZONE_WIDTH), line);
    } else if (this.#open.processRows < TEXT_REPORT_MAX_ROWS) {
      this.#open.processRows += 1;
    }
  }

  cutLine(text: string, line: number): void {
    this.#sawAnything = true;
    this.#findings.add("truncated-line", `The last line ${quoteLine(text)} has no end and was dropped.`, line);
  }

  longLine(line: number): void {
    this.#sawAnything = true;
    this.#findings.add("overlong-line", "A line too long for any row was dropped.", line);
  }

  #begin(line: number): void {
    this.#open = {
      line,
      timeNs: this.#timeNs,
      processRows: 0,
      inZones: false,
      isPadded: false,
      isAligned: false,
      processes: 0,
      zones: [],
      zoneIds: new Set(),
    };
    this.#timeNs = null;
  }

  #betweenReports(content: string, line: number): void {
    const time = toolTime(content);
    if (time !== null) {
      this.#closeWithoutTotal();
      this.#timeNs = time.timeNs;
      if (time.timeNs === null) this.#findings.add("time-zone", `The time ${quoteLine(content)} is not in UTC and was not read.`, line);
    } else if (content !== "Please wait...") {
      this.#findings.add("malformed-row", `The line ${quoteLine(content)} belongs to no report and was dropped.`, line);
    }
  }

  #zone(open: OpenPrstat, content: string, line: number): void {
    if (open.zones.length >= TEXT_REPORT_MAX_ROWS) {
      this.#findings.addOnce(
        "too-many",
        "too-many-rows",
        `A report has more than ${TEXT_REPORT_MAX_ROWS} zones; the rest was dropped.`,
        line,
      );
      return;
    }
    const zone = open.isAligned && !isAligned(content) ? null : readPrstatRow(content, this.#names);
    if (zone === null || open.zoneIds.has(zone.row.zoneId)) {
      this.#findings.add("malformed-row", `The row ${quoteLine(content)} is damaged and was dropped.`, line);
      return;
    }
    open.zones.push(zone.row);
    open.zoneIds.add(zone.row.zoneId);
    open.processes += zone.row.nproc;
    if (zone.comma) this.#comma(line);
    if (zone.row.zoneNamePrefix !== null)
      this.#findings.addOnce("name", "name-truncated", "Names of zones are cut: use a pipe and no -W.", line);
    if (zone.row.cpuTimeTruncated)
      this.#findings.addOnce("time", "time-truncated", "A CPU time is too long for its column: a lower bound.", line);
  }

  #total(content: string, line: number): void {
    const open = this.#open;
    const total = readPrstatTotal(content);
    if (open === null || !open.inZones || total === null) {
      this.#findings.add("malformed-row", `The Total line ${quoteLine(content)} is damaged or out of place.`, line);
      if (total === null) this.#closeWithoutTotal();
      return;
    }
    if (total.comma) this.#comma(line);
    const rowLimitHit = open.processes < total.of.processes;
    if (rowLimitHit) {
      const text = `Zones are missing: their rows count ${open.processes} processes, the Total line ${total.of.processes}. Give -n 1,COUNT.`;
      this.#findings.add("row-limit", text, line);
    }
    this.#open = null;
    this.#done.push({ ...reportOf(open), total: total.of, rowLimitHit });
  }

  #closeWithoutTotal(): void {
    if (this.#open === null) return;
    this.#findings.add("missing-total", "A report has no Total line, so zones may be missing from it.", this.#open.line);
    this.#done.push({ ...reportOf(this.#open), total: null, rowLimitHit: false });
    this.#open = null;
  }

  #comma(line: number): void {
    this.#findings.addOnce("comma", "locale-decimal-comma", "Numbers have a decimal comma: run the tool with LC_ALL=C.", line);
  }

  #takeDone(): PrstatReport[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }
}

function reportOf({ line, timeNs, processRows, zones }: OpenPrstat): Omit<PrstatReport, "total" | "rowLimitHit"> {
  return { line, timeNs, processRows, zones };
}
