import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pointsOf, type Column, type Distribution, type SelectedSeries } from "../../src/oxql/index.ts";
import { DAY_NS, integers, listed, SECOND_NS, stringFields } from "./tables.ts";

/** Rows a second apart; a new incarnation begins half a second before each row whose number is in `restarts`. */
function seriesOf(values: Column, restarts: readonly number[] = []): SelectedSeries {
  const { length } = values.values;
  const timestampsNs = BigInt64Array.from({ length }, (_, row) => DAY_NS + BigInt(row + 1) * SECOND_NS);
  let start = DAY_NS;
  const startTimesNs = BigInt64Array.from(
    { length },
    (_, row) => (start = restarts.includes(row) ? timestampsNs[row]! - SECOND_NS / 2n : start),
  );
  return { fields: stringFields({ site: "east" }), startTimesNs, timestampsNs, values };
}

function deltas(series: SelectedSeries): unknown[] {
  return listed(pointsOf(series, "a:b").dimensions[0]!.values);
}

describe("integer deltas", () => {
  test("add up to what is stored, at any size, kind of column, with restarts and missing samples", () => {
    const value = fc.oneof(
      fc.bigInt({ min: 0n, max: 100n }),
      fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }),
      fc.bigInt({ min: 1n << 63n, max: (1n << 64n) - 1n }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.option(value, { nil: null }), fc.boolean()), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        (rows, plain) => {
          const values = rows.map(([stored]) => stored);
          const restarts = rows.flatMap(([, restarted], row) => (restarted && row > 0 ? [row] : []));
          const column = integers(values);
          const given: Column = plain ? ({ ...column, values: values.map((each) => each ?? 0n) } as Column) : column;
          let last: bigint | null = null;
          let fits = true;
          const wanted = values.map((stored, row) => {
            if (restarts.includes(row)) last = null;
            if (stored === null) return null;
            const added: bigint = last === null ? stored : stored - last;
            if (last !== null) fits &&= added === BigInt.asIntN(64, added);
            last = stored;
            return added;
          });
          if (fits) expect(deltas(seriesOf(given, restarts))).toEqual(wanted);
          else expect(() => deltas(seriesOf(given, restarts))).toThrow(/does not fit a 64-bit integer/);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("the largest unsigned value of a gauge is kept digit for digit", () => {
    const gauge = { ...seriesOf(integers([(1n << 64n) - 1n])), startTimesNs: null };
    expect(deltas(gauge)).toEqual([18446744073709551615n]);
    expect(() => pointsOf(gauge, "a:b", "upstream")).toThrow(/18446744073709551615/);
  });

  test("the input is left as it was", () => {
    const values = BigInt64Array.of(5n, 9n);
    deltas(seriesOf({ type: "integer", values, present: null }));
    expect([...values]).toEqual([5n, 9n]);
  });
});

describe("intervals", () => {
  test("reach from sample to sample, and from the start where there is none before", () => {
    const { startTimesNs, timestampsNs } = pointsOf(seriesOf(integers([1n, 2n, 3n, 4n]), [2]), "a:b");
    const at = (seconds: number): bigint => DAY_NS + BigInt(seconds * 1000) * 1_000_000n;
    expect([...startTimesNs!]).toEqual([at(0), at(1), at(2.5), at(3)]);
    expect([...timestampsNs]).toEqual([at(1), at(2), at(3), at(4)]);
  });

  test.each([
    ["a repeated timestamp", [0n, 0n], [1n, 1n]],
    ["a falling timestamp", [0n, 0n], [2n, 1n]],
    ["a start before the last sample", [0n, 1n], [2n, 3n]],
    ["a restart without a later sample", [0n, 2n], [2n, 2n]],
  ])("%s is refused by name", (_title, starts, stamps) => {
    const times = (seconds: readonly bigint[]): BigInt64Array => BigInt64Array.from(seconds, (each) => DAY_NS + each * SECOND_NS);
    const series = { ...seriesOf(integers([1n, 2n])), startTimesNs: times(starts), timestampsNs: times(stamps) };
    expect(() => pointsOf(series, "meter:litres")).toThrow(/meter:litres \{site: "east"\} overlaps in time/);
  });
});

describe("histograms", () => {
  const histogram = (counts: readonly bigint[], sum: bigint, extra: Partial<Distribution<bigint>> = {}): Distribution<bigint> => ({
    bins: [0n, 10n, 100n],
    counts,
    min: 1n,
    max: 99n,
    sumOfSamples: sum,
    squaredMean: 4,
    p50: 5,
    p90: 9,
    p99: 9.9,
    ...extra,
  });
  const column = (values: (Distribution<bigint> | null)[]): Column => ({
    type: "integer_distribution",
    values,
    present: Uint8Array.from(values, (value) => (value === null ? 0 : 1)),
  });

  test("counts and sums subtract, what cannot be told is null", () => {
    const first = histogram([1n, 1n, 0n], 30n);
    expect(deltas(seriesOf(column([first, null, histogram([1n, 4n, 1n], 180n)])))).toEqual([
      first,
      null,
      histogram([0n, 3n, 1n], 150n, { min: null, max: null, squaredMean: 225, p50: null, p90: null, p99: null }),
    ]);
  });

  test("a histogram without samples has the mean 0", () => {
    const [, second] = deltas(seriesOf(column([histogram([0n, 0n, 0n], 0n), histogram([2n, 0n, 0n], 6n)]))) as Distribution<bigint>[];
    expect(second!.squaredMean).toBe(9);
  });

  test("a restart keeps the histogram as it is stored", () => {
    const second = histogram([1n, 0n, 0n], 3n);
    expect(deltas(seriesOf(column([histogram([5n, 5n, 5n], 500n), second]), [1]))[1]).toBe(second);
  });

  test.each([
    ["delta_bins", histogram([1n, 1n, 1n], 3n, { bins: [0n, 10n, 101n] })],
    ["delta_bins", histogram([1n, 1n], 3n, { bins: [0n, 10n] })],
    ["delta_underflow", histogram([1n, 0n, 5n], 3n)],
  ])("%s", (kind, second) => {
    expect(() => deltas(seriesOf(column([histogram([1n, 1n, 1n], 3n), second])))).toThrow(expect.objectContaining({ kind }));
  });

  test("a sum of samples that no integer holds is refused", () => {
    const sums = [histogram([1n, 0n, 0n], -(1n << 63n)), histogram([2n, 0n, 0n], (1n << 63n) - 1n)];
    expect(() => deltas(seriesOf(column(sums)))).toThrow(expect.objectContaining({ kind: "overflow" }));
  });
});
