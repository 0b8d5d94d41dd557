import { fieldSet, type Catalogue, type Clock, type Field } from "../core/index.ts";
import type { SledIdentity } from "../sources/index.ts";
import type { Ledger } from "./ledger.ts";
import type { SampleGroup, Series } from "./sample-group.ts";

const TARGET = "zonemeter_producer";

/** What stands in a group's `source` where the samples are the producer's own. */
export const SELF_SOURCE = TARGET;

/** Why a round of a source gave nothing. */
export const SOURCE_FAILURE_REASONS = ["unavailable", "timeout", "busy", "defect"] as const;
export type SourceFailureReason = (typeof SOURCE_FAILURE_REASONS)[number];

/** What one source has come to since the process started. */
export interface SourceCounters {
  snapshotsTaken: bigint;
  readingsMissing: bigint;
  durationNs: bigint;
  intervalsMissed: bigint;
  /** Time between two readings as it was at the last one; null before the first, and for recordings. */
  intervalNs: bigint | null;
  readonly failures: Map<SourceFailureReason, bigint>;
}

/** Counters at zero, by source name. */
export function newSourceCounters(names: Iterable<string>): ReadonlyMap<string, SourceCounters> {
  return new Map(
    [...names].map((name) => [
      name,
      { snapshotsTaken: 0n, readingsMissing: 0n, durationNs: 0n, intervalsMissed: 0n, intervalNs: null, failures: new Map() },
    ]),
  );
}

export interface SelfMetricsOptions {
  readonly producerId: string;
  readonly sled: SledIdentity;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly sources: ReadonlyMap<string, SourceCounters>;
  readonly ledger: Ledger;
}

/** The producer's own timeseries: target `zonemeter_producer`, counters since `startTimeNs`. Names that the catalogue lacks are left out. */
export class SelfMetrics {
  readonly #options: SelfMetricsOptions;
  readonly #target: SampleGroup["target"];
  readonly #series = new Map<string, Series | null>();
  #startTimeNs: bigint | null = null;
  #lastNs = 0n;

  constructor(options: SelfMetricsOptions) {
    this.#options = options;
    const { rackId, sledId, sledSerial } = options.sled;
    this.#target = {
      name: TARGET,
      fields: fieldSet([
        { name: "rack_id", value: { type: "uuid", value: rackId } },
        { name: "sled_id", value: { type: "uuid", value: sledId } },
        { name: "sled_serial", value: { type: "string", value: sledSerial } },
        { name: "producer_id", value: { type: "uuid", value: options.producerId } },
      ]),
    };
  }

  /** Called once the clock can be trusted; there are no samples before. */
  begin(): void {
    if (this.#startTimeNs !== null) return;
    this.#startTimeNs = this.#options.clock.wallNs();
    this.#lastNs = this.#startTimeNs;
  }

  /** The counters as they stand, or null before `begin`. Stamps never fall, whatever the clock does. */
  sample(): SampleGroup | null {
    if (this.#startTimeNs === null) return null;
    const now = this.#options.clock.wallNs();
    this.#lastNs = now > this.#lastNs ? now : this.#lastNs + 1n;
    const series: Series[] = [];
    const values: bigint[] = [];
    const add = (metric: string, labels: Readonly<Record<string, string>>, value: bigint): void => {
      const own = this.#seriesOf(metric, labels);
      if (own === null) return;
      series.push(own);
      values.push(value);
    };
    for (const [source, counters] of this.#options.sources) {
      add("snapshots_taken", { source }, counters.snapshotsTaken);
      add("readings_missing", { source }, counters.readingsMissing);
      add("source_duration_nsec", { source }, counters.durationNs);
      add("intervals_missed", { source }, counters.intervalsMissed);
      if (counters.intervalNs !== null) add("source_interval_nsec", { source }, counters.intervalNs);
      for (const [reason, count] of counters.failures) add("source_failures", { source, reason }, count);
    }
    for (const [reason, count] of this.#options.ledger.dropped) add("samples_dropped", { reason }, count);
    if (series.length === 0) return null;
    return {
      source: SELF_SOURCE,
      target: this.#target,
      timestampNs: this.#lastNs,
      startTimeNs: this.#startTimeNs,
      series,
      values,
      partial: false,
    };
  }

  #seriesOf(metric: string, labels: Readonly<Record<string, string>>): Series | null {
    const key = `${metric}\n${Object.values(labels).join("\n")}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const schema = this.#options.catalogue.get(`${TARGET}:${metric}`);
    const fields = Object.entries(labels).map(([name, value]): Field => ({ name, value: { type: "string", value } }));
    const made =
      schema === undefined
        ? null
        : {
            timeseriesName: schema.timeseriesName,
            timeseriesVersion: schema.version,
            metric: { name: metric, fields: fieldSet(fields) },
            datumType: schema.datumType,
          };
    this.#series.set(key, made);
    return made;
  }
}
