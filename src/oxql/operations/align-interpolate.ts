import type { AlignedValues, AlignInput } from "./align.ts";
import type { Windows } from "./windows.ts";

/**
 * `interpolate`: the value at each window's end, on the straight line between the present samples on either side of it. Nothing is
 * made up before the first or after the last present sample.
 */
export function interpolate({ times, values, present }: AlignInput, windows: Windows, count: number): AlignedValues {
  const result = new Float64Array(count);
  const found = new Uint8Array(count);
  let before = -1;
  let after = nextPresent(present, 0, times.length);
  for (let window = 0; window < count; window++) {
    const at = -(count - 1 - window) * windows.periodNs;
    while (after < times.length && times[after]! < at) {
      before = after;
      after = nextPresent(present, after + 1, times.length);
    }
    if (after === times.length) break;
    if (times[after] !== at && before === -1) continue;
    found[window] = 1;
    result[window] = times[after] === at ? values[after]! : between(times, values, before, after, at);
  }
  return { values: result, present: found };
}

function between(times: Float64Array, values: Float64Array, before: number, after: number, at: number): number {
  const share = (at - times[before]!) / (times[after]! - times[before]!);
  return values[before]! * (1 - share) + values[after]! * share;
}

function nextPresent(present: Uint8Array | null, from: number, end: number): number {
  let row = from;
  while (present !== null && row < end && present[row] === 0) row += 1;
  return row;
}
