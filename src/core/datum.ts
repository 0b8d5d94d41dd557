import type { IntegerType } from "./field.ts";

/** Datum types in the order of upstream's `DatumType` enum (the order is part of the key hash). */
export const DATUM_TYPES = [
  "bool",
  "i8",
  "u8",
  "i16",
  "u16",
  "i32",
  "u32",
  "i64",
  "u64",
  "f32",
  "f64",
  "string",
  "bytes",
  "cumulative_i64",
  "cumulative_u64",
  "cumulative_f32",
  "cumulative_f64",
  "histogram_i8",
  "histogram_u8",
  "histogram_i16",
  "histogram_u16",
  "histogram_i32",
  "histogram_u32",
  "histogram_i64",
  "histogram_u64",
  "histogram_f32",
  "histogram_f64",
] as const;

export type DatumType = (typeof DATUM_TYPES)[number];
export type CumulativeType = "cumulative_i64" | "cumulative_u64" | "cumulative_f32" | "cumulative_f64";
export type HistogramType = Extract<DatumType, `histogram_${string}`>;

/** State of one P² quantile estimator, as upstream sends it. */
export interface Quantile {
  readonly p: number;
  readonly markerHeights: readonly number[];
  readonly markerPositions: readonly bigint[];
  readonly desiredMarkerPositions: readonly number[];
}

/**
 * A finished histogram. `edges` are the left edges of the bins, `counts` is as long. Edges, min, max are bigint for integer
 * types and number for float types; `sumOfSamples` is bigint (i64) for every integer type.
 */
export interface Histogram {
  readonly edges: readonly (bigint | number)[];
  readonly counts: readonly bigint[];
  readonly min: bigint | number;
  readonly max: bigint | number;
  readonly sumOfSamples: bigint | number;
  /** Welford's M2. */
  readonly squaredMean: number;
  readonly p50: Quantile;
  readonly p90: Quantile;
  readonly p99: Quantile;
}

/** One measured value. Times are nanoseconds since the Unix epoch, UTC. */
export type Datum =
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: IntegerType; readonly value: bigint }
  | { readonly type: "f32" | "f64"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array }
  | { readonly type: "cumulative_i64" | "cumulative_u64"; readonly startTimeNs: bigint; readonly value: bigint }
  | { readonly type: "cumulative_f32" | "cumulative_f64"; readonly startTimeNs: bigint; readonly value: number }
  | { readonly type: HistogramType; readonly startTimeNs: bigint; readonly value: Histogram }
  | { readonly type: "missing"; readonly datumType: DatumType; readonly startTimeNs: bigint | null };

export function isCumulativeType(type: DatumType): type is CumulativeType {
  return type.startsWith("cumulative_");
}

export function isHistogramType(type: DatumType): type is HistogramType {
  return type.startsWith("histogram_");
}

/** Counters and histograms carry a start time. */
export function hasStartTime(type: DatumType): boolean {
  return isCumulativeType(type) || isHistogramType(type);
}

/** The declared type of a datum: for a missing one, the type it would have had. */
export function datumTypeOf(datum: Datum): DatumType {
  return datum.type === "missing" ? datum.datumType : datum.type;
}
