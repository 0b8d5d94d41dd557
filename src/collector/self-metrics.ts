import { fieldSet, type Catalogue, type Clock, type Field, type Sample } from "../core/index.ts";
import type { RefusalReason } from "../store/index.ts";
import type { CollectorDropReason } from "./inserter.ts";
import type { ProducerTask } from "./producer-task.ts";
import type { Tally } from "./tally.ts";

const TARGET = "zonemeter_collector";

/** One counter: its metric, what tells it from others of the metric, and where it stands. */
export interface SelfCounter {
  readonly metric: "collections" | "failed_collections" | "samples_collected" | "samples_dropped" | "samples_refused";
  readonly labels: { readonly producer_id?: string; readonly reason?: string };
  readonly startTimeNs: bigint;
  readonly value: bigint;
}

/** All counters as they stand: those of a producer count from when it was first collected from, the others from the collector's start. */
export function* countersOf(
  tasks: Iterable<ProducerTask>,
  startedNs: bigint,
  dropped: Tally<CollectorDropReason>,
  refused: Tally<RefusalReason>,
): Generator<SelfCounter> {
  for (const { details } of tasks) {
    const { endpoint, registeredNs: startTimeNs, failures } = details;
    const labels = { producer_id: endpoint.id };
    yield { metric: "collections", labels, startTimeNs, value: details.collections };
    yield { metric: "samples_collected", labels, startTimeNs, value: details.samples };
    for (const [reason, value] of failures) yield { metric: "failed_collections", labels: { ...labels, reason }, startTimeNs, value };
  }
  for (const [reason, value] of dropped.entries()) yield { metric: "samples_dropped", labels: { reason }, startTimeNs: startedNs, value };
  for (const [reason, value] of refused.entries()) yield { metric: "samples_refused", labels: { reason }, startTimeNs: startedNs, value };
}

/** Makes samples of target `zonemeter_collector`. Names that the catalogue lacks are left out. */
export class SelfMetrics {
  readonly #catalogue: Catalogue;
  readonly #clock: Clock;
  readonly #target: Sample["target"];
  readonly #metrics = new Map<string, Sample["metric"]>();
  #lastNs = 0n;

  constructor(collectorId: string, catalogue: Catalogue, clock: Clock) {
    this.#catalogue = catalogue;
    this.#clock = clock;
    this.#target = { name: TARGET, fields: fieldSet([{ name: "collector_id", value: { type: "uuid", value: collectorId } }]) };
  }

  /** All counters at one instant; stamps never fall, whatever the clock does. */
  samples(counters: Iterable<SelfCounter>): Sample[] {
    const samples: Sample[] = [];
    const now = this.#clock.wallNs();
    this.#lastNs = now > this.#lastNs ? now : this.#lastNs + 1n;
    const metrics = new Map<string, Sample["metric"]>();
    for (const { metric, labels, startTimeNs, value } of counters) {
      const schema = this.#catalogue.get(`${TARGET}:${metric}`);
      if (schema === undefined) continue;
      const key = `${metric} ${labels.producer_id} ${labels.reason}`;
      const own = this.#metrics.get(key) ?? metricOf(metric, labels);
      metrics.set(key, own);
      samples.push({
        timeseriesName: schema.timeseriesName,
        timeseriesVersion: schema.version,
        target: this.#target,
        metric: own,
        timestampNs: this.#lastNs,
        datum: { type: "cumulative_u64", startTimeNs, value },
      });
    }
    // What was not counted this time belongs to producers that are gone.
    this.#metrics.clear();
    for (const [key, own] of metrics) this.#metrics.set(key, own);
    return samples;
  }
}

function metricOf(name: string, labels: SelfCounter["labels"]): Sample["metric"] {
  const fields: Field[] = [];
  if (labels.producer_id !== undefined) fields.push({ name: "producer_id", value: { type: "uuid", value: labels.producer_id } });
  if (labels.reason !== undefined) fields.push({ name: "reason", value: { type: "string", value: labels.reason } });
  return { name, fields: fieldSet(fields) };
}
