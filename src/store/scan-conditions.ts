import { integerLiteral, timestampLiteral } from "./literal.ts";
import type { Series, SeriesRegistry } from "./series-registry.ts";
import { bucketOf, LATEST_NS } from "./time-buckets.ts";
import type { TimeRange } from "./time-ranges.ts";

/** Up to this many ranges of ids are written as ranges; a list of ids is looked up as a set. */
const MAX_ID_RANGES = 16;

/** SQL for rows within any of the ranges, or null where that is every row. */
export function timeCondition(ranges: readonly TimeRange[]): string | null {
  const conditions = ranges.map(rangeCondition);
  if (conditions.includes(null)) return null;
  if (conditions.length === 1) return conditions[0]!;
  // The bounds of all let the engine skip by its index without looking into the alternatives.
  const bounds = rangeCondition({ fromNs: ranges[0]!.fromNs, toNs: ranges.at(-1)!.toNs });
  return and([bounds, or(conditions as string[])]);
}

function rangeCondition({ fromNs, toNs }: TimeRange): string | null {
  const conditions: string[] = [];
  if (fromNs > 0n) conditions.push(`b >= ${bucketOf(fromNs)}`, `ts >= ${timestampLiteral(fromNs)}`);
  if (toNs < LATEST_NS) conditions.push(`b <= ${bucketOf(toNs)}`, `ts <= ${timestampLiteral(toNs < 0n ? 0n : toNs)}`);
  return conditions.length === 0 ? null : and(conditions);
}

/** SQL for rows of single hours of single series: the quickest look-up there is, as both begin the key. */
export function hoursCondition(hours: readonly (readonly [bucket: number, series: Series])[]): string {
  return `(b, sid) IN (${hours.map(([bucket, { id }]) => `(${bucket}, ${integerLiteral(id)})`).join(", ")})`;
}

/** SQL for rows of the buckets, both included. */
export function bucketCondition(first: number, last: number): string {
  return first === last ? `b = ${first}` : `b BETWEEN ${first} AND ${last}`;
}

/**
 * SQL for rows of the series, or null where they are all that is known. Few runs among all known ids become ranges, which may let rows of a
 * series through that came to be meanwhile: readers drop rows of series they did not ask for.
 */
export function seriesCondition(registry: SeriesRegistry, series: readonly Series[]): string | null {
  if (series.length === registry.size) return null;
  const ids = BigUint64Array.from(series, ({ id }) => id).sort();
  const runs = ids.length <= MAX_ID_RANGES ? null : idRuns(registry.sortedIds(), ids);
  if (runs === null) return `sid IN (${Array.from(ids, integerLiteral).join(", ")})`;
  return or(runs.map(([first, last]) => `sid BETWEEN ${integerLiteral(first)} AND ${integerLiteral(last)}`));
}

/** First and last of each run of `wanted` without a gap in `all`; null where there are too many. Both are sorted. */
function idRuns(all: BigUint64Array, wanted: BigUint64Array): [bigint, bigint][] | null {
  const runs: [bigint, bigint][] = [];
  let at = -1;
  for (const id of wanted) {
    const last = runs.at(-1);
    if (last !== undefined && all[at + 1] === id) {
      last[1] = id;
      at += 1;
      continue;
    }
    if (runs.length === MAX_ID_RANGES) return null;
    runs.push([id, id]);
    at = all.indexOf(id, at + 1);
    if (at < 0) return null;
  }
  return runs;
}

/** `a AND b`, without the conditions that always hold. */
export function and(conditions: readonly (string | null)[]): string {
  const real = conditions.filter((condition) => condition !== null);
  return real.length === 0 ? "1" : real.join(" AND ");
}

/** `(a) OR (b)` in brackets. */
export function or(conditions: readonly string[]): string {
  return conditions.length === 1 ? `(${conditions[0]!})` : `((${conditions.join(") OR (")}))`;
}
