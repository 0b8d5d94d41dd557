/** Samples of one column in rising order of time, each time once. */
export interface SampleRun {
  readonly timestampsNs: BigInt64Array;
  readonly values: RunValues;
}

/** As scanned: all but text are 64 bits wide, truth values are 0 and 1. */
export type RunValues = BigUint64Array | BigInt64Array | Float64Array | readonly string[];

/** Makes a run of the rows whose numbers `order` lists, in any order of time. Of rows with one time, the larger value counts. `order` is used up. */
export function runOf(timestampsNs: BigInt64Array, values: RunValues, order: Uint32Array): SampleRun {
  const sorted = sortByTime(order, timestampsNs);
  const times = wordsOf(timestampsNs);
  let kept = 0;
  for (let i = 0; i < sorted.length; i++) {
    const row = sorted[i]!;
    if (kept > 0 && compareTimes(times, sorted[kept - 1]!, row) === 0) {
      if (values[row]! > values[sorted[kept - 1]!]!) sorted[kept - 1] = row;
    } else sorted[kept++] = row;
  }
  const rows = sorted.subarray(0, kept);
  return { timestampsNs: gather(timestampsNs, rows) as BigInt64Array, values: gather(values, rows) };
}

/** One run of several; times they share come once. */
export function mergeRuns(runs: readonly SampleRun[]): SampleRun {
  if (runs.length === 1) return runs[0]!;
  const joined = joinRuns(runs);
  return runOf(
    joined.timestampsNs,
    joined.values,
    Uint32Array.from({ length: joined.timestampsNs.length }, (_, row) => row),
  );
}

/** Runs one behind the other, as they are. There must be one at least. */
export function joinRuns(runs: readonly SampleRun[]): SampleRun {
  return {
    timestampsNs: joinValues(runs.map((run) => run.timestampsNs)) as BigInt64Array,
    values: joinValues(runs.map((run) => run.values)),
  };
}

/** Samples number `from` up to `to`, without it. Shares memory. */
export function sliceRun(run: SampleRun, from: number, to: number): SampleRun {
  const { timestampsNs, values } = run;
  return { timestampsNs: timestampsNs.subarray(from, to), values: isText(values) ? values.slice(from, to) : values.subarray(from, to) };
}

/** Number of the first sample at or after a time; the length where there is none. */
export function firstAtOrAfter(run: SampleRun, timeNs: bigint): number {
  let low = 0;
  let high = run.timestampsNs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (run.timestampsNs[middle]! < timeNs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The 32-bit words of 64-bit elements, low word first as on every platform that the engine has a build for. Reading a bigint out of an
 * array makes an object; this doesn't.
 */
export function wordsOf(values: BigUint64Array | BigInt64Array | Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
}

function isText(values: RunValues): values is readonly string[] {
  return Array.isArray(values);
}

function compareTimes(words: Uint32Array, a: number, b: number): number {
  const high = (words[2 * a + 1]! | 0) - (words[2 * b + 1]! | 0);
  return high === 0 ? words[2 * a]! - words[2 * b]! : high;
}

/** Rows come as runs that are sorted already, one for each part and hour, so runs are merged rather than rows sorted. */
function sortByTime(order: Uint32Array, timestampsNs: BigInt64Array): Uint32Array {
  const words = wordsOf(timestampsNs);
  let starts = [0];
  for (let i = 1; i < order.length; i++) if (compareTimes(words, order[i - 1]!, order[i]!) > 0) starts.push(i);
  let from = order;
  let into: Uint32Array = starts.length > 1 ? new Uint32Array(order.length) : order;
  while (starts.length > 1) {
    const merged: number[] = [];
    for (let run = 0; run < starts.length; run += 2) {
      const start = starts[run]!;
      const middle = starts[run + 1] ?? order.length;
      const end = starts[run + 2] ?? order.length;
      merged.push(start);
      for (let out = start, left = start, right = middle; out < end; out++) {
        const takeLeft = right >= end || (left < middle && compareTimes(words, from[left]!, from[right]!) <= 0);
        into[out] = takeLeft ? from[left++]! : from[right++]!;
      }
    }
    [from, into] = [into, from];
    starts = merged;
  }
  return from;
}

function gather(values: RunValues, rows: Uint32Array): RunValues {
  if (isText(values)) return Array.from(rows, (row) => values[row]!);
  const source = wordsOf(values);
  const gathered = new (values.constructor as BigInt64ArrayConstructor)(rows.length) as BigUint64Array | BigInt64Array | Float64Array;
  const target = wordsOf(gathered);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    target[2 * i] = source[2 * row]!;
    target[2 * i + 1] = source[2 * row + 1]!;
  }
  return gathered;
}

function joinValues(parts: readonly RunValues[]): RunValues {
  const first = parts[0]!;
  if (isText(first)) return parts.flatMap((part) => part as readonly string[]);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const joined = new (first.constructor as BigInt64ArrayConstructor)(length) as BigInt64Array;
  let at = 0;
  for (const part of parts) {
    joined.set(part as BigInt64Array, at);
    at += part.length;
  }
  return joined;
}
