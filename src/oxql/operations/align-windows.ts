import { QUERY_UPSAMPLE_FACTOR } from "../../core/index.ts";
import { signedDifference, unsignedDifference, toDoubles, wordsOf } from "../int64-words.ts";
import type { Int64Values, WindowedCounter, WindowedGauge, WindowedIncarnation } from "../window-data.ts";
import type { AlignInput } from "./align.ts";
import type { Windows } from "./windows.ts";

/** Beyond this the difference of two counts fits no i64, which the samples may tell more about. */
const I64_SPAN = 2 ** 63;

/**
 * What `align` needs of samples that were put together by window, ready for `alignInput`. Null where they contradict each other or lie too far apart:
 * `align` then says of the samples what is wrong.
 */
export function windowsInput(series: WindowedGauge | WindowedCounter, windows: Windows): AlignInput | null {
  const spans: readonly (WindowedGauge | WindowedIncarnation)[] = series.kind === "gauge" ? [series] : series.incarnations;
  if (hasGaps(spans, windows)) return null;
  return series.kind === "gauge" ? gaugeInput(series, windows) : counterInput(series, windows);
}

/** The first times of the windows in order, the first of all in front. */
export function firstTimes(series: WindowedGauge | WindowedCounter): BigInt64Array {
  return series.kind === "gauge" ? series.firstTimesNs : series.incarnations[0]!.firstTimesNs;
}

/** Within a window samples are at most a period apart, so only the gaps between windows matter. */
function hasGaps(spans: readonly (WindowedGauge | WindowedIncarnation)[], windows: Windows): boolean {
  const limit = QUERY_UPSAMPLE_FACTOR * windows.periodNs;
  let before: number | null = null;
  for (const { firstTimesNs, lastTimesNs } of spans) {
    const firsts = windows.offsets(firstTimesNs);
    const lasts = windows.offsets(lastTimesNs);
    for (let row = 0; row < firsts.length; row++) {
      if (before !== null && !(firsts[row]! > before && firsts[row]! - before <= limit)) return true;
      before = lasts[row]!;
    }
  }
  return false;
}

/** One sample for each window: its mean. */
function gaugeInput({ firstTimesNs, samples, sums }: WindowedGauge, windows: Windows): AlignInput {
  return { starts: null, times: windows.offsets(firstTimesNs), values: sums.map((sum, row) => sum / samples[row]!), present: null };
}

/** Two intervals for each window: from the sample before it to its first, and from there to its last. */
function counterInput({ incarnations }: WindowedCounter, windows: Windows): AlignInput | null {
  const count = incarnations.reduce((sum, { firstTimesNs }) => sum + firstTimesNs.length, 0);
  const [starts, times, values, samples] = Array.from({ length: 4 }, () => new Float64Array(2 * count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let at = 0;
  let lastNs: bigint | null = null;
  for (const incarnation of incarnations) {
    const { before, startTimeNs, firstTimesNs, lastTimesNs, first, last } = incarnation;
    const earliestNs = before === null ? firstTimesNs[0]! : before.timesNs[0]!;
    if (lastNs !== null && (startTimeNs < lastNs || earliestNs <= lastNs)) return null;
    lastNs = lastTimesNs.at(-1)!;
    const [firsts, lasts] = [windows.offsets(firstTimesNs), windows.offsets(lastTimesNs)];
    const [grownBetween, grownWithin] = [growthBetween(incarnation), growth(last, first)];
    if (grownBetween === null || grownWithin === null) return null;
    let since = windows.offsets(before === null ? BigInt64Array.of(startTimeNs) : before.timesNs)[0]!;
    for (let row = 0; row < firsts.length; row++) {
      starts[at] = since;
      times[at] = firsts[row]!;
      values[at] = grownBetween[row]!;
      samples[at++] = 1;
      since = lasts[row]!;
      if (since === firsts[row]) continue;
      starts[at] = firsts[row]!;
      times[at] = since;
      values[at] = grownWithin[row]!;
      samples[at++] = incarnation.samples === null ? 1 : incarnation.samples[row]! - 1;
    }
  }
  return {
    starts: starts.subarray(0, at),
    times: times.subarray(0, at),
    values: values.subarray(0, at),
    present: null,
    samples: samples.subarray(0, at),
  };
}

/** What was added between the sample before each window and its first; an incarnation's first count counts whole. */
function growthBetween({ before, first, last }: WindowedIncarnation): Float64Array | null {
  const sinceValues = first.slice();
  sinceValues.set(last.subarray(0, -1) as BigInt64Array, 1);
  if (before !== null) sinceValues[0] = before.values[0]!;
  const grown = growth(first, sinceValues);
  if (before === null && grown !== null) grown[0] = toDoubles(first.subarray(0, 1))[0]!;
  return grown;
}

function growth(to: Int64Values, from: Int64Values): Float64Array | null {
  const minus = to instanceof BigInt64Array ? signedDifference : unsignedDifference;
  const [toWords, fromWords] = [wordsOf(to), wordsOf(from)];
  const grown = new Float64Array(to.length);
  for (let row = 0; row < grown.length; row++) {
    grown[row] = minus(toWords, row, fromWords, row);
    if (Math.abs(grown[row]!) >= I64_SPAN) return null;
  }
  return grown;
}
