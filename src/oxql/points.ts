import { wordsOf } from "./int64-words.ts";
import type { Column, Points } from "./table.ts";

/** Points from `start` up to `end`. Typed arrays share their memory with the input. */
export function slicePoints(points: Points, start: number, end: number): Points {
  if (start === 0 && end === points.timestampsNs.length) return points;
  return {
    startTimesNs: points.startTimesNs === null ? null : points.startTimesNs.subarray(start, end),
    timestampsNs: points.timestampsNs.subarray(start, end),
    dimensions: points.dimensions.map(({ metricType, values }) => ({ metricType, values: sliceColumn(values, start, end) })),
  };
}

/** The points at `rows`, in that order. */
export function pickPoints(points: Points, rows: Uint32Array): Points {
  return {
    startTimesNs: points.startTimesNs === null ? null : pickTimes(points.startTimesNs, rows),
    timestampsNs: pickTimes(points.timestampsNs, rows),
    dimensions: points.dimensions.map(({ metricType, values }) => ({ metricType, values: pickColumn(values, rows) })),
  };
}

/** True where entry `row` of the column is there. */
export function isPresent(column: Column, row: number): boolean {
  return column.present === null || column.present[row] !== 0;
}

function sliceColumn(column: Column, start: number, end: number): Column {
  const present = column.present === null ? null : column.present.subarray(start, end);
  switch (column.type) {
    case "integer":
      return { type: "integer", values: sliceIntegers(column.values, start, end), present };
    case "double":
      return { type: "double", values: column.values.subarray(start, end), present };
    default:
      return { ...column, values: column.values.slice(start, end), present } as Column;
  }
}

function sliceIntegers(values: ArrayLike<bigint>, start: number, end: number): ArrayLike<bigint> {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return values.subarray(start, end);
  return Array.from({ length: end - start }, (_, index) => values[start + index]!);
}

function pickColumn(column: Column, rows: Uint32Array): Column {
  const present = column.present === null ? null : pick(new Uint8Array(rows.length), column.present, rows);
  switch (column.type) {
    case "integer":
      return { type: "integer", values: pickIntegers(column.values, rows), present };
    case "double":
      return { type: "double", values: pick(new Float64Array(rows.length), column.values, rows), present };
    default:
      return { ...column, values: Array.from(rows, (row) => column.values[row]), present } as Column;
  }
}

function pickIntegers(values: ArrayLike<bigint>, rows: Uint32Array): ArrayLike<bigint> {
  if (values instanceof BigInt64Array) return pickTimes(values, rows);
  if (values instanceof BigUint64Array)
    return new BigUint64Array(pickTimes(new BigInt64Array(values.buffer, values.byteOffset, values.length), rows).buffer);
  return Array.from(rows, (row) => values[row]!);
}

function pickTimes(times: BigInt64Array, rows: Uint32Array): BigInt64Array {
  const picked = new BigInt64Array(rows.length);
  const [from, to] = [wordsOf(times), wordsOf(picked)];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    to[2 * i] = from[2 * row]!;
    to[2 * i + 1] = from[2 * row + 1]!;
  }
  return picked;
}

function pick<T extends Uint8Array | Float64Array>(target: T, source: T, rows: Uint32Array): T {
  for (let i = 0; i < rows.length; i++) target[i] = source[rows[i]!]!;
  return target;
}
