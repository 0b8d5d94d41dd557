import type { PooledName } from "./name-pool.ts";
import { readWhole } from "./text-reader.ts";
import type { ZonestatReport, ZonestatSummary } from "./zonestat-report.ts";
import { ZonestatReader } from "./zonestat-text.ts";

/** Rows of zones as columns, for many reports together. */
export interface PlainRows {
  readonly zones: PooledName[];
  readonly cpuUsed: Float64Array;
  /** Bytes, or below 0 the number before the K of an amount that may have lost its decimal point. */
  readonly physical: Float64Array;
  readonly virtual: Float64Array;
}

/** What a plain report has of its own. */
export interface PlainReportOptions extends Pick<ZonestatReport, "rowCount" | "line"> {
  readonly timeNs: bigint;
  readonly count: number;
  readonly intervalSec: number;
  readonly elapsedSec: number;
  readonly cpusOnline: number;
  readonly memoryTotalBytes: number;
  readonly rows: PlainRows;
  /** Its zones are the rows from `first` up to `end`. */
  readonly first: number;
  readonly end: number;
  /** Its lines. */
  readonly text: Uint8Array;
}

/**
 * An interval report of which nothing needs a second thought: one row for each zone, whole lines, plausible amounts, no zone that has halted. What
 * is measured stands in `rows`; whoever asks for its summary gets that, read anew.
 */
export class PlainReport implements ZonestatReport {
  readonly kind = "interval";
  readonly startTimeNs = null;
  readonly endTimeNs = null;
  readonly complete = true;
  readonly standing = "certain";
  readonly resources: readonly [] = [];
  readonly psets: readonly [] = [];
  readonly timeNs: bigint;
  readonly count: number;
  readonly intervalSec: number;
  readonly elapsedSec: number;
  readonly rowCount: number;
  readonly line: number;
  readonly cpusOnline: number;
  readonly memoryTotalBytes: number;
  readonly rows: PlainRows;
  readonly first: number;
  readonly end: number;
  readonly #text: Uint8Array;

  constructor(options: PlainReportOptions) {
    this.timeNs = options.timeNs;
    this.count = options.count;
    this.intervalSec = options.intervalSec;
    this.elapsedSec = options.elapsedSec;
    this.rowCount = options.rowCount;
    this.line = options.line;
    this.cpusOnline = options.cpusOnline;
    this.memoryTotalBytes = options.memoryTotalBytes;
    this.rows = options.rows;
    this.first = options.first;
    this.end = options.end;
    this.#text = options.text;
  }

  get summary(): ZonestatSummary | null {
    return readWhole(new ZonestatReader(), this.#text).items[0]!.summary;
  }
}
