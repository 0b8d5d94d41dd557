import type { FieldSet } from "../core/index.ts";

/**
 * Many rows of one target as columns, for bulk imports: a row is one series at one instant, as in the wide layout, and no object is made for it.
 * Arrays may be longer than `count`; what lies behind is not looked at. The store
 * has read them when it returns its promise, so they may be filled anew at once.
 */
export interface RowBlock {
  /** `zone_resource` */
  readonly targetName: string;
  readonly count: number;
  /** What rows refer to by number. */
  readonly series: readonly BlockSeries[];
  /** The series of each row. */
  readonly seriesOf: Uint32Array;
  readonly timestampsNs: BigInt64Array;
  readonly columns: readonly BlockColumn[];
}

export interface BlockSeries {
  /** All fields but the enumerated ones, as the target's schemas have them. */
  readonly fields: FieldSet;
  /** When its counters were 0; 0 where it has gauges alone. */
  readonly startTimeNs: bigint;
}

/** Values of one metric and combination of enumerated fields. */
export interface BlockColumn {
  /** As in `LatestZone.values`: `cpu_nsec(state=user)`. */
  readonly label: string;
  /** The type that the metric has: whole numbers without or with sign, or floating point. */
  readonly values: BigUint64Array | BigInt64Array | Float64Array;
  /** 1 where the row has a value. */
  readonly present: Uint8Array;
}

/** What became of a block. `stored + known + refused` is the number of its rows. */
export interface RowsReport {
  /** Rows that the store did not have; with `dryRun`, that it would have stored. */
  readonly stored: number;
  /** Rows that were there already, with the same values. */
  readonly known: number;
  readonly refused: ReadonlyMap<RowRefusal, number>;
  /** Values in the rows stored. */
  readonly values: number;
  /** First and last of the times that were not refused; null where all were. */
  readonly firstNs: bigint | null;
  readonly lastNs: bigint | null;
}

export type RowRefusal = "future" | "unstorable";

export interface InsertRowsOptions {
  /** Looks which rows are known, and stores none. */
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}
