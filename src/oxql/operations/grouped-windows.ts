import type { Reducer } from "../ast.ts";
import type { Alignment, Column, Timeseries } from "../table.ts";
import type { WindowedGroup } from "../window-data.ts";
import type { Windows } from "./windows.ts";

/** What `group_by` makes of timeseries that the store has aligned and reduced: a point for each window from the earliest sample to the end. */
export function groupedWindows(group: WindowedGroup, reducer: Reducer, windows: Windows, alignment: Alignment): Timeseries {
  const count = group.firstWindow + 1;
  const values = valuesOf(group, reducer, count);
  const points = { startTimesNs: null, timestampsNs: windows.endTimesNs(count), dimensions: [{ metricType: "gauge" as const, values }] };
  return { fields: group.fields, points, alignment };
}

function valuesOf(group: WindowedGroup, reducer: Reducer, count: number): Column {
  const { windows, counts, sums, minima, maxima } = group;
  if (reducer === "count") {
    const values = new BigInt64Array(count);
    for (const [row, window] of windows.entries()) values[count - 1 - window] = BigInt(counts[row]!);
    return { type: "integer", values, present: null };
  }
  const column = { sum: sums, mean: sums, min: minima, max: maxima }[reducer as "sum" | "mean" | "min" | "max"];
  const values = new Float64Array(count);
  const present = new Uint8Array(count);
  for (const [row, window] of windows.entries()) {
    values[count - 1 - window] = reducer === "mean" ? column[row]! / counts[row]! : column[row]!;
    present[count - 1 - window] = 1;
  }
  return { type: "double", values, present: present.includes(0) ? present : null };
}
