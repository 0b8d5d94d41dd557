import { and, bucketCondition, hoursCondition, seriesCondition, timeCondition } from "./scan-conditions.ts";
import { joinRuns, mergeRuns, sliceRun, type SampleRun } from "./sample-run.ts";
import type { Scan, ScanClass } from "./scan.ts";
import type { Series } from "./series-registry.ts";
import { bucketOf, bucketStartNs } from "./time-buckets.ts";
import { within, type TimeRange } from "./time-ranges.ts";
import type { WideColumn } from "./wide-table.ts";

/** Series that are counted together: the first or last n of all of them are wanted. Units of the same `ranges` object are read together. */
export interface EdgeUnit {
  readonly series: readonly Series[];
  readonly ranges: readonly TimeRange[];
}

export interface EdgeSamples {
  /** Within the ranges, `count` or fewer at the wanted end; may hold more. */
  readonly runs: Map<Series, SampleRun>;
  /** The parts of the ranges where nothing can be missing but what lies beyond the wanted end's count. */
  readonly covered: readonly TimeRange[];
}

/** Samples that an hour is taken to have, to guess how many hours to look at first; each further look takes so many times more. */
const SAMPLES_PER_HOUR = 300;
const GROWTH = 4;

/** Looks of up to so many hours name each hour of each series, which the engine finds quickest; of those, so many fit one statement. */
const NAMED_HOURS = 16;
const NAMED_PER_CLASS = 5_000;

interface Walker {
  readonly unit: EdgeUnit;
  readonly runs: Map<Series, SampleRun>;
  /** Buckets that are left, both included. */
  first: number;
  last: number;
}

/**
 * Finds the first or last samples of many units without reading whole histories: each unit's search starts at the hour where its series are
 * known to begin or end, and goes on in growing steps as long as samples are missing.
 */
export async function walkEdges(
  scan: Scan,
  column: WideColumn,
  units: readonly EdgeUnit[],
  end: "first" | "last",
  count: number,
): Promise<EdgeSamples[]> {
  const walkers = units.map(startOf);
  for (const together of withoutSharedSeries(walkers)) await walk(scan, column, together, end, count);
  return walkers.map(({ unit, runs, first, last }) => ({ runs, covered: coveredBy(unit, end, first, last) }));
}

/** What is found is told by series alone, so units that share one, as searches before two times do, are walked one after the other. */
function withoutSharedSeries(walkers: readonly Walker[]): Walker[][] {
  const rounds: Walker[][] = [];
  const roundOf = new Map<Series, number>();
  for (const walker of walkers) {
    const round = Math.max(0, ...walker.unit.series.map((series) => (roundOf.get(series) ?? -1) + 1));
    for (const series of walker.unit.series) roundOf.set(series, round);
    (rounds[round] ??= []).push(walker);
  }
  return rounds;
}

async function walk(scan: Scan, column: WideColumn, walkers: readonly Walker[], end: "first" | "last", count: number): Promise<void> {
  let active = walkers.filter((walker) => walker.first <= walker.last);
  for (let hours = Math.max(1, Math.ceil(count / SAMPLES_PER_HOUR)); active.length > 0; hours *= GROWTH) {
    const looks: Look[] = [];
    for (const walker of active) {
      const [from, to] =
        end === "last"
          ? [Math.max(walker.first, walker.last - hours + 1), walker.last]
          : [walker.first, Math.min(walker.last, walker.first + hours - 1)];
      if (end === "last") walker.last = from - 1;
      else walker.first = to + 1;
      looks.push({ walker, from, to });
    }
    const classes = classesOf(scan, looks, hours);
    if (classes.length > 0) {
      const found = await scan.edges(column, classes, end, count);
      for (const walker of active) takeOver(walker, found, end);
    }
    active = active.filter((walker) => walker.first <= walker.last && samplesOf(walker, column.cumulative) < count);
  }
}

/** Buckets `from` to `to`, both included, of a walker's series. */
interface Look {
  readonly walker: Walker;
  readonly from: number;
  readonly to: number;
}

function classesOf(scan: Scan, looks: readonly Look[], hours: number): ScanClass[] {
  const byRanges = new Map<readonly TimeRange[], Look[]>();
  for (const look of looks) {
    const { ranges } = look.walker.unit;
    const known = byRanges.get(ranges);
    if (known === undefined) byRanges.set(ranges, [look]);
    else known.push(look);
  }
  return [...byRanges].flatMap(([ranges, ofRanges]) => {
    const time = timeCondition(ranges);
    const classes = hours <= NAMED_HOURS ? namedHours(ofRanges) : spansOfHours(scan, ofRanges);
    return classes.map(({ series, condition }) => ({ series, condition: and([time, condition]) }));
  });
}

function namedHours(looks: readonly Look[]): ScanClass[] {
  const named: [number, Series][] = [];
  for (const { walker, from, to } of looks) {
    for (const series of walker.unit.series) {
      for (let bucket = Math.max(from, series.firstBucket); bucket <= Math.min(to, series.lastBucket); bucket++)
        named.push([bucket, series]);
    }
  }
  const classes: ScanClass[] = [];
  for (let at = 0; at < named.length; at += NAMED_PER_CLASS) {
    const part = named.slice(at, at + NAMED_PER_CLASS);
    classes.push({ series: part.map(([, series]) => series), condition: hoursCondition(part) });
  }
  return classes;
}

function spansOfHours(scan: Scan, looks: readonly Look[]): ScanClass[] {
  const bySpan = new Map<string, { readonly first: number; readonly last: number; readonly series: Series[] }>();
  for (const { walker, from, to } of looks) {
    for (const series of walker.unit.series) {
      const first = Math.max(from, series.firstBucket);
      const last = Math.min(to, series.lastBucket);
      if (first > last) continue;
      const key = `${first}-${last}`;
      const known = bySpan.get(key);
      if (known === undefined) bySpan.set(key, { first, last, series: [series] });
      else known.series.push(series);
    }
  }
  return [...bySpan.values()].map(({ first, last, series }) => ({
    series,
    condition: and([bucketCondition(first, last), seriesCondition(scan.state.registry, series)]),
  }));
}

function startOf(unit: EdgeUnit): Walker {
  const known = unit.series.filter(({ firstBucket, lastBucket }) => firstBucket <= lastBucket);
  const first = known.reduce((least, { firstBucket }) => Math.min(least, firstBucket), Number.MAX_SAFE_INTEGER);
  const last = known.reduce((most, { lastBucket }) => Math.max(most, lastBucket), -1);
  const { fromNs } = unit.ranges[0]!;
  const { toNs } = unit.ranges.at(-1)!;
  return { unit, runs: new Map(), first: Math.max(first, bucketOf(fromNs)), last: Math.min(last, toNs <= 0n ? -1 : bucketOf(toNs)) };
}

function takeOver(walker: Walker, found: ReadonlyMap<Series, SampleRun>, end: "first" | "last"): void {
  for (const series of walker.unit.series) {
    const run = found.get(series);
    if (run === undefined) continue;
    const known = walker.runs.get(series);
    if (known === undefined) walker.runs.set(series, run);
    else walker.runs.set(series, joinRuns(end === "last" ? [run, known] : [known, run]));
  }
}

/** Counters of several incarnations are samples apart; gauges of one instant are one sample. */
function samplesOf({ runs }: Walker, cumulative: boolean): number {
  if (runs.size === 0) return 0;
  const all = [...runs.values()];
  if (!cumulative) return mergeRuns(all).timestampsNs.length;
  return all.reduce((sum, run) => sum + run.timestampsNs.length, 0);
}

function coveredBy(unit: EdgeUnit, end: "first" | "last", first: number, last: number): readonly TimeRange[] {
  const all = { from: unit.ranges[0]!.fromNs, to: unit.ranges.at(-1)!.toNs };
  // A walk that ended because nothing is left has covered everything.
  if (first > last) return unit.ranges;
  return end === "last" ? within(unit.ranges, bucketStartNs(last + 1), all.to) : within(unit.ranges, all.from, bucketStartNs(first) - 1n);
}

/** The last of a run, as a run of one. */
export function lastOf(run: SampleRun): SampleRun {
  return sliceRun(run, run.timestampsNs.length - 1, run.timestampsNs.length);
}
