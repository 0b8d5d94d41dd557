import type { FieldSet, TimeseriesSchema } from "../core/index.ts";
import type { SelectAlternative, StatementSummary } from "../oxql/index.ts";

/**
 * What a store may offer beside `select`: the samples of each window put together in the engine, for alignments over ranges that have too
 * many samples to fetch. From the answer every mean over windows and every increase comes out exactly as from the samples: increases
 * within a window are last minus first, the interval between two windows runs from the last sample of one to the first of the next.
 */
export interface WindowData {
  selectWindows(request: WindowRequest, signal: AbortSignal): Promise<WindowSelection>;
}

/** Windows `(endTimeNs - (n + 1) * periodNs, endTimeNs - n * periodNs]` for n below `count`. */
export interface WindowRequest {
  /** Of an integer type, counter or gauge. */
  readonly schema: TimeseriesSchema;
  /** Or-ed conditions on fields; an empty list means none. */
  readonly alternatives: readonly SelectAlternative["fields"][];
  readonly endTimeNs: bigint;
  readonly periodNs: bigint;
  readonly count: number;
  /** Windows with samples that may be returned, over all series; more reject with ZonemeterError `limit`. */
  readonly maxRows: number;
}

export interface WindowSelection {
  /** One for each incarnation of a counter, one for each timeseries of a gauge. */
  readonly series: readonly WindowedSeries[];
  readonly statements: readonly StatementSummary[];
}

/** Windows that have samples, in rising order. All columns are of equal length. */
export interface WindowedSeries {
  readonly fields: FieldSet;
  /** Null for gauges. */
  readonly startTimeNs: bigint | null;
  /** Number of the window, from 0 for the oldest. */
  readonly windows: Uint32Array;
  /** Samples in the window; one that is stored twice counts once. */
  readonly samples: Uint32Array;
  readonly firstTimesNs: BigInt64Array;
  readonly lastTimesNs: BigInt64Array;
  /** For counters: values at these times. For gauges null. */
  readonly counters: { readonly first: BigInt64Array | BigUint64Array; readonly last: BigInt64Array | BigUint64Array } | null;
  /** For gauges: the exact sum of the values, rounded once. For counters null. */
  readonly sums: Float64Array | null;
}
