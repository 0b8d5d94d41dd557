import fc from "fast-check";
import { expect, test } from "vitest";
import type { DatumType } from "../../src/core/index.ts";
import { ValueBlocks } from "../../src/producer/packed-values.ts";
import type { SampleValues, Series } from "../../src/producer/sample-group.ts";

const TYPES: Readonly<Partial<Record<DatumType, fc.Arbitrary<bigint | number>>>> = {
  u8: fc.bigInt({ min: 0n, max: 2n ** 8n - 1n }),
  i8: fc.bigInt({ min: -(2n ** 7n), max: 2n ** 7n - 1n }),
  u64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  i64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  cumulative_u64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  cumulative_i64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  f64: fc.double(),
  cumulative_f64: fc.double(),
};

const value = fc.oneof(...Object.entries(TYPES).map(([type, values]) => values.map((each) => ({ type: type as DatumType, value: each }))));

const seriesOf = (datumType: DatumType): Series => ({
  timeseriesName: "a:b",
  timeseriesVersion: 1,
  metric: { name: "b", fields: [] },
  datumType,
});

test("values come back as they were stored, in whole and in parts, over many blocks", () => {
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 40 }), { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (groups, times) => {
      const blocks = new ValueBlocks();
      const stored: [SampleValues, (bigint | number)[]][] = [];
      for (let i = 0; i < times; i++) {
        for (const group of groups) {
          const values = group.map((each) => each.value);
          stored.push([
            blocks.store(
              group.map(({ type }) => seriesOf(type)),
              values,
            ),
            values,
          ]);
        }
      }
      for (const [packed, values] of stored) {
        expect(packed).toHaveLength(values.length);
        expect([...packed]).toEqual(values);
        const cut = values.length >> 1;
        expect([...packed.slice(0, cut), ...packed.slice(cut)]).toEqual(values);
        expect(Array.from(packed.slice(cut).slice(1, 3))).toEqual(values.slice(cut).slice(1, 3));
        expect(packed.at(values.length)).toBeUndefined();
        expect(packed.slice(0, cut).at(cut)).toBeUndefined();
      }
    }),
  );
});

test("a group larger than a block gets one of its own", () => {
  const values = Array.from({ length: 10_000 }, (_, i) => BigInt(i));
  const blocks = new ValueBlocks();
  const u64 = values.map(() => seriesOf("u64"));
  blocks.store(u64.slice(0, 3), values.slice(0, 3));
  expect([...blocks.store(u64, values)]).toEqual(values);
});
