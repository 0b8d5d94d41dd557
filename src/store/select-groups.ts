import { fieldSet, fieldSetIdentity, type FieldSet } from "../core/index.ts";
import type { GroupRequest, GroupSelection, WindowedGroup } from "../oxql/index.ts";
import { gapStatement, groupStatement, type GroupQuery } from "./group-statement.ts";
import type { TimeseriesDesign } from "./layout.ts";
import { and, seriesCondition, timeCondition } from "./scan-conditions.ts";
import type { Scan } from "./scan.ts";
import { LOOK_BACK_NS, liveSeries } from "./select-samples.ts";
import { cutAtWindows, isWindowed, MAX_CLASSES, representative } from "./select-windows.ts";
import { planSelection, type PlanClass, type PlanPart } from "./selection-plan.ts";
import { bucketOf, NS_PER_HOUR } from "./time-buckets.ts";
import { EARLIEST, type TimeRange } from "./time-ranges.ts";
import { presenceCondition, type WideColumn } from "./wide-table.ts";

/**
 * Samples of integers put together by window, aligned and reduced by group, in the engine. Null where there are other values, ranges with holes
 * in them, few windows, or samples that contradict each other, lie too far apart, or may go on before the range.
 */
export async function selectGroups(scan: Scan, design: TimeseriesDesign, request: GroupRequest): Promise<GroupSelection | null> {
  const parts = planSelection(scan.state, design, { ...request, limit: null });
  if (parts.reduce((sum, { classes }) => sum + classes.length, 0) > MAX_CLASSES || !parts.every(isWindowed)) return null;
  if (windowsUpTo(scan, parts, request) < request.minWindows) return null;
  const read = new GroupRead(scan, design, request);
  for (const { columns, classes } of parts)
    for (const one of classes) if (!(await (columns[0]!.cumulative ? read.counters(columns, one) : read.gauges(columns, one)))) return null;
  return { groups: read.groups(), statements: scan.statements };
}

/** How many windows of single timeseries there may be at most, by the hours in which each has samples. */
function windowsUpTo(scan: Scan, parts: readonly PlanPart[], { periodNs }: GroupRequest): number {
  let windows = 0;
  for (const { columns, classes } of parts) {
    for (const { entries, ranges } of classes) {
      const first = bucketOf(ranges[0]!.fromNs);
      const last = bucketOf(ranges.at(-1)!.toNs);
      for (const { firstBucket, lastBucket } of liveSeries(scan, entries, ranges)) {
        const hours = Math.min(last, lastBucket) - Math.max(first, firstBucket) + 1;
        if (hours > 0) windows += columns.length * Math.ceil((hours * Number(NS_PER_HOUR)) / Number(periodNs));
      }
    }
  }
  return windows;
}

/** Reduced values of one window, of as many timeseries as were read so far. */
interface Reduced {
  count: number;
  sum: number;
  least: number;
  greatest: number;
}

class GroupRead {
  readonly #scan: Scan;
  readonly #design: TimeseriesDesign;
  readonly #request: GroupRequest;
  readonly #groups = new Map<string, { fields: FieldSet; firstWindow: number; byWindow: Map<number, Reduced> }>();
  #rows = 0;

  constructor(scan: Scan, design: TimeseriesDesign, request: GroupRequest) {
    this.#scan = scan;
    this.#design = design;
    this.#request = request;
  }

  groups(): WindowedGroup[] {
    return [...this.#groups.values()].map(({ fields, firstWindow, byWindow }) => {
      const rows = [...byWindow].sort(([a], [b]) => b - a);
      const column = (valueOf: (reduced: Reduced) => number): Float64Array => Float64Array.from(rows, ([, reduced]) => valueOf(reduced));
      return {
        fields,
        firstWindow,
        windows: Float64Array.from(rows, ([window]) => window),
        counts: column(({ count }) => count),
        sums: column(({ sum }) => sum),
        minima: column(({ least }) => least),
        maxima: column(({ greatest }) => greatest),
      };
    });
  }

  /** False where something is doubtful. */
  async counters(columns: readonly WideColumn[], { entries, ranges }: PlanClass): Promise<boolean> {
    const [range] = ranges as [TimeRange];
    const lookBack = this.#request.lookBack && range.fromNs !== EARLIEST;
    const readFromNs = lookBack ? range.fromNs - LOOK_BACK_NS : range.fromNs;
    const read = [{ fromNs: readFromNs, toNs: range.toNs }];
    const series = liveSeries(this.#scan, entries, read);
    if (series.length === 0) return true;
    const { registry } = this.#scan.state;
    const query = this.#query(columns, and([timeCondition(read), seriesCondition(registry, series)]), "sid");
    const ids = series.map(({ id }) => id);
    return this.#run(columns, {
      ...query,
      ids,
      fromNs: lookBack ? range.fromNs : null,
      earlierBucket: lookBack ? bucketOf(readFromNs - 1n) : null,
    });
  }

  /** False where something is doubtful. */
  async gauges(columns: readonly WideColumn[], { entries, ranges }: PlanClass): Promise<boolean> {
    const series = liveSeries(this.#scan, entries, ranges);
    if (series.length === 0) return true;
    const { registry } = this.#scan.state;
    const { endTimeNs, periodNs } = this.#request;
    const ids = entries.flatMap(({ byStartTime }) => [...byStartTime.values()].slice(0, 1).map(({ id }) => id));
    const queryOf = (part: readonly TimeRange[]): GroupQuery => {
      const condition = and([timeCondition(part), seriesCondition(registry, series)]);
      return { ...this.#query(columns, condition, representative(entries)), ids };
    };
    const parts = cutAtWindows(ranges, series, endTimeNs, periodNs);
    if (parts.length > 1) {
      const [doubt] = new BigUint64Array(aligned(await this.#scan.run(gapStatement(queryOf(ranges)))));
      if (doubt !== 0n) return false;
    }
    for (const part of parts) if (!(await this.#run(columns, queryOf(part)))) return false;
    return true;
  }

  #query(columns: readonly WideColumn[], condition: string, id: string): GroupQuery {
    const { endTimeNs, groupFields, periodNs } = this.#request;
    const groups = columnGroups(columns, groupFields);
    return {
      table: this.#scan.state.table.samples,
      design: this.#design.table,
      columns,
      counts: false,
      condition: and([condition, presenceCondition(columns)]),
      id,
      ids: [],
      fromNs: null,
      earlierBucket: null,
      groupFields,
      columnGroups: groups.ofColumn,
      endTimeNs,
      periodNs,
    };
  }

  async #run(columns: readonly WideColumn[], query: GroupQuery): Promise<boolean> {
    const { maxRows, state } = this.#scan;
    const { endTimeNs, groupFields, periodNs } = this.#request;
    const limit = maxRows + 1 - this.#rows;
    const bytes = aligned(await this.#scan.run(groupStatement(query, limit)));
    const [whole, double] = [new BigInt64Array(bytes), new Float64Array(bytes)];
    const lastWindow = Number(endTimeNs / periodNs);
    const { fields: columnFields } = columnGroups(columns, groupFields);
    this.#rows += whole.length / WORDS;
    this.#scan.checkRows(this.#rows);
    for (let at = 0; at < whole.length; at += WORDS) {
      if (whole[at + 7] !== 0n) return false;
      const number = Number(whole[at + 2]);
      const window = lastWindow - number;
      // What ends after the query has no place in it.
      if (number < 0 || window < 0) continue;
      const { entry } = state.registry.byId(BigInt.asUintN(64, whole[at]!))!;
      const ofColumns = columnFields[Number(whole[at + 1])]!;
      const fields = fieldSet([...entry.fields.filter(({ name }) => groupFields.includes(name)), ...ofColumns]);
      this.#add(fields, window, {
        count: Number(whole[at + 3]),
        sum: double[at + 4]!,
        least: double[at + 5]!,
        greatest: double[at + 6]!,
      });
    }
    return true;
  }

  #add(fields: FieldSet, window: number, reduced: Reduced): void {
    const identity = fieldSetIdentity(fields);
    let group = this.#groups.get(identity);
    if (group === undefined) this.#groups.set(identity, (group = { fields, firstWindow: window, byWindow: new Map() }));
    group.firstWindow = Math.max(group.firstWindow, window);
    if (reduced.count === 0) return;
    const known = group.byWindow.get(window);
    if (known === undefined) {
      group.byWindow.set(window, reduced);
      return;
    }
    known.count += reduced.count;
    known.sum += reduced.sum;
    known.least = Math.min(known.least, reduced.least);
    known.greatest = Math.max(known.greatest, reduced.greatest);
  }
}

/** 64-bit numbers of a row. */
const WORDS = 8;

/** Columns by what of their enumerated fields is grouped by. */
function columnGroups(columns: readonly WideColumn[], groupFields: readonly string[]): { ofColumn: number[]; fields: FieldSet[] } {
  const numbers = new Map<string, number>();
  const fields: FieldSet[] = [];
  const ofColumn = columns.map((column) => {
    const kept = fieldSet(column.fields.filter(({ name }) => groupFields.includes(name)));
    const identity = fieldSetIdentity(kept);
    const known = numbers.get(identity);
    if (known !== undefined) return known;
    numbers.set(identity, fields.length);
    return fields.push(kept) - 1;
  });
  return { ofColumn, fields };
}

/** The bytes in a buffer of their own, which 64-bit columns can lie over. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
