import type { Windows } from "./windows.ts";

/** What the intervals of one delta column give to each window, oldest window first. */
export interface IntervalShares {
  /** Sum of value × (time of the interval inside the window ÷ its whole time). */
  readonly sums: Float64Array;
  /** Nanoseconds of the window that intervals with a value cover. */
  readonly coveredNs: Float64Array;
  /** Samples with a value inside the window, where their intervals end. */
  readonly ended: Float64Array;
  /** 1 where any interval with a value lies in the window, if only in part. */
  readonly touched: Uint8Array;
}

/**
 * Spreads deltas evenly over their intervals and adds up what falls into each of the newest `count` windows. An interval without
 * length (a counter first seen as it began) lies whole in the window of its timestamp. `samples` says how many samples each interval ends
 * with, where it stands for several in one window.
 */
export function shareOut(
  windows: Windows,
  count: number,
  starts: Float64Array,
  ends: Float64Array,
  values: Float64Array,
  present: Uint8Array | null,
  samples?: Float64Array,
): IntervalShares {
  const sums = new Float64Array(count);
  const coveredNs = new Float64Array(count);
  const ended = new Float64Array(count);
  const touched = new Uint8Array(count);
  const { periodNs } = windows;
  for (let i = 0; i < values.length; i++) {
    if (present !== null && present[i] === 0) continue;
    const end = ends[i]!;
    const start = Math.min(starts[i]!, end);
    const value = values[i]!;
    const length = end - start;
    let number = end > 0 ? 0 : windows.numberAt(end);
    if (end <= 0 && number < count) {
      ended[count - 1 - number]! += samples === undefined ? 1 : samples[i]!;
      if (length === 0) {
        sums[count - 1 - number]! += value;
        touched[count - 1 - number] = 1;
      }
    }
    for (; length > 0 && number < count; number++) {
      const windowEnd = -number * periodNs;
      if (windowEnd <= start) break;
      const overlap = Math.min(end, windowEnd) - Math.max(start, windowEnd - periodNs);
      const window = count - 1 - number;
      sums[window]! += value * (overlap / length);
      coveredNs[window]! += overlap;
      touched[window] = 1;
    }
  }
  return { sums, coveredNs, ended, touched };
}
