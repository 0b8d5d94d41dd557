import type { AlignedValues, AlignInput } from "./align.ts";
import { shareOut } from "./interval-shares.ts";
import type { Windows } from "./windows.ts";

const NS_PER_SECOND = 1e9;

/**
 * `rate`: increase per second. The shares of all intervals that reach into the window, divided by the seconds of the window that those
 * intervals cover, so that a window that a counter was seen in only half the time is not underestimated. Missing where none is covered.
 * Rate times covered time is exactly what the counter grew, over restarts too, since each incarnation has its own start time.
 */
export function rate({ starts, times, values, present }: AlignInput, windows: Windows, count: number): AlignedValues {
  const since = present === null ? starts! : sinceLastPresent(starts!, times, present);
  const { sums, coveredNs } = shareOut(windows, count, since, times, values, present);
  const found = new Uint8Array(count);
  for (let window = 0; window < count; window++) {
    if (coveredNs[window] === 0) continue;
    found[window] = 1;
    sums[window] = (sums[window]! * NS_PER_SECOND) / coveredNs[window]!;
  }
  return { values: sums, present: found };
}

/** A delta behind missing ones holds what was added during them too, so it reaches back over those that it touches. */
function sinceLastPresent(starts: Float64Array, times: Float64Array, present: Uint8Array): Float64Array {
  const since = starts.slice();
  for (let i = 1; i < since.length; i++) {
    if (present[i - 1] === 0 && starts[i] === times[i - 1]) since[i] = since[i - 1]!;
  }
  return since;
}
