import { isHistogramType, isIntegerType, type DatumType, type Quantile } from "../core/index.ts";
import type { Column, Distribution } from "../oxql/index.ts";
import type { RowBinaryReader } from "./row-binary-reader.ts";
import { isDated } from "./narrow-types.ts";

/** One stored sample. `value` is null for a missing one. */
export interface NarrowRow {
  readonly key: bigint;
  readonly startTimeNs: bigint;
  readonly timestampNs: bigint;
  readonly value: NarrowValue | null;
}

export type NarrowValue = bigint | number | boolean | string | Distribution<bigint> | Distribution<number>;

/** What a select of one measurements table returns: key, times, whether the datum is missing, the datum. Integers are widened to 64 bits. */
export function rowExpressions(type: DatumType): string[] {
  const start = isDated(type) ? ["start_time"] : [];
  if (isHistogramType(type)) {
    const edge = wideType(type);
    return [
      "timeseries_key",
      ...start,
      "timestamp",
      "empty(bins) AS absent",
      `CAST(bins, 'Array(${edge})') AS edges`,
      "counts",
      `to${edge}(min) AS least`,
      `to${edge}(max) AS most`,
      "sum_of_samples",
      "squared_mean",
      ...QUANTILES.flatMap(([name]) => [`${name}_marker_heights`, `${name}_marker_positions`, `${name}_desired_marker_positions`]),
    ];
  }
  const value =
    type === "string" ? "ifNull(datum, '')" : type === "bool" ? "toUInt8(ifNull(datum, false))" : `to${wideType(type)}(ifNull(datum, 0))`;
  return ["timeseries_key", ...start, "timestamp", "isNull(datum) AS absent", `${value} AS value`];
}

/** Of several rows for one instant, the one that counts comes first: one with a value, then the larger one. */
export function rowPreference(type: DatumType): string {
  return isHistogramType(type) ? "absent, arraySum(counts) DESC" : "absent, value DESC";
}

/** Names of the expressions, for a select around them. */
export function rowNames(type: DatumType): string {
  return rowExpressions(type)
    .map((expression) => / AS (\w+)$/.exec(expression)?.[1] ?? expression)
    .join(", ");
}

const QUANTILES = [
  ["p50", 0.5],
  ["p90", 0.9],
  ["p99", 0.99],
] as const;

function wideType(type: DatumType): "UInt64" | "Int64" | "Float64" {
  const scalar = type.replace(/^(cumulative|histogram)_/, "");
  if (!isIntegerType(scalar)) return "Float64";
  return scalar.startsWith("u") ? "UInt64" : "Int64";
}

export function readRow(reader: RowBinaryReader, type: DatumType): NarrowRow {
  const key = reader.u64();
  const startTimeNs = isDated(type) ? reader.i64() : 0n;
  const timestampNs = reader.i64();
  const absent = reader.u8() !== 0;
  const value = isHistogramType(type) ? readDistribution(reader, wideType(type)) : readScalar(reader, type);
  return { key, startTimeNs, timestampNs, value: absent ? null : value };
}

function readScalar(reader: RowBinaryReader, type: DatumType): NarrowValue {
  if (type === "string") return reader.string();
  if (type === "bool") return reader.u8() !== 0;
  return numberReader(reader, wideType(type))();
}

function numberReader(reader: RowBinaryReader, type: "UInt64" | "Int64" | "Float64"): () => bigint | number {
  if (type === "Float64") return () => reader.f64();
  return type === "UInt64" ? () => reader.u64() : () => reader.i64();
}

function readDistribution(reader: RowBinaryReader, type: "UInt64" | "Int64" | "Float64"): Distribution<bigint> | Distribution<number> {
  const edge = numberReader(reader, type);
  const bins = reader.array(edge);
  const counts = reader.array(() => reader.u64());
  const min = edge();
  const max = edge();
  const sumOfSamples = type === "Float64" ? reader.f64() : reader.i64();
  const squaredMean = reader.f64();
  const [p50, p90, p99] = QUANTILES.map(([, p]): Quantile => ({
    p,
    markerHeights: reader.array(() => reader.f64()),
    markerPositions: reader.array(() => reader.u64()),
    desiredMarkerPositions: reader.array(() => reader.f64()),
  })) as [Quantile, Quantile, Quantile];
  return { bins, counts, min, max, sumOfSamples, squaredMean, p50, p90, p99 } as Distribution<bigint> | Distribution<number>;
}

/** Values as OxQL has them. */
export function narrowColumn(type: DatumType, values: readonly (NarrowValue | null)[]): Column {
  const present = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
  const filled = <T extends NarrowValue>(none: T): T[] => values.map((value) => (value as T | null) ?? none);
  if (isHistogramType(type)) {
    return wideType(type) === "Float64"
      ? { type: "double_distribution", values: values as (Distribution<number> | null)[], present }
      : { type: "integer_distribution", values: values as (Distribution<bigint> | null)[], present };
  }
  if (type === "bool") return { type: "boolean", values: filled(false), present };
  if (type === "string") return { type: "string", values: filled(""), present };
  if (wideType(type) === "Float64") return { type: "double", values: Float64Array.from(filled(0)), present };
  const integers = filled(0n);
  const unsigned = integers.some((value) => value >= 1n << 63n);
  return { type: "integer", values: unsigned ? BigUint64Array.from(integers) : BigInt64Array.from(integers), present };
}
