import fc from "fast-check";
import { expect, test } from "vitest";
import { offsetsFrom, putWhole, sameWords, signedDifference, toDoubles, unsignedDifference, wordsOf } from "../../src/oxql/int64-words.ts";

const i64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const near = fc.bigInt({ min: -(1n << 53n), max: 1n << 53n });

test("signed differences are those of bigints, correctly rounded", () => {
  fc.assert(
    fc.property(i64, fc.oneof(i64, near), (a, b) => {
      const [left, right] = [BigInt64Array.of(0n, a), BigInt64Array.of(b)];
      expect(signedDifference(wordsOf(left), 1, wordsOf(right), 0)).toBe(Number(a - b));
      expect(sameWords(wordsOf(left), 1, wordsOf(right), 0)).toBe(a === b);
    }),
  );
});

test("unsigned differences likewise", () => {
  fc.assert(
    fc.property(u64, u64, (a, b) => {
      expect(unsignedDifference(wordsOf(BigUint64Array.of(a)), 0, wordsOf(BigUint64Array.of(b)), 0)).toBe(Number(a - b));
    }),
  );
});

test("a whole number is written with all its digits", () => {
  fc.assert(
    fc.property(near, (value) => {
      const column = new BigInt64Array(2);
      putWhole(wordsOf(column), 1, Number(value));
      expect(column[1]).toBe(value);
    }),
  );
});

test("columns become doubles, also parts of a larger array and plain bigints", () => {
  fc.assert(
    fc.property(fc.array(i64), fc.array(u64), (signed, unsigned) => {
      const part = BigInt64Array.from([1n, ...signed]).subarray(1);
      expect([...toDoubles(part)]).toEqual(signed.map(Number));
      expect([...toDoubles(BigUint64Array.from(unsigned))]).toEqual(unsigned.map(Number));
      expect([...toDoubles(unsigned)]).toEqual(unsigned.map(Number));
    }),
  );
});

test("offsets keep order and equality over the whole range of times", () => {
  fc.assert(
    fc.property(i64, fc.array(i64), (base, times) => {
      expect([...offsetsFrom(base, BigInt64Array.from(times))]).toEqual(times.map((time) => Number(time - base)));
    }),
  );
});
