import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { highwayHash64 } from "../../src/core/index.ts";
import { highwayHash64Oracle } from "../support/highway-hash-oracle.ts";

/** Hashes of the bytes 0, 1, …, n-1. */
const COUNTING: readonly (readonly [number, bigint])[] = [
  [0, 8085608905177384041n],
  [1, 2480429374827461071n],
  [3, 17407266889973752970n],
  [4, 14044459935436954063n],
  [8, 4420755545020601780n],
  [16, 4332827006655241737n],
  [17, 16511154719434225032n],
  [31, 6271133222778529338n],
  [32, 17222060035718959696n],
  [33, 880455938822430081n],
  [64, 12297367706895041061n],
];

describe("highwayHash64", () => {
  test.each(COUNTING)("of %i counting bytes", (n, expected) => {
    const bytes = Uint8Array.from({ length: n }, (_, i) => i);
    expect(highwayHash64(bytes)).toBe(expected);
    expect(highwayHash64Oracle(bytes)).toBe(expected);
  });

  test("agrees with the plain definition for every length of two packets, in bytes that carry", () => {
    for (let n = 0; n <= 64; n++) {
      const bytes = Uint8Array.from({ length: n }, (_, i) => 255 - ((i * 37) % 7));
      expect(highwayHash64(bytes), `length ${n}`).toBe(highwayHash64Oracle(bytes));
    }
  });

  test("agrees with the plain definition for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200, size: "max" }), (bytes) => {
        expect(highwayHash64(bytes)).toBe(highwayHash64Oracle(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test("leaves its input alone and does not depend on the call before", () => {
    const bytes = Uint8Array.from({ length: 45 }, (_, i) => i * 3);
    const before = Uint8Array.from(bytes);
    const first = highwayHash64(bytes);
    highwayHash64(new Uint8Array(77).fill(9));
    expect(highwayHash64(bytes)).toBe(first);
    expect(bytes).toEqual(before);
  });
});
