/**
 * 64-bit columns read as pairs of 32-bit words. Every read of a BigInt64Array makes a bigint on the heap, which would be most of the
 * time of any operation on a long column; differences and comparisons need none.
 */

/** What time columns and most integer columns are. */
export type Int64Column = BigInt64Array | BigUint64Array;

const LOW = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;
const HIGH = 1 - LOW;
const WORD = 2 ** 32;

/** The words of a column: element `i` is at `2i` and `2i + 1`. The memory is shared. */
export function wordsOf(column: Int64Column): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, 2 * column.length);
}

/** True where `a[i]` and `b[j]` are the same 64 bits. */
export function sameWords(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  return a[2 * i] === b[2 * j] && a[2 * i + 1] === b[2 * j + 1];
}

/** `a[i] - b[j]` of two signed columns as a double: exact within ±2^53, else correctly rounded; the sign is always right. */
export function signedDifference(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  return ((a[2 * i + HIGH]! | 0) - (b[2 * j + HIGH]! | 0)) * WORD + (a[2 * i + LOW]! - b[2 * j + LOW]!);
}

/** Like `signedDifference` for unsigned columns. */
export function unsignedDifference(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  return (a[2 * i + HIGH]! - b[2 * j + HIGH]!) * WORD + (a[2 * i + LOW]! - b[2 * j + LOW]!);
}

/** Writes a whole number within ±2^53 into element `i` of a signed column. */
export function putWhole(words: Uint32Array, i: number, value: number): void {
  const high = Math.floor(value / WORD);
  words[2 * i + HIGH] = high;
  words[2 * i + LOW] = value - high * WORD;
}

/** Writes `base[0] + offset` into element `i`, the offset being whole, from 0 to 2^53. */
export function putSum(words: Uint32Array, i: number, base: Uint32Array, offset: number): void {
  const low = base[LOW]! + offset;
  words[2 * i + LOW] = low % WORD;
  words[2 * i + HIGH] = base[HIGH]! + Math.floor(low / WORD);
}

/**
 * Nanoseconds from `baseNs` to each of `timesNs`, as doubles: exact within 104 days of the base, beyond it correctly rounded, so equal
 * times stay equal and order is kept.
 */
export function offsetsFrom(baseNs: bigint, timesNs: BigInt64Array): Float64Array {
  const words = wordsOf(timesNs);
  const base = wordsOf(BigInt64Array.of(baseNs));
  const offsets = new Float64Array(timesNs.length);
  for (let i = 0; i < offsets.length; i++) offsets[i] = signedDifference(words, i, base, 0);
  return offsets;
}

/** Integers as doubles, each correctly rounded. */
export function toDoubles(values: ArrayLike<bigint>): Float64Array {
  const doubles = new Float64Array(values.length);
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const words = wordsOf(values);
    const signed = values instanceof BigInt64Array;
    for (let i = 0; i < doubles.length; i++) {
      const high = words[2 * i + HIGH]!;
      doubles[i] = (signed ? high | 0 : high) * WORD + words[2 * i + LOW]!;
    }
  } else {
    for (let i = 0; i < doubles.length; i++) doubles[i] = Number(values[i]!);
  }
  return doubles;
}
