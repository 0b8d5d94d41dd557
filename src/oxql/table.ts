import type { FieldSet, Quantile } from "../core/index.ts";

/** What an OxQL operation takes and gives. Shapes follow upstream's OxqlQueryResult; columns instead of objects. */
export interface Table {
  /** Timeseries name; after a join the names with commas between. */
  readonly name: string;
  readonly timeseries: readonly Timeseries[];
}

/** Identity within a table is the typed field set; order is free. */
export interface Timeseries {
  readonly fields: FieldSet;
  readonly points: Points;
  /** Set by `align`: windows end at endTimeNs, endTimeNs - periodNs, …. Null for raw data. */
  readonly alignment: Alignment | null;
}

export interface Alignment {
  readonly endTimeNs: bigint;
  readonly periodNs: bigint;
}

/** Columns of equal length in rising time order. Times are ns since the epoch. */
export interface Points {
  /** Start of each interval for deltas; null for gauges. */
  readonly startTimesNs: BigInt64Array | null;
  readonly timestampsNs: BigInt64Array;
  /** One per metric; more than one only after `join`. */
  readonly dimensions: readonly Dimension[];
}

export interface Dimension {
  readonly metricType: MetricType;
  readonly values: Column;
}

export type MetricType = "gauge" | "delta" | "cumulative";

/**
 * One value column. `present[i] === 0` marks a missing entry, whose value is then meaningless; null where none is missing.
 * Integers are any ArrayLike of bigint, in practice BigInt64Array, or BigUint64Array where a stored u64 passes 2^63-1.
 */
export type Column =
  | { readonly type: "integer"; readonly values: ArrayLike<bigint>; readonly present: Uint8Array | null }
  | { readonly type: "double"; readonly values: Float64Array; readonly present: Uint8Array | null }
  | { readonly type: "boolean"; readonly values: readonly boolean[]; readonly present: Uint8Array | null }
  | { readonly type: "string"; readonly values: readonly string[]; readonly present: Uint8Array | null }
  | {
      readonly type: "integer_distribution";
      readonly values: readonly (Distribution<bigint> | null)[];
      readonly present: Uint8Array | null;
    }
  | {
      readonly type: "double_distribution";
      readonly values: readonly (Distribution<number> | null)[];
      readonly present: Uint8Array | null;
    };

export type DataType = Column["type"];

/** A histogram as OxQL shows it. `bins` are left edges. Quantiles: stored state as read, or the estimate, or null once differenced. */
export interface Distribution<T extends bigint | number> {
  readonly bins: readonly T[];
  readonly counts: readonly bigint[];
  readonly min: T | null;
  readonly max: T | null;
  readonly sumOfSamples: T;
  readonly squaredMean: number;
  readonly p50: Quantile | number | null;
  readonly p90: Quantile | number | null;
  readonly p99: Quantile | number | null;
}
