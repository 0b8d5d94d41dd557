import { firstAtOrAfter, joinRuns, mergeRuns, sliceRun, type SampleRun } from "./sample-run.ts";
import type { Series } from "./series-registry.ts";
import type { TimeRange } from "./time-ranges.ts";

/** What was read of one timeseries: samples of each incarnation in the parts of time that are covered. */
export interface ReadSamples {
  readonly runs: ReadonlyMap<Series, SampleRun>;
  /** Disjoint, in rising order. Within them no sample is missing. */
  readonly covered: readonly TimeRange[];
}

export interface Limit {
  readonly end: "first" | "last";
  readonly count: number;
}

/** Neighbouring samples `from` up to `to` of a run that are wanted. */
export interface Span {
  readonly run: SampleRun;
  readonly series: Series;
  readonly from: number;
  readonly to: number;
}

/** Samples of a gauge that are wanted: incarnations count as one. */
export function keepGauges({ runs }: ReadSamples, ranges: readonly TimeRange[], limit: Limit | null): SampleRun | null {
  const inRanges = [...runs.values()].flatMap((run) => cut(run, ranges).map(([from, to]) => sliceRun(run, from, to)));
  if (inRanges.length === 0) return null;
  const merged = mergeRuns(inRanges);
  const count = merged.timestampsNs.length;
  if (limit === null || limit.count >= count) return merged;
  return limit.end === "first" ? sliceRun(merged, 0, limit.count) : sliceRun(merged, count - limit.count, count);
}

/** Spans of a counter that are wanted, in order of start time and time. */
export function keepCounters({ runs }: ReadSamples, ranges: readonly TimeRange[], limit: Limit | null): Span[] {
  const bySeries = [...runs].sort(([a], [b]) => (a.startTimeNs < b.startTimeNs ? -1 : 1));
  const spans = bySeries.flatMap(([series, run]) => cut(run, ranges).map(([from, to]): Span => ({ run, series, from, to })));
  const count = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  return limit === null || limit.count >= count ? spans : trim(spans, limit);
}

/** Parts of a run that lie within the ranges, as numbers of samples. */
function cut(run: SampleRun, ranges: readonly TimeRange[]): [number, number][] {
  return ranges
    .map(({ fromNs, toNs }): [number, number] => [firstAtOrAfter(run, fromNs), firstAtOrAfter(run, toNs + 1n)])
    .filter(([from, to]) => from < to);
}

/** Keeps the first or last samples by time over all spans; at one time, those of the earlier or later start. */
function trim(spans: readonly Span[], { end, count }: Limit): Span[] {
  const samples = spans.flatMap(({ run, from, to }, span) =>
    Array.from({ length: to - from }, (_, i) => ({ span, at: from + i, timeNs: run.timestampsNs[from + i]! })),
  );
  samples.sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : a.span - b.span));
  const kept = end === "first" ? samples.slice(0, count) : samples.slice(-count);
  const bounds = new Map<number, [number, number]>();
  for (const { span, at } of kept) {
    const known = bounds.get(span);
    if (known === undefined) bounds.set(span, [at, at + 1]);
    else bounds.set(span, [Math.min(known[0], at), Math.max(known[1], at + 1)]);
  }
  return [...bounds].sort(([a], [b]) => a - b).map(([span, [from, to]]) => ({ ...spans[span]!, from, to }));
}

/** How the sample just before a span can be had: it was read, or it lies before a time, or there is none. */
export type Before = { readonly run: SampleRun } | { readonly beforeNs: bigint } | null;

/**
 * The sample before a span, of the same incarnation: the first difference needs it. Where the span begins a covered part, the sample must be
 * looked for before that part.
 */
export function beforeSpan({ run, series, from }: Span, covered: readonly TimeRange[]): Before {
  const timeNs = run.timestampsNs[from]!;
  const part = covered.find(({ fromNs, toNs }) => fromNs <= timeNs && timeNs <= toNs);
  if (part === undefined) return { beforeNs: timeNs };
  if (from > 0 && run.timestampsNs[from - 1]! >= part.fromNs) return { run: sliceRun(run, from - 1, from) };
  return part.fromNs <= series.startTimeNs ? null : { beforeNs: part.fromNs };
}

/** Start times, times and values of spans, each with the sample before it if there is one. A sample comes once. */
export function layOut(spans: readonly Span[], before: ReadonlyMap<Span, SampleRun>): SampleRun & { readonly startTimesNs: BigInt64Array } {
  const pieces: { readonly run: SampleRun; readonly startTimeNs: bigint }[] = [];
  let last: Span | null = null;
  for (const span of spans) {
    const { series, run, from, to } = span;
    const ahead = before.get(span);
    const lastNs = last !== null && last.series === series ? last.run.timestampsNs[last.to - 1]! : null;
    if (ahead !== undefined && (lastNs === null || ahead.timestampsNs[0]! > lastNs))
      pieces.push({ run: ahead, startTimeNs: series.startTimeNs });
    pieces.push({ run: sliceRun(run, from, to), startTimeNs: series.startTimeNs });
    last = span;
  }
  const joined = joinRuns(pieces.map((piece) => piece.run));
  const startTimesNs = new BigInt64Array(joined.timestampsNs.length);
  let at = 0;
  for (const { run, startTimeNs } of pieces) startTimesNs.fill(startTimeNs, at, (at += run.timestampsNs.length));
  return { ...joined, startTimesNs };
}
