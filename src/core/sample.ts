import type { Datum } from "./datum.ts";
import type { FieldSet } from "./field.ts";

/**
 * One sample of one timeseries, as it travels from a producer to a collector (upstream's `Sample`).
 * `timeseriesName` is `target.name:metric.name`; `timestampNs` is nanoseconds since the Unix epoch, UTC.
 * Samples of one snapshot may share the same `target` object: treat it as frozen.
 */
export interface Sample {
  readonly timeseriesName: string;
  readonly timeseriesVersion: number;
  readonly target: { readonly name: string; readonly fields: FieldSet };
  readonly metric: { readonly name: string; readonly fields: FieldSet };
  readonly timestampNs: bigint;
  readonly datum: Datum;
}

/** Upstream's `ProducerResults`: one item per source. */
export type ProducerResult =
  | { readonly status: "ok"; readonly samples: readonly Sample[] }
  | { readonly status: "err"; readonly error: MetricsError };

/** Upstream's `MetricsError` in its JSON shape; only these two are ever made here, any is accepted. */
export interface MetricsError {
  readonly type: string;
  readonly content?: unknown;
}
