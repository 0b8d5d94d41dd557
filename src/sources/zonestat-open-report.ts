import type { ReportKind, ZonestatPset, ZonestatReport, ZonestatResource, ZonestatSummary } from "./zonestat-report.ts";
import { boundsOf, withholdResourceWraps, withholdSummaryWraps } from "./zonestat-wraps.ts";

/** The part of a report that a header tells. */
export interface ReportHeader {
  readonly kind: ReportKind;
  /** Null without a header, and where it was damaged; then the footer is all that tells the time. */
  readonly timeNs: bigint | null;
  readonly startTimeNs: bigint | null;
  readonly endTimeNs: bigint | null;
  readonly count: number | null;
  readonly intervalSec: number | null;
  readonly elapsedSec: number | null;
}

export interface ReportFooter {
  readonly kind: ReportKind;
  readonly timeNs: bigint;
  readonly intervalSec: number;
  readonly elapsedSec: number;
}

/** A table of a report, with the number that `PooledName.table` is compared with. */
export interface OpenTable<T> {
  readonly of: T;
  readonly table: number;
}

/** A report that has begun and whose footer has not come yet. */
export class OpenReport {
  readonly header: ReportHeader;
  readonly line: number;
  rowCount = 0;
  /** Its rows may be another run's: see `ZonestatReport.standing`. */
  overlapping = false;
  /** A report that began inside this one has had its footer since. */
  outlived = false;
  summary: OpenTable<ZonestatSummary> | null = null;
  readonly resources: OpenTable<ZonestatResource>[] = [];
  readonly psets: OpenTable<ZonestatPset>[] = [];

  constructor(header: ReportHeader, line: number) {
    this.header = header;
    this.line = line;
  }

  /** The footer could be this report's. A header that was not there or not readable fits any. */
  fits(footer: ReportFooter): boolean {
    const { kind, timeNs, elapsedSec } = this.header;
    if (kind !== footer.kind) return false;
    return (timeNs === null || timeNs === footer.timeNs) && (elapsedSec === null || elapsedSec === footer.elapsedSec);
  }

  /** Ends the report. Without a footer it is incomplete, and its interval is not known. */
  close(footer: ReportFooter | null): ZonestatReport {
    const { header } = this;
    const summary = this.summary?.of ?? null;
    const resources = this.resources.map((table) => table.of);
    const bounds = boundsOf(summary);
    if (summary !== null) withholdSummaryWraps(summary, bounds);
    for (const resource of resources) withholdResourceWraps(resource, bounds);
    return {
      kind: header.kind,
      timeNs: header.timeNs ?? footer?.timeNs ?? null,
      startTimeNs: header.startTimeNs,
      endTimeNs: header.endTimeNs,
      count: header.count,
      intervalSec: footer?.intervalSec ?? null,
      elapsedSec: header.elapsedSec ?? footer?.elapsedSec ?? null,
      complete: footer !== null,
      standing: this.overlapping ? "overlapping" : footer === null ? "incomplete" : "certain",
      rowCount: this.rowCount,
      line: this.line,
      summary,
      resources,
      psets: this.psets.map((table) => table.of),
    };
  }
}

/** A header for rows that came without one. */
export function noHeader(kind: ReportKind): ReportHeader {
  return { kind, timeNs: null, startTimeNs: null, endTimeNs: null, count: null, intervalSec: null, elapsedSec: null };
}
