// Rows of one counter or histogram to points: `delta.json`.
import { differenceOfPoints, distributionOf, sameList, tableOf, timeNs, valuesOf } from "./oxql-values.mjs";
import { valueColumn } from "./memory-data.mjs";

/** Why the case fails, or null. `oxql` is the room's outside; without it the built one is taken. */
export async function runCase(test, oxql = undefined) {
  const { pointsOf } = oxql ?? (await import("../../dist/oxql/index.js"));
  const series = {
    fields: [],
    startTimesNs: BigInt64Array.from(test.measurements, ({ start_time }) => timeNs(start_time)),
    timestampsNs: BigInt64Array.from(test.measurements, ({ timestamp }) => timeNs(timestamp)),
    values: valueColumn(test.measurements.map(({ value }) => storedValue(value, test.datum_type)), test.datum_type),
  };
  let actual;
  try {
    actual = pointsOf(series, "case:counter", "upstream");
  } catch (error) {
    return error.kind === test.error ? null : `failed with ${error.kind}: ${error.message}`;
  }
  const values = valuesOf(actual.dimensions[0].values);
  if (test.quirk && test.ideal_values !== undefined && sameList(test.ideal_values, values)) return null;
  if (test.error !== undefined) return `succeeded instead of failing with ${test.error}`;
  const wanted = tableOf({ name: "case:counter", timeseries: [{ fields: {}, points: test.expected }] });
  return differenceOfPoints(wanted.timeseries[0].points, actual);
}

/** A value of the case files as the store holds it. */
export function storedValue(value, datumType) {
  if (value === null || typeof value === "boolean") return value;
  if (datumType.startsWith("histogram_")) return distributionOf(value, !datumType.startsWith("histogram_f"));
  return /[iu]\d+$/.test(datumType) ? BigInt(value) : value;
}
