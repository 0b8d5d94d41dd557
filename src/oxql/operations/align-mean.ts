import type { AlignedValues, AlignInput } from "./align.ts";
import { shareOut } from "./interval-shares.ts";
import type { Windows } from "./windows.ts";

/**
 * `mean_within`: of a gauge, the mean of the present samples in the window. Of deltas, upstream's average delta per sample: the shares
 * of all intervals that reach into the window, divided by the number of present samples in it, at least 1.
 */
export function meanWithin(input: AlignInput, windows: Windows, count: number): AlignedValues {
  return input.starts === null ? meanOfSamples(input, windows, count) : meanOfDeltas(input, input.starts, windows, count);
}

function meanOfSamples({ times, values, present }: AlignInput, windows: Windows, count: number): AlignedValues {
  const sums = new Float64Array(count);
  const samples = new Float64Array(count);
  for (let i = 0; i < values.length; i++) {
    if (times[i]! > 0 || (present !== null && present[i] === 0)) continue;
    const window = count - 1 - windows.numberAt(times[i]!);
    sums[window]! += values[i]!;
    samples[window]! += 1;
  }
  const found = new Uint8Array(count);
  for (let window = 0; window < count; window++) {
    if (samples[window] === 0) continue;
    found[window] = 1;
    sums[window]! /= samples[window]!;
  }
  return { values: sums, present: found };
}

function meanOfDeltas(
  { times, values, present, samples }: AlignInput,
  starts: Float64Array,
  windows: Windows,
  count: number,
): AlignedValues {
  const { sums, ended, touched } = shareOut(windows, count, starts, times, values, present, samples);
  for (let window = 0; window < count; window++) sums[window]! /= Math.max(1, ended[window]!);
  return { values: sums, present: touched };
}
