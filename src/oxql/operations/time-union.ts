import { sameWords, signedDifference, wordsOf } from "../int64-words.ts";

/** Several rising time columns laid over one another. */
export interface TimeUnion {
  /** Every time of any input once, rising. */
  readonly timesNs: BigInt64Array;
  /** For each input, where each of its times stands in `timesNs`. */
  readonly slots: readonly Uint32Array[];
}

/** The union of the inputs' times. Inputs on equal times, the usual case after an alignment, cost one comparison each. */
export function timeUnion(inputs: readonly BigInt64Array[]): TimeUnion {
  const distinct = inputs.filter((times, index) => index === 0 || !sameTimes(times, inputs[index - 1]!));
  const timesNs = distinct.length === 1 ? distinct[0]! : merged(distinct);
  let latest = { times: timesNs, slots: ownSlots(timesNs.length) };
  const slots = inputs.map((times) => {
    if (!sameTimes(times, latest.times)) latest = { times, slots: slotsIn(times, timesNs) };
    return latest.slots;
  });
  return { timesNs, slots };
}

/** True where both have the same times; columns that share their memory are not read. */
export function sameTimes(a: BigInt64Array, b: BigInt64Array): boolean {
  if (a.length !== b.length) return false;
  if (a.buffer === b.buffer && a.byteOffset === b.byteOffset) return true;
  const left = wordsOf(a);
  const right = wordsOf(b);
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

function merged(inputs: readonly BigInt64Array[]): BigInt64Array {
  const all = new BigInt64Array(inputs.reduce((length, times) => length + times.length, 0));
  let end = 0;
  for (const times of inputs) {
    all.set(times, end);
    end += times.length;
  }
  all.sort();
  const words = wordsOf(all);
  let kept = 0;
  for (let i = 0; i < all.length; i++) {
    if (i > 0 && sameWords(words, i, words, kept - 1)) continue;
    words[2 * kept] = words[2 * i]!;
    words[2 * kept + 1] = words[2 * i + 1]!;
    kept += 1;
  }
  return all.slice(0, kept);
}

function ownSlots(length: number): Uint32Array {
  const slots = new Uint32Array(length);
  for (let i = 0; i < length; i++) slots[i] = i;
  return slots;
}

function slotsIn(times: BigInt64Array, union: BigInt64Array): Uint32Array {
  const own = wordsOf(times);
  const all = wordsOf(union);
  const slots = new Uint32Array(times.length);
  for (let i = 0, slot = 0; i < slots.length; i++) {
    while (signedDifference(all, slot, own, i) < 0) slot += 1;
    slots[i] = slot;
  }
  return slots;
}
