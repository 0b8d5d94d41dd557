import { TEXT_REPORT_MAX_ROWS, ZONESTAT_MAX_OPEN_REPORTS } from "../core/index.ts";
import { FieldCursor } from "./field-cursor.ts";
import { Findings, quoteLine } from "./findings.ts";
import { LineSplitter, type LineSink } from "./line-splitter.ts";
import { NamePool } from "./name-pool.ts";
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import { readZonestatFooter, readZonestatHeader } from "./zonestat-marks.ts";
import { noHeader, OpenReport, type ReportHeader } from "./zonestat-open-report.ts";
import { REPORT_KINDS, type ReportKind, type ZonestatReport } from "./zonestat-report.ts";
import { readZonestatRow } from "./zonestat-rows.ts";

const KINDS: ReadonlySet<string> = new Set(REPORT_KINDS);
const TOOL_ERROR = /^(zonestatd?|Usage): /i;
const STAMP = /^(\d{1,12}|\d{8}T\d{6}Z)$/;
const ZERO = 48;
const NINE = 57;

/**
 * Reads `zonestat -p` in every form of `-T`, `-P`, `-R` and `-r`, also where several runs wrote into one file. Reports come out once their
 * footer is read; where a header stands inside an open report, both are `overlapping`, as rows carry no mark of their run.
 * What the end of the text cuts short comes out of `end` as `incomplete`.
 */
export class ZonestatReader implements TextReader<ZonestatReport>, LineSink {
  readonly #findings = new Findings();
  readonly names = new NamePool();
  readonly #cursor = new FieldCursor();
  readonly #splitter = new LineSplitter(this);
  #open: OpenReport[] = [];
  #done: ZonestatReport[] = [];
  #sawAnything = false;

  push(chunk: Uint8Array): ZonestatReport[] {
    this.#splitter.push(chunk);
    return this.#takeDone();
  }

  end(): ZonestatReport[] {
    this.#splitter.end();
    for (const report of this.#open) {
      if (!report.overlapping) this.#findings.add("missing-footer", "The text ends inside a report, which is withheld.", report.line);
      this.#done.push(report.close(null));
    }
    this.#open = [];
    if (!this.#sawAnything) this.#findings.add("no-data", "There is no zonestat output; that does not mean that nothing is used.");
    return this.#takeDone();
  }

  /** No report is open, and the next byte begins a line. */
  get isBetweenReports(): boolean {
    return this.#open.length === 0 && this.#splitter.isAtLineStart;
  }

  /** Lines so far. */
  get lines(): number {
    return this.#splitter.lines;
  }

  /** Takes note of whole reports that were read elsewhere. */
  passOver(lines: number): void {
    this.#sawAnything = true;
    this.#splitter.pass(lines);
  }

  takeDiagnostics(): Diagnostic[] {
    return this.#findings.take();
  }

  line(text: string, start: number, end: number, line: number): void {
    if (start === end) return;
    this.#sawAnything = true;
    const cursor = this.#cursor;
    cursor.set(text, start, end);
    // Nearly every line: no string is made of what is the same each time.
    if (cursor.takes("interval:")) return this.#markOrRow("interval", null, line);
    let kind = cursor.word();
    let stamp: string | null = null;
    const first = text.charCodeAt(start);
    if (first >= ZERO && first <= NINE && STAMP.test(kind)) {
      stamp = kind;
      kind = cursor.takes("interval:") ? "interval" : cursor.word();
    }
    if (KINDS.has(kind)) this.#markOrRow(kind as ReportKind, stamp, line);
    else this.#otherLine(kind, text, start, end, line);
  }

  cutLine(text: string, line: number): void {
    this.#sawAnything = true;
    this.#findings.add("truncated-line", `The last line ${quoteLine(text)} has no end and was dropped.`, line);
  }

  longLine(line: number): void {
    this.#sawAnything = true;
    this.#findings.add("overlong-line", "A line too long for any row was dropped.", line);
  }

  #markOrRow(kind: ReportKind, stamp: string | null, line: number): void {
    const { text, at } = this.#cursor;
    if (text.startsWith("summary:", at)) this.#row(kind, line);
    else if (text.startsWith("header:", at)) this.#header(kind, line);
    else if (text.startsWith("footer:", at)) this.#footer(kind, stamp, line);
    else this.#row(kind, line);
  }

  #row(kind: ReportKind, line: number): void {
    const last = this.#open.at(-1);
    const report = last ?? this.#begin(noHeader(kind), line);
    if (report.header.kind !== kind) return this.#mixed(report, `A row of ${kind} stands inside another report.`, line);
    if (report.rowCount >= TEXT_REPORT_MAX_ROWS) {
      return this.#mixed(report, `A report has more than ${TEXT_REPORT_MAX_ROWS} rows, which no machine has zones for.`, line);
    }
    const cursor = this.#cursor;
    const at = cursor.at;
    switch (readZonestatRow(cursor, this.names, report)) {
      case "row":
        report.rowCount += 1;
        return;
      case "resource":
        return;
      case "damaged":
        cursor.at = at;
        return this.#damaged("row", line);
      case "unknown": {
        cursor.set(cursor.text, at, cursor.end);
        const type = quoteLine(cursor.word());
        this.#findings.addOnce(`type ${type}`, "unknown-resource", `Rows of ${type} are not known and were passed over.`, line);
        return;
      }
      case "twice":
        this.#mixed(report, "A row comes twice in one report, so rows of two runs are mixed.", line);
    }
  }

  /** Told once for each report. */
  #mixed(report: OpenReport, why: string, line: number): void {
    if (!report.overlapping) this.#findings.add("overlapping-reports", why, line);
    report.overlapping = true;
  }

  #header(kind: ReportKind, line: number): void {
    const header = readZonestatHeader(this.#cursor, kind);
    if (header === null) this.#damaged("header", line);
    this.#begin(header ?? noHeader(kind), line);
  }

  /** The cursor stands at what is damaged. */
  #damaged(what: string, line: number): void {
    const { text, at, end } = this.#cursor;
    this.#findings.add("malformed-row", `The ${what} ${quoteLine(text, at, end)} is damaged.`, line);
  }

  #begin(header: ReportHeader, line: number): OpenReport {
    this.#giveUpStale(header);
    const report = new OpenReport(header, line);
    if (this.#open.length > 0) {
      this.#findings.add(
        "overlapping-reports",
        "A report begins inside another one; both are withheld, as rows do not tell whose they are.",
        line,
      );
      report.overlapping = true;
      for (const other of this.#open) other.overlapping = true;
    }
    this.#open.push(report);
    return report;
  }

  #footer(kind: ReportKind, stamp: string | null, line: number): void {
    const footer = readZonestatFooter(this.#cursor, kind, stamp);
    if (footer === null) {
      this.#damaged("footer", line);
      return;
    }
    let index = this.#open.findIndex((report) => report.fits(footer));
    if (index === -1) {
      this.#findings.add("stray-footer", "A footer does not belong to the header before it, so rows of two reports are mixed.", line);
      if (this.#open.length === 0) return;
      index = 0;
      this.#open[0]!.overlapping = true;
    }
    const [report] = this.#open.splice(index, 1);
    for (const older of this.#open.slice(0, index)) older.outlived = true;
    this.#done.push(report!.close(footer));
  }

  /** A run that was killed leaves a report without a footer. It is over once a later one inside it has ended and the next one begins. */
  #giveUpStale(next: ReportHeader): void {
    const isStale = ({ outlived, header }: OpenReport): boolean =>
      outlived && (header.timeNs === null || (next.timeNs !== null && next.timeNs > header.timeNs));
    const keep: OpenReport[] = [];
    for (const [i, report] of this.#open.entries()) {
      if (isStale(report) || this.#open.length - i >= ZONESTAT_MAX_OPEN_REPORTS) this.#done.push(report.close(null));
      else keep.push(report);
    }
    this.#open = keep;
  }

  #otherLine(kind: string, text: string, start: number, end: number, line: number): void {
    const shown = quoteLine(text, start, end);
    const content = text.slice(start, end).trim();
    if (content === "" || content === "Collecting data for first interval...") return;
    if (TOOL_ERROR.test(content)) this.#findings.add("tool-error", `The tool reported ${shown}.`, line);
    else if (/^report-[a-z-]{1,40}$/.test(kind))
      this.#findings.addOnce(`kind ${kind}`, "unknown-report", `Reports of the kind of ${shown} are not known and were passed over.`, line);
    else this.#findings.add("malformed-row", `The line ${shown} is no row of zonestat and was dropped.`, line);
  }

  #takeDone(): ZonestatReport[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }
}
