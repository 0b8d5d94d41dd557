import { formatRfc3339, QUERY_MAX_POINTS, QUERY_UPSAMPLE_FACTOR, type FieldSet } from "../../core/index.ts";
import type { Align } from "../ast.ts";
import { describeTimeseries } from "../describe-timeseries.ts";
import { formatDuration } from "../format-duration.ts";
import { toDoubles } from "../int64-words.ts";
import { queryError } from "../query-error.ts";
import type { Alignment, Dimension, Table, Timeseries } from "../table.ts";
import { interpolate } from "./align-interpolate.ts";
import { meanWithin } from "./align-mean.ts";
import { rate } from "./align-rate.ts";
import type { OperationContext } from "./context.ts";
import { Windows } from "./windows.ts";

/** One numeric column ready for alignment: times as nanoseconds from the query's end, values as doubles. */
export interface AlignInput {
  /** Null for gauges. */
  readonly starts: Float64Array | null;
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly present: Uint8Array | null;
  /** How many samples each entry stands for; 1 where it is not given. */
  readonly samples?: Float64Array;
}

/** One value for each of the newest `count` windows, oldest first. */
export type AlignMethodFunction = (input: AlignInput, windows: Windows, count: number) => AlignedValues;

export interface AlignedValues {
  readonly values: Float64Array;
  /** 1 where there is a value. */
  readonly present: Uint8Array;
}

const METHODS: Readonly<Record<Align["method"], AlignMethodFunction>> = { mean_within: meanWithin, rate, interpolate };

/**
 * Puts every timeseries on the windows that end at the query's end and step back by the period, as double gauges. Windows are made
 * from the first sample on up to the end, also where they stay missing. Throws `non_numeric`, `multi_dimensional`, `type_mismatch`
 * (rate of a gauge, interpolation of a counter), `upsample_limit`, `overflow`, or `point_limit`.
 */
export function align(tables: readonly Table[], operation: Align, context: OperationContext): Table[] {
  const { endTimeNs } = context;
  const { periodNs, position, method } = operation;
  if (method === "interpolate" && context.dialect === "upstream") {
    throw queryError("not_implemented", "Upstream names interpolate but does not have it: use mean_within.", position);
  }
  if (periodNs <= 0n) throw queryError("parse", "The period of align is zero: write one such as 1m.", position);
  if (endTimeNs !== BigInt.asIntN(64, endTimeNs)) {
    throw queryError(
      "overflow",
      "The query ends outside the years 1678 to 2262, where samples have no times: name a nearer end.",
      position,
    );
  }
  const windows = new Windows(endTimeNs, periodNs);
  for (const table of tables) {
    for (const series of table.timeseries) {
      checkShape(series, table, operation);
      checkGaps(series, table, operation);
    }
  }
  checkPointCount(tables, operation, context);
  return tables.map(({ name, timeseries }) => ({
    name,
    timeseries: timeseries.map((series) => alignOne(series, method, windows, { endTimeNs, periodNs })),
  }));
}

/** Throws `point_limit` where the alignment would make more points than the context allows. */
export function checkPointCount(
  tables: readonly Table[],
  operation: Align,
  { endTimeNs, maxPoints = QUERY_MAX_POINTS }: OperationContext,
): void {
  if (operation.periodNs <= 0n) return;
  const windows = new Windows(endTimeNs, operation.periodNs);
  let points = 0;
  for (const table of tables) {
    for (const series of table.timeseries) {
      points += windows.countFrom(series.points.timestampsNs);
      if (points > maxPoints) throw tooManyPoints(series, table, operation, maxPoints);
    }
  }
}

function alignOne(series: Timeseries, method: Align["method"], windows: Windows, alignment: Alignment): Timeseries {
  const { startTimesNs, timestampsNs, dimensions } = series.points;
  const column = dimensions[0]!.values;
  const values = column.type === "integer" ? toDoubles(column.values) : (column.values as Float64Array);
  const starts = startTimesNs === null ? null : windows.offsets(startTimesNs);
  const input = { starts, times: windows.offsets(timestampsNs), values, present: column.present };
  return alignInput(series.fields, input, timestampsNs, windows, method, alignment);
}

/** The aligned timeseries of a column; `timestampsNs` begin with the time of its first sample. */
export function alignInput(
  fields: FieldSet,
  input: AlignInput,
  timestampsNs: BigInt64Array,
  windows: Windows,
  method: Align["method"],
  alignment: Alignment,
): Timeseries {
  const count = windows.countFrom(timestampsNs);
  const aligned = METHODS[method](input, windows, count);
  const present = aligned.present.includes(0) ? aligned.present : null;
  const dimension: Dimension = { metricType: "gauge", values: { type: "double", values: aligned.values, present } };
  return {
    fields,
    points: { startTimesNs: null, timestampsNs: windows.endTimesNs(count), dimensions: [dimension] },
    alignment,
  };
}

function checkShape(series: Timeseries, table: Table, { method, position }: Align): void {
  const { dimensions, startTimesNs } = series.points;
  if (dimensions.length !== 1) {
    throw queryError(
      "multi_dimensional",
      `${table.name} has ${dimensions.length} values a point: align each table before the join.`,
      position,
    );
  }
  const { type } = dimensions[0]!.values;
  if (type !== "integer" && type !== "double") {
    throw queryError("non_numeric", `${table.name} holds ${type} values: only numbers can be aligned.`, position);
  }
  if (method === "rate" && startTimesNs === null) {
    throw queryError("type_mismatch", `${table.name} is a gauge: a rate is taken from a counter; use mean_within.`, position);
  }
  if (method === "interpolate" && startTimesNs !== null) {
    throw queryError("type_mismatch", `${table.name} is a counter: interpolation is for gauges; use rate or mean_within.`, position);
  }
}

/** Refuses neighbours that are more than the allowed number of periods apart, upstream's guard against floods of made-up points. */
function checkGaps(series: Timeseries, table: Table, { periodNs, position }: Align): void {
  const { timestampsNs } = series.points;
  const limitNs = QUERY_UPSAMPLE_FACTOR * Number(periodNs);
  const [first] = timestampsNs;
  if (first === undefined) return;
  const offsets = new Windows(first, periodNs).offsets(timestampsNs);
  for (let i = 1; i < offsets.length; i++) {
    const gap = offsets[i]! - offsets[i - 1]!;
    if (gap <= limitNs && gap >= 0) continue;
    const who = describeTimeseries(table.name, series.fields);
    const [before, after] = [timestampsNs[i - 1]!, timestampsNs[i]!];
    if (gap < 0)
      throw queryError(
        "delta_overlap",
        `The samples of ${who} fall back from ${formatRfc3339(before)} to ${formatRfc3339(after)}.`,
        position,
      );
    const least = smallestPeriod(offsets);
    const sentence =
      `${who} has no samples for ${formatDuration(after - before)} from ${formatRfc3339(before)}, more than ${QUERY_UPSAMPLE_FACTOR} periods of ` +
      `${formatDuration(periodNs)}: use a period of at least ${formatDuration(least)}, or a time range without the gap.`;
    throw queryError("upsample_limit", sentence, position);
  }
}

/** The smallest whole number of milliseconds that every gap is at most the allowed number of periods of. */
function smallestPeriod(offsets: Float64Array): bigint {
  let widest = 0;
  for (let i = 1; i < offsets.length; i++) widest = Math.max(widest, offsets[i]! - offsets[i - 1]!);
  return BigInt(Math.ceil(widest / QUERY_UPSAMPLE_FACTOR / 1e6)) * 1_000_000n;
}

function tooManyPoints(series: Timeseries, table: Table, { periodNs, position }: Align, maxPoints: number): Error {
  const first = formatRfc3339(series.points.timestampsNs[0]!);
  const sentence =
    `Windows of ${formatDuration(periodNs)} from the first sample of each timeseries (${first} in ${describeTimeseries(table.name, series.fields)}) ` +
    `to the query's end are more than ${maxPoints} points: use a longer period, a shorter time range or fewer timeseries.`;
  return queryError("point_limit", sentence, position);
}
