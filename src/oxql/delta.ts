import { formatRfc3339 } from "../core/index.ts";
import type { SelectedSeries } from "./data.ts";
import { differences, MAX_I64 } from "./delta-values.ts";
import { describeTimeseries } from "./describe-timeseries.ts";
import type { Dialect } from "./dialect.ts";
import { sameWords, signedDifference, wordsOf } from "./int64-words.ts";
import { isPresent } from "./points.ts";
import { queryError } from "./query-error.ts";
import type { Column, Points } from "./table.ts";

/**
 * The points of one stored timeseries. Gauges are taken as they are. Each row of a counter or histogram becomes a point over the time
 * since the row before it, with what was added since the last present row of the same incarnation; the first row of an incarnation
 * spans from its start time and keeps its value as stored. A fall within an incarnation gives a negative delta: restarts are told by start times.
 *
 * Throws `delta_overlap` where an incarnation starts before the previous row, or a timestamp does not rise; `overflow`, `delta_bins`,
 * `delta_underflow` as `differences` does; in the upstream dialect also `overflow` for any stored value that passes an i64.
 */
export function pointsOf(series: SelectedSeries, timeseriesName: string, dialect: Dialect = "zonemeter"): Points {
  const { startTimesNs, timestampsNs, values } = series;
  if (dialect === "upstream") refuseWide(values, series, timeseriesName);
  if (startTimesNs === null) return { startTimesNs: null, timestampsNs, dimensions: [{ metricType: "gauge", values }] };
  const fresh = incarnationStarts(series, startTimesNs, timeseriesName);
  const starts = new BigInt64Array(timestampsNs.length);
  starts.set(timestampsNs.subarray(0, -1), 1);
  for (let row = 0; row < fresh.length; row++) if (fresh[row] === 1) starts[row] = startTimesNs[row]!;
  const column = differences(values, fresh, () => describeTimeseries(timeseriesName, series.fields));
  return { startTimesNs: starts, timestampsNs, dimensions: [{ metricType: "delta", values: column }] };
}

/** 1 for the first row of each incarnation. One may start exactly where the one before was last seen. */
function incarnationStarts(series: SelectedSeries, startTimesNs: BigInt64Array, timeseriesName: string): Uint8Array {
  const starts = wordsOf(startTimesNs);
  const stamps = wordsOf(series.timestampsNs);
  const fresh = new Uint8Array(startTimesNs.length);
  for (let row = 0; row < fresh.length; row++) {
    if (row > 0) {
      const rises = signedDifference(stamps, row, stamps, row - 1) > 0;
      if (rises && sameWords(starts, row, starts, row - 1)) continue;
      if (!rises || signedDifference(starts, row, stamps, row - 1) < 0) throw overlap(series, startTimesNs, row, timeseriesName);
    }
    fresh[row] = 1;
  }
  return fresh;
}

function overlap(series: SelectedSeries, startTimesNs: BigInt64Array, row: number, timeseriesName: string): Error {
  const [start, stamp, before] = [startTimesNs[row]!, series.timestampsNs[row]!, series.timestampsNs[row - 1]!].map(formatRfc3339);
  return queryError(
    "delta_overlap",
    `${describeTimeseries(timeseriesName, series.fields)} overlaps in time: the sample of ${stamp}, counted from ${start}, follows one of ${before}. ` +
      `Leave this timeseries or that time out with a filter.`,
  );
}

function refuseWide(column: Column, series: SelectedSeries, timeseriesName: string): void {
  if (column.type !== "integer" || column.values instanceof BigInt64Array) return;
  for (let row = 0; row < column.values.length; row++) {
    if (column.values[row]! <= MAX_I64 || !isPresent(column, row)) continue;
    const who = describeTimeseries(timeseriesName, series.fields);
    throw queryError(
      "overflow",
      `${who} has the value ${column.values[row]}, which upstream refuses: it does not fit a signed 64-bit integer.`,
    );
  }
}
