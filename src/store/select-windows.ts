import { fieldSet } from "../core/index.ts";
import type { WindowedCounter, WindowedGauge, WindowedIncarnation, WindowRequest, WindowSelection } from "../oxql/index.ts";
import { walkEdges } from "./edge-walk.ts";
import type { TimeseriesDesign } from "./layout.ts";
import { integerLiteral } from "./literal.ts";
import { and, seriesCondition, timeCondition } from "./scan-conditions.ts";
import type { Scan } from "./scan.ts";
import { LOOK_BACK_NS, liveSeries } from "./select-samples.ts";
import { planSelection, type PlanClass, type PlanPart } from "./selection-plan.ts";
import type { FieldsEntry, Series } from "./series-registry.ts";
import { bucketStartNs, LAST_BUCKET, NS_PER_HOUR } from "./time-buckets.ts";
import { EARLIEST, within, type TimeRange } from "./time-ranges.ts";
import { presenceCondition, type WideColumn } from "./wide-table.ts";
import {
  counterWindows,
  decodeWindowRows,
  gaugeWindows,
  idOf,
  idStarts,
  joinWindowRows,
  type CounterWindows,
  type WindowRowSet,
} from "./window-rows.ts";
import { windowStatement } from "./window-statement.ts";

/** A question that comes to more statements than this is left to the samples, of which one statement reads them all. */
export const MAX_CLASSES = 8;

/** Samples of integers put together by window, in the engine. Null where there are other values, or ranges with holes in them. */
export async function selectWindows(scan: Scan, design: TimeseriesDesign, request: WindowRequest): Promise<WindowSelection | null> {
  const parts = planSelection(scan.state, design, { ...request, limit: null });
  if (parts.reduce((sum, { classes }) => sum + classes.length, 0) > MAX_CLASSES || !parts.every(isWindowed)) return null;
  const series: (WindowedGauge | WindowedCounter)[] = [];
  let windows = 0;
  for (const { columns, classes } of parts) {
    for (const one of classes) {
      const read = new WindowRead(scan, columns, one, request);
      series.push(...(await (columns[0]!.cumulative ? read.counters() : read.gauges())));
      windows += read.windows;
      scan.checkRows(windows);
    }
  }
  return { series, statements: scan.statements };
}

/** What a counter grew between two ranges must not look as if it had grown in them. */
export function isWindowed({ columns, classes }: PlanPart): boolean {
  const integers = columns.every(({ valueType }) => valueType.scanType.endsWith("Int64") && valueType.sqlType !== "Bool");
  return integers && (!columns[0]!.cumulative || classes.every(({ ranges }) => ranges.length === 1));
}

/** One statement for all columns of the series that are wanted at the same times. */
class WindowRead {
  windows = 0;
  readonly #scan: Scan;
  readonly #columns: readonly WideColumn[];
  readonly #class: PlanClass;
  readonly #request: WindowRequest;

  constructor(scan: Scan, columns: readonly WideColumn[], one: PlanClass, request: WindowRequest) {
    this.#scan = scan;
    this.#columns = columns;
    this.#class = one;
    this.#request = request;
  }

  async gauges(): Promise<WindowedGauge[]> {
    const { entries, ranges } = this.#class;
    const series = liveSeries(this.#scan, entries, ranges);
    if (series.length === 0) return [];
    const rows = await this.#run(series, ranges, null, representative(entries));
    const found: WindowedGauge[] = [];
    const firsts = entries.flatMap(({ byStartTime }) => [...byStartTime.values()].slice(0, 1));
    this.#eachId(rows, firsts, ({ entry }, from, to) => {
      for (const [place, column] of this.#columns.entries()) {
        const windows = gaugeWindows(rows, place, from, to);
        if (windows.samples.length === 0) continue;
        this.windows += windows.samples.length;
        found.push({ kind: "gauge", fields: fieldSet([...entry.fields, ...column.fields]), ...windows });
      }
    });
    return found;
  }

  async counters(): Promise<WindowedCounter[]> {
    const { entries } = this.#class;
    const range = this.#class.ranges[0]!;
    const lookBack = this.#request.lookBack && range.fromNs !== EARLIEST;
    const readFromNs = lookBack ? range.fromNs - LOOK_BACK_NS : range.fromNs;
    const ranges = [{ fromNs: readFromNs, toNs: range.toNs }];
    const series = liveSeries(this.#scan, entries, ranges);
    if (series.length === 0) return [];
    const rows = await this.#run(series, ranges, lookBack ? range.fromNs : null, "sid");
    const found = new Map<FieldsEntry, Map<WideColumn, Incarnation[]>>();
    this.#eachId(rows, series, (one, from, to) => {
      for (const [place, column] of this.#columns.entries()) {
        const windows = withoutBefore(counterWindows(rows, place, from, to), one, lookBack ? range.fromNs : EARLIEST);
        if (windows === null) continue;
        this.windows += windows.firstTimesNs.length;
        const ofEntry = found.get(one.entry) ?? new Map<WideColumn, Incarnation[]>();
        found.set(one.entry, ofEntry.set(column, [...(ofEntry.get(column) ?? []), windows]));
      }
    });
    if (lookBack) await this.#searchBefore(found, readFromNs);
    return [...found].flatMap(([entry, ofEntry]) =>
      [...ofEntry].map(([column, incarnations]): WindowedCounter => {
        const inOrder = incarnations.sort((a, b) => (a.startTimeNs < b.startTimeNs ? -1 : 1));
        return { kind: "counter", fields: fieldSet([...entry.fields, ...column.fields]), incarnations: inOrder };
      }),
    );
  }

  async #run(series: readonly Series[], ranges: readonly TimeRange[], fromNs: bigint | null, id: string): Promise<WindowRowSet> {
    const { state, maxRows } = this.#scan;
    const { counts, endTimeNs, periodNs } = this.#request;
    const [first] = this.#columns;
    const parts = counts || !first!.cumulative ? cutAtWindows(ranges, series, endTimeNs, periodNs) : [ranges];
    const read: WindowRowSet[] = [];
    let left = maxRows;
    for (const part of parts) {
      const condition = and([timeCondition(part), seriesCondition(state.registry, series), presenceCondition(this.#columns)]);
      // One row more for each series, for what lies before the range.
      const limit = left + 1 + series.length;
      const table = state.table.samples;
      const text = windowStatement({ table, columns: this.#columns, counts, condition, id, fromNs, endTimeNs, periodNs }, limit);
      const rows = decodeWindowRows(await this.#scan.run(text), this.#columns, counts);
      if (rows.count >= limit) this.#scan.checkRows(Number.POSITIVE_INFINITY);
      left = Math.max(0, left - rows.count + series.length);
      read.push(rows);
    }
    return joinWindowRows(read);
  }

  /** Calls `visit` for the rows of each series; those of a series that came to be after the question was planned are passed over. */
  #eachId(rows: WindowRowSet, asked: readonly Series[], visit: (series: Series, from: number, to: number) => void): void {
    const byId = new Map(asked.map((series) => [series.id, series]));
    const starts = idStarts(rows);
    for (let i = 0; i + 1 < starts.length; i++) {
      const series = byId.get(idOf(rows, starts[i]!));
      if (series !== undefined) visit(series, starts[i]!, starts[i + 1]!);
    }
  }

  /** The sample before the range, of incarnations that may have had one before what was read. */
  async #searchBefore(found: ReadonlyMap<FieldsEntry, ReadonlyMap<WideColumn, Incarnation[]>>, readFromNs: bigint): Promise<void> {
    const ranges = [{ fromNs: EARLIEST, toNs: readFromNs - 1n }];
    for (const column of this.#columns) {
      const all = [...found.values()].flatMap((ofEntry) => ofEntry.get(column) ?? []);
      const searched = all.filter(({ before, startTimeNs }) => before === null && startTimeNs < readFromNs);
      if (searched.length === 0) continue;
      const units = searched.map(({ series }) => ({ series: [series], ranges }));
      const results = await walkEdges(this.#scan, column, units, "last", 1);
      for (const [i, incarnation] of searched.entries()) {
        const run = results[i]!.runs.get(incarnation.series);
        if (run === undefined) continue;
        const timesNs = run.timestampsNs.subarray(-1);
        incarnation.before = { timesNs, values: (run.values as BigInt64Array | BigUint64Array).subarray(-1) };
      }
    }
  }
}

interface Incarnation extends WindowedIncarnation {
  readonly series: Series;
  before: WindowedIncarnation["before"];
}

/** Takes what lies before the range off; null where nothing else is there. */
function withoutBefore(windows: CounterWindows, series: Series, fromNs: bigint): Incarnation | null {
  const { firstTimesNs, lastTimesNs, first, last, samples } = windows;
  const { startTimeNs } = series;
  const from = firstTimesNs.findIndex((timeNs) => timeNs >= fromNs);
  if (from < 0) return null;
  if (from === 0) return { series, startTimeNs, before: null, ...windows };
  return {
    series,
    startTimeNs,
    before: { timesNs: lastTimesNs.slice(from - 1, from), values: last.slice(from - 1, from) },
    firstTimesNs: firstTimesNs.subarray(from),
    lastTimesNs: lastTimesNs.subarray(from),
    first: first.subarray(from),
    last: last.subarray(from),
    samples: samples?.subarray(from) ?? null,
  };
}

/** What counts samples holds each of them for a while, so a statement gets no more of them than fit the memory that it may use. */
const SAMPLES_AT_ONCE = 1_000_000;
const SAMPLES_PER_HOUR = 360;

/** Cuts ranges at the ends of windows, so that each part has about so many samples of so many series, but one window at least. */
export function cutAtWindows(
  ranges: readonly TimeRange[],
  series: readonly Series[],
  endTimeNs: bigint,
  periodNs: bigint,
): (readonly TimeRange[])[] {
  const hours = Math.max(1, Math.floor(SAMPLES_AT_ONCE / SAMPLES_PER_HOUR / series.length));
  const periods = (BigInt(hours) * NS_PER_HOUR) / periodNs;
  const stepNs = (periods > 0n ? periods : 1n) * periodNs;
  // There is nothing to cut where no samples are.
  const knownFromNs = bucketStartNs(series.reduce((least, { firstBucket }) => Math.min(least, firstBucket), LAST_BUCKET));
  const knownToNs = bucketStartNs(series.reduce((most, { lastBucket }) => Math.max(most, lastBucket), 0) + 1);
  const first = ranges[0]!.fromNs;
  const last = ranges.at(-1)!.toNs;
  const untilNs = [last, knownToNs, endTimeNs].reduce((least, timeNs) => (timeNs < least ? timeNs : least));
  const sinceNs = first > knownFromNs ? first : knownFromNs;
  const parts: (readonly TimeRange[])[] = [];
  let fromNs = first;
  const firstEndNs = endTimeNs - ((endTimeNs - sinceNs) / periodNs) * periodNs;
  for (let cutNs = firstEndNs + stepNs; cutNs < untilNs; cutNs += stepNs) {
    parts.push(within(ranges, fromNs, cutNs));
    fromNs = cutNs + 1n;
  }
  return [...parts, within(ranges, fromNs, last)].filter((part) => part.length > 0);
}

/** SQL that gives one id for all series of a timeseries: gauges may lie in several, whose windows must become one. */
export function representative(entries: readonly FieldsEntry[]): string {
  const aliases = entries.flatMap((entry) => {
    const [first, ...others] = [...entry.byStartTime.values()];
    return others.map((other) => [other.id, first!.id] as const);
  });
  if (aliases.length === 0) return "sid";
  const list = (ids: readonly bigint[]): string => `[${ids.map((id) => `toUInt64(${integerLiteral(id)})`).join(", ")}]`;
  return `transform(sid, ${list(aliases.map(([id]) => id))}, ${list(aliases.map(([, id]) => id))}, sid)`;
}
