import type { FieldSet } from "../core/index.ts";
import type { SelectRequest, StatementSummary } from "./data.ts";

/** What a data source may offer beside `select`: the samples of each window put together where they lie, for alignments. */
export interface WindowData {
  /**
   * What `select` would give, each window's samples as one entry. Null where these samples have to be looked at one by one. Rejects as `select`
   * does; windows count as rows.
   */
  selectWindows(request: WindowRequest, signal: AbortSignal): Promise<WindowSelection | null>;
  /**
   * What `selectWindows` would give, aligned by the request's method and reduced over the timeseries that agree on some fields. Null where that
   * takes the windows of each timeseries, as it does where `align` would refuse any of them, or where those are few. Groups and their windows count
   * as rows.
   */
  selectGroups(request: GroupRequest, signal: AbortSignal): Promise<GroupSelection | null>;
}

/** Windows are `(endTimeNs + (n - 1) * periodNs, endTimeNs + n * periodNs]` for every whole n, also beyond the end. */
export interface WindowRequest extends Pick<SelectRequest, "schema" | "alternatives" | "lookBack" | "maxRows"> {
  readonly endTimeNs: bigint;
  readonly periodNs: bigint;
  /** Whether it matters how many samples a window has; of gauges it always does. */
  readonly counts: boolean;
}

/** Order of `series` is free. A sample that is stored twice counts once. */
export interface WindowSelection {
  readonly series: readonly (WindowedGauge | WindowedCounter)[];
  readonly statements: readonly StatementSummary[];
}

/** Windows that have samples, in rising order, as columns of equal length. */
export interface WindowRows {
  readonly firstTimesNs: BigInt64Array;
  readonly lastTimesNs: BigInt64Array;
}

/** One timeseries of integers. `sums` are exact, rounded once. */
export interface WindowedGauge extends WindowRows {
  readonly kind: "gauge";
  readonly fields: FieldSet;
  readonly samples: Float64Array;
  readonly sums: Float64Array;
}

/** One timeseries of counters, its incarnations by start time. */
export interface WindowedCounter {
  readonly kind: "counter";
  readonly fields: FieldSet;
  readonly incarnations: readonly WindowedIncarnation[];
}

/** `first` and `last` are the values at the times of those names, all signed or all unsigned. */
export interface WindowedIncarnation extends WindowRows {
  readonly startTimeNs: bigint;
  /** The sample before the first one, where it was asked for and there is one. Columns of one entry. */
  readonly before: { readonly timesNs: BigInt64Array; readonly values: Int64Values } | null;
  readonly first: Int64Values;
  readonly last: Int64Values;
  /** Null where they were not asked for. */
  readonly samples: Float64Array | null;
}

/** `mean_within` of gauges or `rate` of counters, then `group_by` of these fields. */
export interface GroupRequest extends Omit<WindowRequest, "counts"> {
  readonly groupFields: readonly string[];
  /** With fewer windows of single timeseries than this the answer is null. */
  readonly minWindows: number;
}

/** Order of `groups` is free. */
export interface GroupSelection {
  readonly groups: readonly WindowedGroup[];
  readonly statements: readonly StatementSummary[];
}

/**
 * The aligned timeseries that agree on `fields`, reduced. Columns of equal length hold the windows in which any has a value. A window's number is
 * counted back from the one that ends at `endTimeNs`, which is 0; they fall from row to row.
 */
export interface WindowedGroup {
  readonly fields: FieldSet;
  /** Number of the window of the earliest sample of all, which may have no value. */
  readonly firstWindow: number;
  readonly windows: Float64Array;
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  readonly minima: Float64Array;
  readonly maxima: Float64Array;
}

export type Int64Values = BigInt64Array | BigUint64Array;
