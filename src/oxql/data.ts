import type { FieldSet, TimeseriesSchema } from "../core/index.ts";
import type { Comparison, Membership } from "./ast.ts";
import type { Column } from "./table.ts";
import type { WindowData } from "./window-data.ts";

/**
 * Where OxQL gets its data. The store implements it over ClickHouse, tests over arrays. Calls may run side by side. `signal` ends
 * the work in the engine too; the call then rejects with the signal's reason. Throws ZonemeterError `limit` when more than `maxRows` rows
 * would be returned, `unavailable` when the engine does not answer.
 */
export interface OxqlData extends Partial<WindowData> {
  select(request: SelectRequest, signal: AbortSignal): Promise<Selection>;
}

/** Raw samples of one timeseries name. */
export interface SelectRequest {
  readonly schema: TimeseriesSchema;
  /** Or-ed; a series' sample is wanted where any alternative holds. An empty list means no condition. */
  readonly alternatives: readonly SelectAlternative[];
  /** Only the first or last n samples (by timestamp) of every timeseries, after the conditions. */
  readonly limit: { readonly end: "first" | "last"; readonly count: number } | null;
  /**
   * For counters: also the last present sample before the lower bound of each wanted range, if it belongs to the same incarnation, so that
   * the first difference can be taken. Such samples do not count against `limit`.
   */
  readonly lookBack: boolean;
  readonly maxRows: number;
}

/** And-ed conditions: `fields` on field names, `times` on `timestamp` with timestamp literals. */
export interface SelectAlternative {
  readonly fields: readonly (Comparison | Membership)[];
  readonly times: readonly Comparison[];
}

/** Order of `series` is free. Equal (series, timestamp) rows have been collapsed. */
export interface Selection {
  readonly series: readonly SelectedSeries[];
  /** Rows the engine read and statements it ran, for summaries and explain. */
  readonly statements: readonly StatementSummary[];
}

/** Stored samples of one timeseries in order of (start time, timestamp); all incarnations together. Series without samples are left out. */
export interface SelectedSeries {
  readonly fields: FieldSet;
  /** For counters and histograms; null for gauges. */
  readonly startTimesNs: BigInt64Array | null;
  readonly timestampsNs: BigInt64Array;
  readonly values: Column;
}

export interface StatementSummary {
  readonly id: string;
  readonly text: string;
  readonly elapsedMs: number;
  /** Rows and bytes that the engine went through; null where it did not say. */
  readonly rowsRead: bigint | null;
  readonly bytesRead: bigint | null;
}
