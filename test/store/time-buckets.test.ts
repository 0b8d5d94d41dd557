import { expect, it } from "vitest";
import { bucketOf, bucketStartNs } from "../../src/store/time-buckets.ts";

const HOUR = 3_600_000_000_000n;

it("hours are open at their start and closed at their end", () => {
  for (const hour of [0n, 1n, 498_900n]) {
    expect(bucketOf(hour * HOUR + 1n)).toBe(Number(hour));
    expect(bucketOf((hour + 1n) * HOUR)).toBe(Number(hour));
    expect(bucketStartNs(Number(hour))).toBe(hour * HOUR + 1n);
  }
});

it("every time has an hour", () => {
  expect([-(2n ** 70n), -1n, 0n, 1n].map(bucketOf)).toEqual([0, 0, 0, 0]);
  expect(bucketOf(2n ** 90n)).toBe(4_294_967_294);
});
