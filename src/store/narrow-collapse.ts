import type { SelectRequest } from "../oxql/index.ts";
import type { NarrowRow, NarrowValue } from "./narrow-rows.ts";

/** In order of (start time, timestamp), each pair once: one with a value, and of several the larger. */
export function collapse(rows: readonly NarrowRow[]): NarrowRow[] {
  const byInstant = new Map<string, NarrowRow>();
  for (const row of rows) {
    const instant = `${row.startTimeNs} ${row.timestampNs}`;
    const known = byInstant.get(instant);
    if (known === undefined || outweighs(row, known)) byInstant.set(instant, row);
  }
  return [...byInstant.values()].sort((a, b) => compare(a.startTimeNs, b.startTimeNs) || compare(a.timestampNs, b.timestampNs));
}

/** Whether a row counts rather than another of its instant. */
function outweighs(a: NarrowRow, b: NarrowRow): boolean {
  if (a.value === null || b.value === null) return b.value === null && a.value !== null;
  return weightOf(a.value) > weightOf(b.value);
}

function weightOf(value: NarrowValue): bigint | number | string | boolean {
  return typeof value === "object" ? value.counts.reduce((sum, count) => sum + count, 0n) : value;
}

/** The first or last samples by time over all incarnations. */
export function trim(rows: NarrowRow[], { count, end }: NonNullable<SelectRequest["limit"]>): NarrowRow[] {
  if (rows.length <= count) return rows;
  const byTime = rows.toSorted((a, b) => compare(a.timestampNs, b.timestampNs));
  const chosen = new Set(end === "first" ? byTime.slice(0, count) : byTime.slice(-count));
  return rows.filter((row) => chosen.has(row));
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
