import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Table } from "../../src/oxql/index.ts";
import { DAY_NS, doubles, integers, listed, onlyColumn, run, SECOND_NS } from "./tables.ts";

const MS = 1_000_000n;

/** Rising offsets in milliseconds, with a value or none. */
const samples = fc.array(
  fc.record({ ms: fc.integer({ min: 1, max: 3_000 }), value: fc.option(fc.integer({ min: -99, max: 99 }), { nil: null }) }),
  { minLength: 1, maxLength: 25 },
);

describe("mean_within is what its definition says, window by window", () => {
  test("of gauges", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 40, max: 5_000 }), fc.integer({ min: -2_000, max: 4_000 }), (rows, periodMs, endAfterMs) => {
        const times: bigint[] = [];
        for (const { ms } of rows) times.push((times.at(-1) ?? DAY_NS) + BigInt(ms) * MS);
        const endTimeNs = times.at(-1)! + BigInt(endAfterMs) * MS;
        const periodNs = BigInt(periodMs) * MS;
        const table: Table = {
          name: "a:b",
          timeseries: [
            {
              fields: [],
              points: {
                startTimesNs: null,
                timestampsNs: BigInt64Array.from(times),
                dimensions: [{ metricType: "gauge", values: doubles(rows.map(({ value }) => value)) }],
              },
              alignment: null,
            },
          ],
        };
        const wanted: [bigint, number | null][] = [];
        for (let end = endTimeNs; end >= times[0]!; end -= periodNs) {
          const within = rows
            .filter(({ value }, row) => value !== null && times[row]! > end - periodNs && times[row]! <= end)
            .map(({ value }) => value!);
          wanted.unshift([end, within.length === 0 ? null : within.reduce((a, b) => a + b) / within.length]);
        }
        const result = run(`align mean_within(${periodMs}ms)`, [table], { endTimeNs });
        const { points, alignment } = result[0]!.timeseries[0]!;
        expect([...points.timestampsNs]).toEqual(wanted.map(([end]) => end));
        expect(listed(onlyColumn(result))).toEqual(wanted.map(([, value]) => value));
        expect(alignment).toEqual({ endTimeNs, periodNs });
      }),
    );
  });

  test("of deltas", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 40, max: 5_000 }), fc.integer({ min: -2_000, max: 4_000 }), (rows, periodMs, endAfterMs) => {
        const bounds = [DAY_NS];
        for (const { ms } of rows) bounds.push(bounds.at(-1)! + BigInt(ms) * MS);
        const [starts, times] = [bounds.slice(0, -1), bounds.slice(1)];
        const endTimeNs = times.at(-1)! + BigInt(endAfterMs) * MS;
        const periodNs = BigInt(periodMs) * MS;
        const column = integers(rows.map(({ value }) => (value === null ? null : BigInt(value))));
        const points = {
          startTimesNs: BigInt64Array.from(starts),
          timestampsNs: BigInt64Array.from(times),
          dimensions: [{ metricType: "delta" as const, values: column }],
        };
        const wanted: (number | null)[] = [];
        for (let end = endTimeNs; end >= times[0]!; end -= periodNs) {
          const [from, to] = [end - periodNs, end];
          let [sum, touched, ended] = [0, false, 0];
          for (const [row, { value }] of rows.entries()) {
            if (value === null) continue;
            const [low, high] = [starts[row]! > from ? starts[row]! : from, times[row]! < to ? times[row]! : to];
            if (times[row]! > from && times[row]! <= to) ended += 1;
            if (high <= low) continue;
            touched = true;
            sum += value * (Number(high - low) / Number(times[row]! - starts[row]!));
          }
          wanted.unshift(touched ? sum / Math.max(1, ended) : null);
        }
        const got = listed(
          onlyColumn(
            run(`align mean_within(${periodMs}ms)`, [{ name: "a:b", timeseries: [{ fields: [], points, alignment: null }] }], {
              endTimeNs,
            }),
          ),
        );
        expect(got.map((value) => value === null)).toEqual(wanted.map((value) => value === null));
        for (const [row, value] of wanted.entries()) expect(got[row] ?? 0).toBeCloseTo(value ?? 0, 9);
      }),
    );
  });
});

describe("windows far from the samples", () => {
  const gauge = (times: readonly bigint[]): Table => ({
    name: "a:b",
    timeseries: [
      {
        fields: [],
        points: {
          startTimesNs: null,
          timestampsNs: BigInt64Array.from(times),
          dimensions: [{ metricType: "gauge", values: doubles(times.map((_, index) => index + 1)) }],
        },
        alignment: null,
      },
    ],
  });

  test("a window of a year and more takes in what is on its closed end only", () => {
    const year = 365n * 86_400n * SECOND_NS;
    const table = gauge([DAY_NS, DAY_NS + year, DAY_NS + 2n * year]);
    const result = run("align mean_within(1Y)", [table], { endTimeNs: DAY_NS + 2n * year });
    expect(listed(onlyColumn(result))).toEqual([1, 2, 3]);
  });

  test("each nanosecond counts at a window's end", () => {
    const table = gauge([DAY_NS + 1n, DAY_NS + 1_000n * SECOND_NS, DAY_NS + 1_000n * SECOND_NS + 1n]);
    const endTimeNs = DAY_NS + 90n * 86_400n * SECOND_NS;
    const values = listed(onlyColumn(run("align mean_within(1000s)", [table], { endTimeNs })));
    expect(values.slice(0, 3)).toEqual([1.5, 3, null]);
  });

  test("an end outside the times that samples can have is refused", () => {
    expect(() => run("align mean_within(1s)", [gauge([DAY_NS])], { endTimeNs: 1n << 64n })).toThrow(/1678 to 2262/);
  });

  test("samples that fall back are refused", () => {
    expect(() => run("align mean_within(1s)", [gauge([DAY_NS + 5n, DAY_NS])])).toThrow(/fall back/);
  });
});
