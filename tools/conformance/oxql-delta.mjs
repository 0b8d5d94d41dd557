// Cases of delta.json: rows of one counter or histogram to points.
import { pointsOf } from "../../dist/oxql/index.js";
import { valueColumn } from "./memory-data.mjs";
import { attempt, DIALECTS, isVerdict } from "./oxql-refusal.mjs";
import { differenceOfPoints, distributionOf, sameList, tableOf, timeNs, valuesOf } from "./oxql-values.mjs";

export function runCase(testCase) {
  const { datum_type: datumType, measurements, error } = testCase;
  const series = {
    fields: [],
    startTimesNs: BigInt64Array.from(measurements, ({ start_time: start }) => timeNs(start)),
    timestampsNs: BigInt64Array.from(measurements, ({ timestamp }) => timeNs(timestamp)),
    values: valueColumn(
      measurements.map(({ value }) => storedValue(value, datumType)),
      datumType,
    ),
  };
  const reasons = (error === undefined ? DIALECTS : ["upstream"]).map((dialect) => {
    const reason = judge(
      attempt(() => pointsOf(series, "case:counter", dialect)),
      testCase,
    );
    return reason === null ? null : `${dialect}: ${reason}`;
  });
  return reasons.find((reason) => reason !== null) ?? null;
}

function judge(result, { error, expected, quirk, ideal, ideal_values: idealValues }) {
  const { value, kind, message } = result;
  if (quirk && isVerdict(ideal, result)) return null;
  if (value === undefined) return kind === error ? null : `${kind}: ${message}`;
  if (quirk && idealValues !== undefined && sameList(idealValues, valuesOf(value.dimensions[0].values))) return null;
  if (error !== undefined) return `gives points instead of ${error}`;
  return differenceOfPoints(tableOf({ name: "", timeseries: [{ fields: {}, points: expected }] }).timeseries[0].points, value);
}

/** A value of the case files as the store holds it. */
export function storedValue(value, datumType) {
  if (value === null || typeof value === "boolean") return value;
  if (datumType.startsWith("histogram_")) return distributionOf(value, !datumType.startsWith("histogram_f"));
  return /[iu]\d+$/.test(datumType) ? BigInt(value) : value;
}
