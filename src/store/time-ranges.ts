import { ZonemeterError } from "../core/index.ts";
import type { Comparison } from "../oxql/index.ts";

/** Times from `fromNs` to `toNs`, both included. */
export interface TimeRange {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

export const EARLIEST = -(1n << 63n);
export const LATEST = (1n << 63n) - 1n;

/** Every time. */
export const ALL_TIMES: readonly TimeRange[] = [{ fromNs: EARLIEST, toNs: LATEST }];

/** Where all comparisons on `timestamp` hold: disjoint ranges in rising order, none if they never do. */
export function rangesOf(times: readonly Comparison[]): readonly TimeRange[] {
  let ranges = ALL_TIMES;
  for (const { operator, literal } of times) {
    if (literal.type !== "timestamp") throw new ZonemeterError("internal", `a ${literal.type} was given as a time`);
    const at = literal.valueNs;
    switch (operator) {
      case "<":
        ranges = within(ranges, EARLIEST, at - 1n);
        break;
      case "<=":
        ranges = within(ranges, EARLIEST, at);
        break;
      case ">":
        ranges = within(ranges, at + 1n, LATEST);
        break;
      case ">=":
        ranges = within(ranges, at, LATEST);
        break;
      case "==":
        ranges = within(ranges, at, at);
        break;
      case "!=":
        ranges = [...within(ranges, EARLIEST, at - 1n), ...within(ranges, at + 1n, LATEST)];
        break;
      default:
        throw new ZonemeterError("internal", `times have no operator ${operator}`);
    }
  }
  return ranges;
}

/** Times in any of the ranges, disjoint and in rising order; ranges that touch become one. */
export function union(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const sorted = ranges.toSorted((a, b) => (a.fromNs < b.fromNs ? -1 : a.fromNs > b.fromNs ? 1 : 0));
  const joined: { fromNs: bigint; toNs: bigint }[] = [];
  for (const { fromNs, toNs } of sorted) {
    const last = joined.at(-1);
    if (last === undefined || fromNs > last.toNs + 1n) joined.push({ fromNs, toNs });
    else if (toNs > last.toNs) last.toNs = toNs;
  }
  return joined;
}

/** What of the ranges lies between two times, both included. */
export function within(ranges: readonly TimeRange[], fromNs: bigint, toNs: bigint): TimeRange[] {
  const cut: TimeRange[] = [];
  for (const range of ranges) {
    const from = range.fromNs > fromNs ? range.fromNs : fromNs;
    const to = range.toNs < toNs ? range.toNs : toNs;
    if (from <= to) cut.push({ fromNs: from, toNs: to });
  }
  return cut;
}
