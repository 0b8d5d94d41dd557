import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Table } from "../../src/oxql/index.ts";
import { doubles, everySecond, integers, listed, onlyColumn, run, stringFields } from "./tables.ts";

function tableOf(columns: readonly (readonly (bigint | null)[])[]): Table {
  return { name: "a:b", timeseries: columns.map((values, index) => everySecond(stringFields({ id: String(index) }), integers(values))) };
}

/** Rows of equal length, values from small to beyond what doubles hold. */
const columns = fc.integer({ min: 1, max: 12 }).chain((length) =>
  fc.array(
    fc.array(fc.option(fc.oneof(fc.bigInt({ min: -9n, max: 9n }), fc.bigInt({ min: -(1n << 58n), max: 1n << 58n })), { nil: null }), {
      minLength: length,
      maxLength: length,
    }),
    { minLength: 1, maxLength: 9 },
  ),
);

function naive(rows: readonly (readonly (bigint | null)[])[], reduce: (present: bigint[]) => bigint | null): (bigint | null)[] {
  return rows[0]!.map((_, row) => {
    const present = rows.map((values) => values[row]!).filter((value) => value !== null);
    return present.length === 0 ? null : reduce(present);
  });
}

describe("group_by of integers is exact", () => {
  test.each([
    ["sum", (values: bigint[]) => values.reduce((a, b) => a + b)],
    ["min", (values: bigint[]) => values.reduce((a, b) => (a < b ? a : b))],
    ["max", (values: bigint[]) => values.reduce((a, b) => (a > b ? a : b))],
  ])("%s", (reducer, reduce) => {
    fc.assert(
      fc.property(columns, (rows) => {
        expect(listed(onlyColumn(run(`group_by [], ${reducer}`, [tableOf(rows)])))).toEqual(naive(rows, reduce));
      }),
    );
  });

  test("count", () => {
    fc.assert(
      fc.property(columns, (rows) => {
        const counts = naive(rows, (values) => BigInt(values.length)).map((count) => count ?? 0n);
        expect(listed(onlyColumn(run("group_by [], count", [tableOf(rows)])))).toEqual(counts);
      }),
    );
  });

  test("one value beyond the signed range stays as it is", () => {
    const result = onlyColumn(run("group_by [], max", [tableOf([[(1n << 64n) - 1n], [5n]])]));
    expect(listed(result)).toEqual([(1n << 64n) - 1n]);
  });

  test("a sum beyond 64 bits is refused, not wrapped", () => {
    const most = (1n << 64n) - 1n;
    expect(() => run("group_by [], sum", [tableOf([[most], [most]])])).toThrow(/does not fit 64 bits/);
  });
});

describe("group_by of doubles", () => {
  test("quantiles are those of sorted values, linear between ranks", () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, fc.constantFrom(["p50", 0.5], ["p90", 0.9], ["p99", 0.99] as const), (members, [reducer, share]) => {
        const table = {
          name: "a:b",
          timeseries: members.map((value, index) => everySecond(stringFields({ id: String(index) }), doubles([value]))),
        };
        const sorted = members.toSorted((a, b) => a - b);
        const rank = Number(share) * (sorted.length - 1);
        const [below, above] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
        const wanted = below + (above - below) * (rank - Math.floor(rank));
        expect(listed(onlyColumn(run(`group_by [], ${reducer}`, [table])))[0]).toBeCloseTo(wanted, 6);
      }),
    );
  });

  test("an infinite value does not make the others vanish", () => {
    const table = {
      name: "a:b",
      timeseries: [doubles([Infinity]), doubles([1]), doubles([Infinity])].map((column, index) =>
        everySecond(stringFields({ id: String(index) }), column),
      ),
    };
    expect(listed(onlyColumn(run("group_by [], p50", [table])))).toEqual([Infinity]);
    expect(listed(onlyColumn(run("group_by [], min", [table])))).toEqual([1]);
  });
});
