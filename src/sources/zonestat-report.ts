import type { Amount, Fraction } from "./zonestat-amount.ts";

export const REPORT_KINDS = ["interval", "report-total", "report-average", "report-high"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/**
 * One report of zonestat. Fields that the text does not have are null; null never means zero. `[total]` and `[system]` in `zone` are the
 * aggregates, and a zone may be called `total`.
 */
export interface ZonestatReport {
  readonly kind: ReportKind;
  /** When the report was printed, ns since the epoch. */
  readonly timeNs: bigint | null;
  /** Span of a summary report; null for intervals. */
  readonly startTimeNs: bigint | null;
  readonly endTimeNs: bigint | null;
  /** Number of the interval within its run; it jumps where the tool skipped one. In the human form of a summary report: intervals in it. */
  readonly count: number | null;
  /** Nominal length of an interval. The real one is the difference of `elapsedSec` to the report before. */
  readonly intervalSec: number | null;
  /** Seconds since the command began. */
  readonly elapsedSec: number | null;
  /** Its footer was read whole. */
  readonly complete: boolean;
  /** `overlapping`: another run's report began inside it, or it inside another one, so its rows may be of either. `incomplete`: its end is missing. */
  readonly standing: "certain" | "overlapping" | "incomplete";
  /** Whole rows read, without `[resource]` lines. */
  readonly rowCount: number;
  /** Line of its header or first row. */
  readonly line: number;
  readonly summary: ZonestatSummary | null;
  readonly resources: readonly ZonestatResource[];
  readonly psets: readonly ZonestatPset[];
}

export interface ZonestatSummary {
  cpus: number | null;
  cpusOnline: number | null;
  /** RAM, and RAM with disk swap. */
  physicalBytes: Amount;
  virtualBytes: Amount;
  readonly rows: SummaryRow[];
}

export interface SummaryRow {
  readonly zone: string;
  /** CPUs in use, mean over the interval, in steps of 0.01. */
  readonly cpuUsed: number;
  /** Do not use: half of what `cpuUsed` says on some systems. */
  readonly cpuPartFraction: Fraction;
  readonly cpuCapFraction: Fraction;
  readonly cpuShareUsedFraction: Fraction;
  physicalBytes: Amount;
  physicalFraction: Fraction;
  readonly physicalCapFraction: Fraction;
  /** Swap reserved, not address space. */
  virtualBytes: Amount;
  virtualFraction: Fraction;
  readonly virtualCapFraction: Fraction;
}

/** Amounts that are bytes; all others known are counts. */
export const BYTE_RESOURCES: ReadonlySet<string> = new Set(["physical-memory", "virtual-memory", "locked-memory", "shm-memory"]);

/** Every resource type of this shape that is known. */
export const AMOUNT_RESOURCES: ReadonlySet<string> = new Set([
  ...BYTE_RESOURCES,
  "processes",
  "lwps",
  "lofi",
  "shm-ids",
  "sem-ids",
  "msg-ids",
]);

export interface ZonestatResource {
  readonly type: string;
  readonly name: string;
  readonly unit: "bytes" | "count";
  total: Amount;
  readonly rows: ResourceRow[];
}

export interface ResourceRow {
  readonly zone: string;
  used: Amount;
  usedFraction: Fraction;
  readonly cap: Amount;
  readonly capFraction: Fraction;
}

export interface ZonestatPset {
  /** `default-pset`, `pool-pset`, `psrset-pset` or `dedicated-cpu`. */
  readonly cpuType: string;
  readonly name: string;
  online: number | null;
  size: number | null;
  min: number | null;
  max: number | null;
  totalTimeNs: bigint | null;
  readonly rows: PsetRow[];
}

export interface PsetRow {
  readonly zone: string;
  readonly cpuUsed: number;
  readonly usedFraction: Fraction;
  /** CPUs. */
  readonly cpuCap: number | null;
  readonly cpuCapFraction: Fraction;
  /** `inf`: unlimited. `no-fss`: the zone is not in the fair-share class beside zones that are. */
  readonly shares: bigint | null | "inf" | "no-fss";
  readonly shareFraction: Fraction;
  readonly shareUsedFraction: Fraction;
  readonly timeNs: bigint;
}
