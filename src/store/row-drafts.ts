import { STORE_REPORT_MESSAGES, STORE_TABLE_SERIES, type Datum, type Sample } from "../core/index.ts";
import { startTimeOf, type Refusal, type Resolved, type SampleResolver, type TableState, type TimeBounds } from "./sample-resolver.ts";
import type { FieldsEntry, Series } from "./series-registry.ts";
import type { InsertReport, RefusalReason } from "./store.ts";
import type { StoredValue } from "./value-type.ts";
import type { WideColumn } from "./wide-table.ts";

/** One row to be: what a series had at one instant. `values` has a place for each column, undefined where there is none. */
export interface RowDraft {
  readonly series: Series;
  readonly timestampNs: bigint;
  readonly values: (StoredValue | undefined)[];
}

export interface Batch {
  readonly rows: ReadonlyMap<TableState, readonly RowDraft[]>;
  readonly report: InsertReport;
}

/** What a batch has for one set of fields at one instant, before it is known to which incarnation the gauges belong. */
interface Instant {
  readonly state: TableState;
  readonly entry: FieldsEntry;
  readonly timestampNs: bigint;
  readonly values: { readonly column: WideColumn; readonly startTimeNs: bigint; readonly value: StoredValue }[];
}

/** Puts samples together to rows: one for each set of fields, start time and instant. Gauges join the row of the counters beside them. */
export function draftRows(samples: readonly Sample[], resolver: SampleResolver, bounds: TimeBounds): Batch {
  const instants = new Map<FieldsEntry, Map<bigint, Instant>>();
  const refusals = new Refusals();
  let last: Instant | null = null;
  for (const sample of samples) {
    const resolved = resolver.resolve(sample, bounds);
    if ("reason" in resolved) {
      refusals.add(resolved, 1);
      continue;
    }
    const value = storedValue(sample.datum);
    if (!resolved.column.valueType.fits(value)) {
      refusals.add(
        { reason: "schema_mismatch", message: `Timeseries "${sample.timeseriesName}" has values that do not fit ${sample.datum.type}.` },
        1,
      );
      continue;
    }
    // Samples of one snapshot mostly follow each other.
    if (last === null || last.entry !== resolved.entry || last.timestampNs !== sample.timestampNs)
      last = instantOf(instants, resolved, sample.timestampNs);
    last.values.push({ column: resolved.column, startTimeNs: startTimeOf(sample.datum), value });
  }
  const rows = new Map<TableState, RowDraft[]>();
  for (const byTime of instants.values()) {
    for (const instant of byTime.values()) addRows(rows, instant, refusals);
  }
  return { rows, report: refusals.report(samples.length) };
}

function instantOf(instants: Map<FieldsEntry, Map<bigint, Instant>>, { state, entry }: Resolved, timestampNs: bigint): Instant {
  let byTime = instants.get(entry);
  if (byTime === undefined) instants.set(entry, (byTime = new Map()));
  let instant = byTime.get(timestampNs);
  if (instant === undefined) byTime.set(timestampNs, (instant = { state, entry, timestampNs, values: [] }));
  return instant;
}

function addRows(rows: Map<TableState, RowDraft[]>, instant: Instant, refusals: Refusals): void {
  const { state, entry, timestampNs } = instant;
  const newestStartNs = instant.values.reduce((newest, { startTimeNs }) => (startTimeNs > newest ? startTimeNs : newest), 0n);
  const drafts = new Map<bigint, RowDraft>();
  for (const { column, startTimeNs, value } of instant.values) {
    const ownStartNs = column.cumulative ? startTimeNs : newestStartNs;
    let draft = drafts.get(ownStartNs);
    if (draft === undefined) {
      const series = state.registry.seriesOf(entry, ownStartNs);
      if (typeof series === "string") {
        refusals.add({ reason: "unstorable", message: whyNoSeries(state, series) }, 1);
        continue;
      }
      draft = { series, timestampNs, values: state.table.columns.map((): StoredValue | undefined => undefined) };
      drafts.set(ownStartNs, draft);
      const ofTable = rows.get(state);
      if (ofTable === undefined) rows.set(state, [draft]);
      else ofTable.push(draft);
    }
    draft.values[column.index] = largerValue(draft.values[column.index], value);
  }
}

function whyNoSeries(state: TableState, why: "collision" | "too_many"): string {
  const target = state.table.design.targetName;
  if (why === "collision")
    return `A series of target "${target}" has the same id as another one, so its samples are not kept: change one of its fields.`;
  return `Target "${target}" has more than ${STORE_TABLE_SERIES} series: find the field whose values never come again.`;
}

/** Of two values for one series and instant the larger counts, here and in every reader, so that the answer does not depend on order. */
export function largerValue(a: StoredValue | undefined, b: StoredValue): StoredValue {
  return a === undefined || b > a ? b : a;
}

function storedValue(datum: Datum): StoredValue | undefined {
  return datum.type === "missing" || typeof datum.value === "object" ? undefined : datum.value;
}

/** Counts by reason, and some sentences. */
export class Refusals {
  readonly #counts = new Map<RefusalReason, number>();
  readonly #messages = new Set<string>();

  add({ reason, message }: Refusal, count: number): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count);
    if (this.#messages.size < STORE_REPORT_MESSAGES) this.#messages.add(message);
  }

  report(samples: number): InsertReport {
    const refused = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    return { stored: samples - refused, refused: this.#counts, messages: [...this.#messages] };
  }
}

/** What became of all parts of a batch. */
export function joinReports(reports: readonly InsertReport[]): InsertReport {
  const refused = new Map<RefusalReason, number>();
  for (const report of reports) for (const [reason, count] of report.refused) refused.set(reason, (refused.get(reason) ?? 0) + count);
  return {
    stored: reports.reduce((sum, { stored }) => sum + stored, 0),
    refused,
    messages: reports.flatMap(({ messages }) => messages).slice(0, STORE_REPORT_MESSAGES),
  };
}
