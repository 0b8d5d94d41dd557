import type { Reducer } from "../ast.ts";
import { toDoubles } from "../int64-words.ts";
import type { NumericColumn } from "./numeric-columns.ts";

/** A column whose entries go to slots: several members, or entries of one, may meet in a slot. */
export interface Member {
  readonly column: NumericColumn;
  /** The slot of each entry. */
  readonly slots: Uint32Array;
}

/** Whole numbers up to here are exact as doubles. */
const EXACT = 2 ** 53;

/**
 * Reduces the present entries of all members in each slot to one value; missing where there is none, 0 for `count`. `sum`, `min` and
 * `max` of integers are exact integers at any size, `count` is an integer, `mean` and the quantiles are doubles. Throws RangeError
 * where a sum leaves 64 bits. All members have the type of the first.
 */
export function reduce(reducer: Reducer, members: readonly Member[], slotCount: number): NumericColumn {
  const counts = countPresent(members, slotCount);
  if (reducer === "count") return { type: "integer", values: BigInt64Array.from(counts, BigInt), present: null };
  const present = counts.includes(0) ? Uint8Array.from(counts, (count) => (count === 0 ? 0 : 1)) : null;
  const integers = members[0]?.column.type === "integer";
  switch (reducer) {
    case "sum":
    case "min":
    case "max": {
      if (integers && !fitsDoubles(reducer, members, slotCount))
        return { type: "integer", values: reduceBigints(reducer, members, slotCount), present };
      const values = reduceDoubles(reducer, members, slotCount);
      return integers ? { type: "integer", values: BigInt64Array.from(values, BigInt), present } : { type: "double", values, present };
    }
    case "mean": {
      const values = reduceDoubles("sum", members, slotCount);
      for (let slot = 0; slot < slotCount; slot++) if (counts[slot] !== 0) values[slot]! /= counts[slot]!;
      return { type: "double", values, present };
    }
    default:
      return { type: "double", values: quantiles(QUANTILES[reducer], members, counts), present };
  }
}

const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99 };

function countPresent(members: readonly Member[], slotCount: number): Uint32Array {
  const counts = new Uint32Array(slotCount);
  for (const { column, slots } of members) {
    const { present } = column;
    for (let i = 0; i < slots.length; i++) if (present === null || present[i] !== 0) counts[slots[i]!]! += 1;
  }
  return counts;
}

/** Empty slots stay 0. */
function reduceDoubles(reducer: "sum" | "min" | "max", members: readonly Member[], slotCount: number): Float64Array {
  const values = new Float64Array(slotCount);
  const filled = new Uint8Array(slotCount);
  for (const { column, slots } of members) {
    const { present } = column;
    const own = doublesOf(column);
    for (let i = 0; i < slots.length; i++) {
      if (present !== null && present[i] === 0) continue;
      const slot = slots[i]!;
      const value = own[i]!;
      if (filled[slot] === 0) {
        filled[slot] = 1;
        values[slot] = value;
      } else if (reducer === "sum") {
        values[slot]! += value;
      } else {
        values[slot] = reducer === "min" ? Math.min(values[slot]!, value) : Math.max(values[slot]!, value);
      }
    }
  }
  return values;
}

function reduceBigints(reducer: "sum" | "min" | "max", members: readonly Member[], slotCount: number): bigint[] {
  const values: (bigint | undefined)[] = Array.from({ length: slotCount });
  for (const { column, slots } of members) {
    for (let i = 0; i < slots.length; i++) {
      if (column.present !== null && column.present[i] === 0) continue;
      const value = column.values[i] as bigint;
      const before = values[slots[i]!];
      values[slots[i]!] = before === undefined ? value : pickOrAdd(reducer, before, value);
    }
  }
  return values.map((value) => {
    // A stored u64 is kept whole; what is added up must be an i64, or a u64 that one of them could be.
    if (value !== undefined && value !== BigInt.asIntN(64, value) && value !== BigInt.asUintN(64, value))
      throw new RangeError(`the sum ${value} does not fit 64 bits`);
    return value ?? 0n;
  });
}

function pickOrAdd(reducer: "sum" | "min" | "max", a: bigint, b: bigint): bigint {
  if (reducer === "sum") return a + b;
  return a < b === (reducer === "min") ? a : b;
}

/** True where doubles give the exact integer result: no slot's magnitudes add up to a number that doubles may round. */
function fitsDoubles(reducer: "sum" | "min" | "max", members: readonly Member[], slotCount: number): boolean {
  const bounds = new Float64Array(slotCount);
  for (const { column, slots } of members) {
    const own = doublesOf(column);
    for (let i = 0; i < slots.length; i++) {
      if (column.present !== null && column.present[i] === 0) continue;
      const slot = slots[i]!;
      const size = Math.abs(own[i]!);
      bounds[slot] = reducer === "sum" ? bounds[slot]! + size : Math.max(bounds[slot]!, size);
    }
  }
  return bounds.every((bound) => bound < EXACT);
}

/** Linear between the two nearest ranks, the lowest value being rank 0. */
function quantiles(share: number, members: readonly Member[], counts: Uint32Array): Float64Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let slot = 0; slot < counts.length; slot++) starts[slot + 1] = starts[slot]! + counts[slot]!;
  const gathered = new Float64Array(starts[counts.length]!);
  const next = starts.slice();
  for (const { column, slots } of members) {
    const own = doublesOf(column);
    for (let i = 0; i < slots.length; i++) {
      if (column.present === null || column.present[i] !== 0) gathered[next[slots[i]!]!++] = own[i]!;
    }
  }
  const values = new Float64Array(counts.length);
  for (let slot = 0; slot < counts.length; slot++) {
    if (counts[slot] === 0) continue;
    const sorted = gathered.subarray(starts[slot], starts[slot + 1]).sort();
    const rank = share * (sorted.length - 1);
    const below = sorted[Math.floor(rank)]!;
    const above = sorted[Math.ceil(rank)]!;
    values[slot] = below === above ? below : below + (above - below) * (rank - Math.floor(rank));
  }
  return values;
}

/** Missing entries have any value. */
function doublesOf(column: NumericColumn): Float64Array {
  return column.type === "double" ? column.values : toDoubles(column.values);
}
