import { fieldSet, NS_PER_SECOND } from "../core/index.ts";
import type { SelectedSeries, Selection, SelectRequest } from "../oxql/index.ts";
import { lastOf, walkEdges, type EdgeUnit } from "./edge-walk.ts";
import { beforeSpan, keepCounters, keepGauges, layOut, type ReadSamples, type Span } from "./kept-samples.ts";
import type { TimeseriesDesign } from "./layout.ts";
import { resultColumn } from "./result-column.ts";
import type { SampleRun } from "./sample-run.ts";
import { and, seriesCondition, timeCondition } from "./scan-conditions.ts";
import type { Scan, ScanClass } from "./scan.ts";
import { planSelection, type PlanPart } from "./selection-plan.ts";
import type { FieldsEntry, Series } from "./series-registry.ts";
import { bucketOf } from "./time-buckets.ts";
import { EARLIEST, union, type TimeRange } from "./time-ranges.ts";
import type { WideColumn } from "./wide-table.ts";

/**
 * How far before each wanted range counters are read at once, in the hope that the sample before the range is there: it is for anything that is
 * sampled once a minute, and saves a statement.
 */
export const LOOK_BACK_NS = 120n * NS_PER_SECOND;

/** Rows of that stretch that a series may have without counting against the limit. */
const LOOK_BACK_ROWS = 120;

/** What was read of one timeseries, and what of it is wanted. */
interface Candidate {
  readonly entry: FieldsEntry;
  readonly column: WideColumn;
  readonly ranges: readonly TimeRange[];
  readonly read: ReadSamples;
}

/** Raw samples of one timeseries name: plan, read, keep what is wanted, look back. */
export async function selectSamples(scan: Scan, design: TimeseriesDesign, request: SelectRequest): Promise<Selection> {
  const candidates: Candidate[] = [];
  for (const part of planSelection(scan.state, design, request)) {
    if (request.limit === null) candidates.push(...(await readRanges(scan, part, request.lookBack)));
    else for (const column of part.columns) candidates.push(...(await readEdges(scan, column, part, request)));
  }
  const gauges: { readonly candidate: Candidate; readonly run: SampleRun }[] = [];
  const counters: { readonly candidate: Candidate; readonly spans: readonly Span[] }[] = [];
  let rows = 0;
  for (const candidate of candidates) {
    if (candidate.column.cumulative) {
      const spans = keepCounters(candidate.read, candidate.ranges, request.limit);
      if (spans.length > 0) counters.push({ candidate, spans });
      for (const { from, to } of spans) rows += to - from;
    } else {
      const run = keepGauges(candidate.read, candidate.ranges, request.limit);
      if (run !== null) gauges.push({ candidate, run });
      rows += run?.timestampsNs.length ?? 0;
    }
    scan.checkRows(rows);
  }
  const before = request.lookBack ? await lookBack(scan, counters) : new Map<Span, SampleRun>();
  const series: SelectedSeries[] = gauges.map(({ candidate, run }) => ({ ...resultSeries(candidate, run), startTimesNs: null }));
  for (const { candidate, spans } of counters) {
    const laidOut = layOut(spans, before);
    series.push({ ...resultSeries(candidate, laidOut), startTimesNs: laidOut.startTimesNs });
  }
  return { series, statements: scan.statements };
}

function resultSeries({ entry, column }: Candidate, { timestampsNs, values }: SampleRun): Omit<SelectedSeries, "startTimesNs"> {
  return { fields: fieldSet([...entry.fields, ...column.fields]), timestampsNs, values: resultColumn(column, values) };
}

async function readRanges(scan: Scan, part: PlanPart, lookBack: boolean): Promise<Candidate[]> {
  const widened = lookBack && part.columns.some((column) => column.cumulative);
  const classes: (ScanClass & { readonly ranges: readonly TimeRange[]; readonly wanted: PlanPart["classes"][number] })[] = [];
  for (const wanted of part.classes) {
    const ranges = widened
      ? union(wanted.ranges.map(({ fromNs, toNs }) => ({ fromNs: fromNs === EARLIEST ? fromNs : fromNs - LOOK_BACK_NS, toNs })))
      : wanted.ranges;
    const series = liveSeries(scan, wanted.entries, ranges);
    const condition = and([timeCondition(ranges), seriesCondition(scan.state.registry, series)]);
    if (series.length > 0) classes.push({ series, condition, ranges, wanted });
  }
  if (classes.length === 0) return [];
  const spareRows = widened ? LOOK_BACK_ROWS * classes.reduce((sum, { series }) => sum + series.length, 0) : 0;
  const byColumn = await scan.ranges(part.columns, classes, spareRows);
  return part.columns.flatMap((column, place) =>
    classes.flatMap(({ wanted, ranges }) =>
      wanted.entries.map((entry) => ({
        entry,
        column,
        ranges: wanted.ranges,
        read: { runs: runsOf(entry, byColumn[place]!), covered: ranges },
      })),
    ),
  );
}

/** Series that may have samples within the ranges; all of them where that makes the statement's condition on series needless. */
export function liveSeries(scan: Scan, entries: readonly FieldsEntry[], ranges: readonly TimeRange[]): Series[] {
  const all = entries.flatMap((entry) => [...entry.byStartTime.values()]);
  if (all.length === scan.state.registry.size) return all;
  const first = bucketOf(ranges[0]!.fromNs);
  const last = bucketOf(ranges.at(-1)!.toNs);
  return all.filter((series) => series.firstBucket <= last && series.lastBucket >= first);
}

function runsOf(entry: FieldsEntry, found: ReadonlyMap<Series, SampleRun>): Map<Series, SampleRun> {
  const runs = new Map<Series, SampleRun>();
  for (const series of entry.byStartTime.values()) {
    const run = found.get(series);
    if (run !== undefined) runs.set(series, run);
  }
  return runs;
}

async function readEdges(scan: Scan, column: WideColumn, part: PlanPart, { limit, lookBack }: SelectRequest): Promise<Candidate[]> {
  const wanted = part.classes.flatMap(({ entries, ranges }) => entries.map((entry) => ({ entry, ranges })));
  const units = wanted.map(({ entry, ranges }): EdgeUnit => ({ series: [...entry.byStartTime.values()], ranges }));
  // One more at the end, so that the sample before the wanted ones is among those read.
  const extra = lookBack && column.cumulative && limit!.end === "last" ? 1 : 0;
  const found = await walkEdges(scan, column, units, limit!.end, limit!.count + extra);
  return wanted.map(({ entry, ranges }, place) => ({ entry, column, ranges, read: found[place]! }));
}

/** The sample before each span that has one. */
async function lookBack(
  scan: Scan,
  counters: readonly { readonly candidate: Candidate; readonly spans: readonly Span[] }[],
): Promise<Map<Span, SampleRun>> {
  const found = new Map<Span, SampleRun>();
  const searches = new Map<WideColumn, { readonly span: Span; readonly unit: EdgeUnit }[]>();
  // Searches before one time share their ranges, so that one statement can serve them.
  const rangesBefore = new Map<bigint, readonly TimeRange[]>();
  for (const { candidate, spans } of counters) {
    for (const span of spans) {
      const before = beforeSpan(span, candidate.read.covered);
      if (before === null) continue;
      if ("run" in before) found.set(span, before.run);
      else {
        const { beforeNs } = before;
        const ranges = rangesBefore.get(beforeNs) ?? [{ fromNs: EARLIEST, toNs: beforeNs - 1n }];
        rangesBefore.set(beforeNs, ranges);
        const unit = { series: [span.series], ranges };
        const known = searches.get(candidate.column);
        if (known === undefined) searches.set(candidate.column, [{ span, unit }]);
        else known.push({ span, unit });
      }
    }
  }
  for (const [column, list] of searches) {
    const results = await walkEdges(
      scan,
      column,
      list.map(({ unit }) => unit),
      "last",
      1,
    );
    for (const [place, { span }] of list.entries()) {
      const run = results[place]!.runs.get(span.series);
      if (run !== undefined) found.set(span, lastOf(run));
    }
  }
  return found;
}
