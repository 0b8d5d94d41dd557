import { STORE_STATEMENT_CLASSES, STORE_STATEMENT_KEYS, type FieldSet } from "../core/index.ts";
import { integerLiteral, timestampLiteral } from "./literal.ts";
import type { NarrowRow } from "./narrow-rows.ts";
import type { NarrowSeries } from "./narrow-series.ts";
import { and, or } from "./scan-conditions.ts";
import type { CheckedAlternative } from "./selection-plan.ts";
import { LATEST_NS } from "./time-buckets.ts";
import { ALL_TIMES, EARLIEST, LATEST, union, type TimeRange } from "./time-ranges.ts";

/** Series that are wanted at the same times. */
export interface Wanted {
  readonly series: readonly NarrowSeries[];
  readonly ranges: readonly TimeRange[];
}

/** The first sample kept of one incarnation within one range: the one before it is looked for. */
export interface Search {
  readonly key: bigint;
  readonly startTimeNs: bigint;
  readonly beforeNs: bigint;
  readonly found: NarrowRow[];
}

/** Series by the times at which any alternative wants them. */
export function wantedOf(all: readonly NarrowSeries[], alternatives: readonly CheckedAlternative[]): Wanted[] {
  const classes = new Map<string, { readonly series: NarrowSeries[]; readonly ranges: readonly TimeRange[] }>();
  for (const series of all) {
    const ranges = rangesFor(series.fields, alternatives);
    if (ranges.length === 0) continue;
    const id = ranges.map(({ fromNs, toNs }) => `${fromNs}-${toNs}`).join();
    const known = classes.get(id);
    if (known === undefined) classes.set(id, { series: [series], ranges });
    else known.series.push(series);
  }
  return [...classes.values()];
}

/** When samples with these fields are wanted. */
export function rangesFor(fields: FieldSet, alternatives: readonly CheckedAlternative[]): readonly TimeRange[] {
  if (alternatives.length === 0) return ALL_TIMES;
  const holding = alternatives.filter(({ tests }) =>
    tests.every(({ name, test }) => test(fields.find((field) => field.name === name)!.value)),
  );
  return union(holding.flatMap((alternative) => alternative.ranges));
}

export function keyCondition(keys: readonly bigint[]): string {
  return `timeseries_key IN (${keys.map(integerLiteral).join(", ")})`;
}

export function timesCondition(ranges: readonly TimeRange[]): string | null {
  const conditions = ranges.map(({ fromNs, toNs }) =>
    and([
      fromNs === EARLIEST ? null : `timestamp >= ${timestampLiteral(fromNs < 0n ? 0n : fromNs)}`,
      toNs === LATEST || toNs >= LATEST_NS ? null : `timestamp <= ${timestampLiteral(toNs)}`,
    ]),
  );
  return conditions.includes("1") ? null : or(conditions);
}

/** Searches that one statement can serve: each incarnation once, and few different times. */
export function* rounds(searches: readonly Search[], id: (search: Search) => string): Generator<readonly Search[]> {
  let left = searches;
  while (left.length > 0) {
    const round = new Map<string, Search>();
    const times = new Set<bigint>();
    const later: Search[] = [];
    for (const search of left) {
      const fits = round.size < STORE_STATEMENT_KEYS && (times.has(search.beforeNs) || times.size < STORE_STATEMENT_CLASSES);
      if (!fits || round.has(id(search))) later.push(search);
      else {
        round.set(id(search), search);
        times.add(search.beforeNs);
      }
    }
    yield [...round.values()];
    left = later;
  }
}

export function searchCondition(round: readonly Search[]): string {
  const byTime = new Map<bigint, Search[]>();
  for (const search of round) {
    const known = byTime.get(search.beforeNs);
    if (known === undefined) byTime.set(search.beforeNs, [search]);
    else known.push(search);
  }
  return or(
    [...byTime].map(([beforeNs, group]) => {
      const incarnations = group.map(({ key, startTimeNs }) => `(${integerLiteral(key)}, ${timestampLiteral(startTimeNs)})`);
      return `timestamp < ${timestampLiteral(beforeNs < 0n ? 0n : beforeNs)} AND ${keyCondition(group.map(({ key }) => key))} AND (timeseries_key, start_time) IN (${incarnations.join(", ")})`;
    }),
  );
}
