import fc from "fast-check";
import { expect, test } from "vitest";
import { pointsOf, type SelectedSeries, type Table } from "../../src/oxql/index.ts";
import { DAY_NS, integers, listed, onlyColumn, run, SECOND_NS } from "./tables.ts";

interface Incarnation {
  /** Milliseconds between the last sample of the one before and the start. Not 0: missing samples on both sides would touch. */
  readonly pauseMs: number;
  /** Milliseconds from the sample before (or the start) to each sample, and what was added by then; null is a missing sample. */
  readonly steps: readonly { readonly ms: number; readonly added: number; readonly missing: boolean }[];
}

const counter: fc.Arbitrary<Incarnation[]> = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 1, max: 5_000 }),
    steps: fc.array(fc.record({ ms: fc.integer({ min: 1, max: 15_000 }), added: fc.nat(1_000_000), missing: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    }),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Stored rows, the spans in which the counter is known to have grown, and by how much in all. */
function storedOf(incarnations: readonly Incarnation[]): {
  series: SelectedSeries;
  spans: [bigint, bigint][];
  total: bigint;
  endNs: bigint;
} {
  const [starts, stamps, values]: [bigint[], bigint[], (bigint | null)[]] = [[], [], []];
  const spans: [bigint, bigint][] = [];
  let now = DAY_NS;
  let total = 0n;
  for (const { pauseMs, steps } of incarnations) {
    now += BigInt(pauseMs) * 1_000_000n;
    const start = now;
    let [value, seen, seenAt] = [0n, 0n, start];
    for (const { ms, added, missing } of steps) {
      now += BigInt(ms) * 1_000_000n;
      value += BigInt(added);
      starts.push(start);
      stamps.push(now);
      values.push(missing ? null : value);
      if (missing) continue;
      total += value - seen;
      spans.push([seenAt, now]);
      [seen, seenAt] = [value, now];
    }
  }
  const series = {
    fields: [],
    startTimesNs: BigInt64Array.from(starts),
    timestampsNs: BigInt64Array.from(stamps),
    values: integers(values),
  };
  return { series, spans, total, endNs: now };
}

test("rates times covered time are what the counter grew, over restarts, pauses and missing samples", () => {
  fc.assert(
    fc.property(counter, fc.integer({ min: 500, max: 20_000 }), fc.integer({ min: 0, max: 20_000 }), (incarnations, periodMs, afterMs) => {
      const { series, spans, total, endNs } = storedOf(incarnations);
      const table: Table = { name: "a:b", timeseries: [{ fields: [], points: pointsOf(series, "a:b"), alignment: null }] };
      const endTimeNs = endNs + BigInt(afterMs) * 1_000_000n;
      const periodNs = BigInt(periodMs) * 1_000_000n;
      const [tables, first] = [run(`align rate(${periodMs}ms)`, [table], { endTimeNs }), series.timestampsNs[0]!];
      const windowStarts = Array.from(tables[0]!.timeseries[0]!.points.timestampsNs, (end) => end - periodNs);
      const rates = listed(onlyColumn(tables)) as (number | null)[];
      let grown = 0;
      for (const [index, start] of windowStarts.entries()) {
        const coveredNs = spans.reduce((sum, [from, to]) => sum + overlap(from, to, start, start + periodNs), 0n);
        expect(rates[index] === null, `window ${index} has a value where any time of it is covered`).toBe(coveredNs === 0n);
        grown += ((rates[index] ?? 0) * Number(coveredNs)) / 1e9;
      }
      // Windows that end before the first sample are not made; what grew before them is spread evenly over the first span.
      const madeFrom = windowStarts[0] ?? first;
      const [from, to] = spans[0] ?? [first, first];
      const unseen = spans.length === 0 ? 0 : (Number(overlap(from, to, 0n, madeFrom)) / Number(to - from)) * firstGrowth(series);
      expect(Math.abs(grown + unseen - Number(total))).toBeLessThanOrEqual(1e-9 * Math.max(1, Number(total)));
    }),
    { numRuns: 400 },
  );
});

function overlap(from: bigint, to: bigint, start: bigint, end: bigint): bigint {
  const length = (to < end ? to : end) - (from > start ? from : start);
  return length > 0n ? length : 0n;
}

function firstGrowth({ values }: SelectedSeries): number {
  return Number(listed(values).find((value) => value !== null) ?? 0n);
}

test("a counter first seen at the instant it began counts in the window of that instant", () => {
  const at = DAY_NS + 5n * SECOND_NS;
  const series = {
    fields: [],
    startTimesNs: BigInt64Array.of(at, at),
    timestampsNs: BigInt64Array.of(at, at + 5n * SECOND_NS),
    values: integers([40n, 60n]),
  };
  const table: Table = { name: "a:b", timeseries: [{ fields: [], points: pointsOf(series, "a:b"), alignment: null }] };
  const endTimeNs = DAY_NS + 10n * SECOND_NS;
  expect(listed(onlyColumn(run("align mean_within(5s)", [table], { endTimeNs })))).toEqual([40, 20]);
  expect(listed(onlyColumn(run("align rate(10s)", [table], { endTimeNs })))).toEqual([12]);
});
