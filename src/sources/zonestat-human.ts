import { TEXT_REPORT_MAX_ROWS } from "../core/index.ts";
import { Findings, quoteLine } from "./findings.ts";
import { LineSplitter, type LineSink } from "./line-splitter.ts";
import { NamePool } from "./name-pool.ts";
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import { toolTime } from "./tool-time.ts";
import { humanAmount, isAligned, readHumanRow, SUMMARY_COLUMNS } from "./zonestat-human-row.ts";
import type { ReportKind, SummaryRow, ZonestatReport, ZonestatSummary } from "./zonestat-report.ts";
import { withholdSummaryWraps, type MemoryBounds } from "./zonestat-wraps.ts";

const INTERVAL = /^(?:(.+), +)?Interval: (\d{1,9}), Duration: (\d{1,7}:\d\d:\d\d)$/;
const REPORT = /^(?:(.+), +)?Report: (High|Average|Total) Usage$/;
const BOUND = /^(Start|End): +(.+)$/;
const SPAN = /^Intervals: (\d{1,9}), Duration: (\d{1,7}:\d\d:\d\d)$/;
const SUMMARY = /^SUMMARY +Cpus\/Online: (\d{1,6})\/(\d{1,6}) +Physical: +(\S+) +Virtual: +(\S+)$/;
const COLUMNS = "ZONE USED %PART %CAP %SHRU USED PCT %CAP USED PCT %CAP";
/** Column titles that only Oracle Solaris 11 prints. */
const OTHER_DIALECT = /\b(PhysMem|VirtMem|PhysNet|PBYTE)\b|%(?:PUSE|USED)\b/;
const TOOL_ERROR = /^(zonestatd?|Usage): /i;
const PASSED_OVER = /^(Collecting data for first interval\.\.\.|mixed schedulers found: .*|[ -]*-CPU-[-A-Z ]*)$/;

interface OpenHuman {
  readonly kind: ReportKind;
  readonly timeNs: bigint | null;
  readonly line: number;
  startTimeNs: bigint | null;
  endTimeNs: bigint | null;
  count: number | null;
  elapsedSec: number | null;
  summary: ZonestatSummary | null;
  readonly zones: Set<string>;
  bounds: MemoryBounds;
}

/**
 * Reads the summary tables that zonestat prints for people. The form is not promised to stay, so `-p` is to be preferred; tables of single
 * resources are passed over. Another system's dialect is refused as a whole: then `supported` is false and no report comes out.
 */
export class ZonestatHumanReader implements TextReader<ZonestatReport>, LineSink {
  readonly #findings = new Findings();
  readonly #splitter = new LineSplitter(this);
  readonly #names = new NamePool();
  #supported = true;
  #open: OpenHuman | null = null;
  #inTable = false;
  /** Inside a table that is not read. */
  #passing = false;
  /** Width of the names' column where the titles stand as the tool puts them, so that rows have to as well; else null. */
  #nameWidth: number | null = null;
  /** Tables are parted by empty lines; a row of which nothing is left looks like one, so it does not end the table by itself. */
  #afterBlank = false;
  #done: ZonestatReport[] = [];
  #sawAnything = false;

  /** False once columns of Oracle Solaris 11 were met, whose values mean other things. */
  get supported(): boolean {
    return this.#supported;
  }

  push(chunk: Uint8Array): ZonestatReport[] {
    this.#splitter.push(chunk);
    return this.#takeDone();
  }

  end(): ZonestatReport[] {
    this.#splitter.end();
    this.#close();
    if (!this.#sawAnything) this.#findings.add("no-data", "There is no zonestat output; that does not mean that nothing is used.");
    return this.#takeDone();
  }

  takeDiagnostics(): Diagnostic[] {
    return this.#findings.take();
  }

  line(text: string, start: number, end: number, line: number): void {
    const content = text.slice(start, end).trim();
    if (content === "") {
      this.#afterBlank = true;
      return;
    }
    this.#sawAnything = true;
    if (!this.#supported) return;
    if (!this.#inTable && OTHER_DIALECT.test(content)) return this.#refuse(line);
    const printed = text.slice(start, end).trimEnd();
    if (!this.#heading(content, line) && !this.#tableHead(content, printed, line)) this.#row(content, printed, line);
    this.#afterBlank = false;
  }

  cutLine(text: string, line: number): void {
    this.#sawAnything = true;
    this.#findings.add("truncated-line", `The last line ${quoteLine(text)} has no end and was dropped.`, line);
  }

  longLine(line: number): void {
    this.#sawAnything = true;
    this.#findings.add("overlong-line", "A line too long for any row was dropped.", line);
  }

  /** The lines above a table. */
  #heading(content: string, line: number): boolean {
    const interval = INTERVAL.exec(content);
    if (interval !== null) {
      this.#begin("interval", this.#time(interval[1], line), line);
      this.#open!.count = Number(interval[2]);
      this.#open!.elapsedSec = durationSec(interval[3]!);
      return true;
    }
    const report = REPORT.exec(content);
    if (report !== null) {
      this.#begin(`report-${report[2]!.toLowerCase()}` as ReportKind, this.#time(report[1], line), line);
      return true;
    }
    const bound = BOUND.exec(content);
    if (bound !== null && this.#open !== null) {
      const timeNs = this.#time(bound[2], line);
      if (bound[1] === "Start") this.#open.startTimeNs = timeNs;
      else this.#open.endTimeNs = timeNs;
      return true;
    }
    const span = SPAN.exec(content);
    if (span === null || this.#open === null) return false;
    this.#open.count = Number(span[1]);
    this.#open.elapsedSec = durationSec(span[2]!);
    return true;
  }

  #tableHead(content: string, printed: string, line: number): boolean {
    if (PASSED_OVER.test(content)) return true;
    if (content.startsWith("ZONE ") && content.includes("USED")) {
      const titles = content.split(/ +/);
      this.#inTable = titles.join(" ") === COLUMNS;
      const nameWidth = printed.indexOf(titles[0]!) + titles[0]!.length;
      this.#nameWidth = isAligned(printed, titles, nameWidth) ? nameWidth : null;
      this.#passing = !this.#inTable;
      // Where the line with the totals was damaged, the rows are still good.
      if (this.#inTable && this.#open !== null) this.#open.summary ??= noTotals();
      if (!this.#inTable)
        this.#findings.addOnce(
          "columns",
          "unknown-resource",
          `The columns ${quoteLine(content)} are not known; the table was passed over.`,
          line,
        );
      return true;
    }
    const summary = SUMMARY.exec(content);
    if (summary === null) {
      const mayBeTitle = !this.#inTable || (this.#afterBlank && content.split(/ +/).length !== SUMMARY_COLUMNS);
      if (!mayBeTitle || !/^[A-Z][A-Z_-]{3,}\b/.test(content)) return false;
      this.#inTable = false;
      this.#passing = true;
      this.#findings.addOnce(content, "unknown-resource", `The table ${quoteLine(content)} was passed over.`, line);
      return true;
    }
    const physical = humanAmount(summary[3]!, false);
    const virtual = humanAmount(summary[4]!, true);
    if (this.#open === null || this.#open.summary !== null) {
      this.#findings.add("missing-header", "A table has no line above it that tells its interval.", line);
      this.#begin("interval", null, line);
    }
    this.#open!.summary = {
      ...noTotals(),
      cpus: Number(summary[1]),
      cpusOnline: Number(summary[2]),
      physicalBytes: physical?.amount ?? null,
      virtualBytes: virtual?.amount ?? null,
    };
    this.#open!.bounds = { physical: physical?.most ?? null, virtual: virtual?.most ?? null };
    if (physical === null || virtual === null) this.#damaged(content, line);
    return true;
  }

  #row(content: string, printed: string, line: number): void {
    if (TOOL_ERROR.test(content)) {
      this.#findings.add("tool-error", `The tool reported ${quoteLine(content)}.`, line);
      return;
    }
    const summary = this.#open?.summary ?? null;
    if (this.#passing) return;
    if (!this.#inTable || summary === null) return this.#damaged(content, line);
    const columns = content.split(/ +/);
    const stands = this.#nameWidth === null || isAligned(printed, columns, this.#nameWidth);
    const row: SummaryRow | null = stands ? readHumanRow(columns, this.#names) : null;
    if (row === null || this.#open!.zones.has(row.zone)) return this.#damaged(content, line);
    if (summary.rows.length >= TEXT_REPORT_MAX_ROWS) {
      this.#findings.addOnce(
        "too-many",
        "too-many-rows",
        `A report has more than ${TEXT_REPORT_MAX_ROWS} rows; the rest was dropped.`,
        line,
      );
      return;
    }
    this.#open!.zones.add(row.zone);
    summary.rows.push(row);
  }

  #begin(kind: ReportKind, timeNs: bigint | null, line: number): void {
    this.#close();
    this.#inTable = false;
    this.#passing = false;
    const nothing = { startTimeNs: null, endTimeNs: null, count: null, elapsedSec: null, summary: null, zones: new Set<string>() };
    this.#open = { kind, timeNs, line, ...nothing, bounds: { physical: null, virtual: null } };
  }

  #close(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null || !this.#supported) return;
    const { kind, timeNs, line, startTimeNs, endTimeNs, count, elapsedSec } = open;
    const { summary } = open;
    if (summary !== null) withholdSummaryWraps(summary, open.bounds);
    this.#done.push({
      kind,
      timeNs,
      line,
      startTimeNs,
      endTimeNs,
      count,
      elapsedSec,
      intervalSec: null,
      complete: true,
      standing: "certain",
      rowCount: summary?.rows.length ?? 0,
      summary,
      resources: [],
      psets: [],
    });
  }

  #refuse(line: number): void {
    this.#supported = false;
    this.#open = null;
    this.#done = [];
    this.#findings.add(
      "unsupported-dialect",
      "These are columns of Oracle Solaris 11, whose numbers mean other things; the text is refused.",
      line,
    );
  }

  #time(text: string | undefined, line: number): bigint | null {
    if (text === undefined) return null;
    const time = toolTime(text);
    if (time === null || time.timeNs === null) {
      this.#findings.add("time-zone", `The time ${quoteLine(text)} is not one in UTC and was not read.`, line);
    }
    return time?.timeNs ?? null;
  }

  #damaged(content: string, line: number): void {
    this.#findings.add("malformed-row", `The row ${quoteLine(content)} is damaged and was dropped.`, line);
  }

  #takeDone(): ZonestatReport[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }
}

function noTotals(): ZonestatSummary {
  return { cpus: null, cpusOnline: null, physicalBytes: null, virtualBytes: null, rows: [] };
}

function durationSec(text: string): number | null {
  const [hours, minutes, seconds] = text.split(":").map(Number) as [number, number, number];
  return minutes > 59 || seconds > 59 ? null : hours * 3_600 + minutes * 60 + seconds;
}
