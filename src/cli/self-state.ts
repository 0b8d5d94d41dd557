import type { CollectorStats } from "../collector/index.ts";
import type { ProducerStats } from "../producer/index.ts";
import { droppedLogLines } from "../runtime/index.ts";
import { prometheusText, type PrometheusFamily } from "../wire/index.ts";

/** What the process knows of itself, as Prometheus text. The same counts are timeseries as well; this is for looking at one process. */
export function selfState(producer: ProducerStats | null, collector: CollectorStats | null): string {
  const lost = [{ labels: {}, value: BigInt(droppedLogLines()) }];
  return prometheusText([
    counter("zonemeter_log_lines_dropped_total", "Log lines that could not be written.", lost),
    ...(producer === null ? [] : producerFamilies(producer)),
    ...(collector === null ? [] : collectorFamilies(collector)),
  ]);
}

function producerFamilies(stats: ProducerStats): PrometheusFamily[] {
  const bySource = (read: (name: string) => bigint): { labels: { source: string }; value: bigint }[] =>
    [...stats.sources.keys()].map((source) => ({ labels: { source }, value: read(source) }));
  const of = (name: string) => stats.sources.get(name)!;
  return [
    counter("zonemeter_producer_samples_produced_total", "Samples made from readings.", [{ labels: {}, value: stats.produced }]),
    counter("zonemeter_producer_samples_delivered_total", "Samples that a collector has for good.", [
      { labels: {}, value: stats.delivered },
    ]),
    counter("zonemeter_producer_samples_dropped_total", "Samples given up, by reason.", byReason(stats.dropped)),
    gauge("zonemeter_producer_samples_buffered", "Samples that wait for collection.", stats.buffered),
    gauge("zonemeter_producer_registered", "1 while Nexus knows of the producer.", stats.registration?.registered === true ? 1 : 0),
    counter(
      "zonemeter_source_snapshots_total",
      "Snapshots taken, by source.",
      bySource((name) => of(name).snapshotsTaken),
    ),
    counter(
      "zonemeter_source_readings_missing_total",
      "Readings that could not be taken, by source.",
      bySource((name) => of(name).readingsMissing),
    ),
    counter(
      "zonemeter_source_duration_nanoseconds_total",
      "Time spent reading, by source.",
      bySource((name) => of(name).durationNs),
    ),
    counter(
      "zonemeter_source_intervals_missed_total",
      "Reads that were due while one was under way, by source.",
      bySource((name) => of(name).intervalsMissed),
    ),
    {
      name: "zonemeter_source_interval_nanoseconds",
      help: "Time between two reads now, by source: longer than set while reads are dear.",
      type: "gauge",
      samples: [...stats.sources].flatMap(([source, { intervalNs }]) =>
        intervalNs === null ? [] : [{ labels: { source }, value: intervalNs }],
      ),
    },
    counter(
      "zonemeter_source_failures_total",
      "Reads that gave nothing, by source and reason.",
      [...stats.sources].flatMap(([source, { failures }]) =>
        [...failures].map(([reason, value]) => ({ labels: { source, reason }, value })),
      ),
    ),
  ];
}

function collectorFamilies(stats: CollectorStats): PrometheusFamily[] {
  return [
    gauge("zonemeter_collector_producers", "Producers that are polled.", stats.producers),
    counter("zonemeter_collector_collections_total", "Collections that succeeded.", [{ labels: {}, value: stats.collections }]),
    counter("zonemeter_collector_failed_collections_total", "Collections that failed, by reason.", byReason(stats.failures)),
    counter("zonemeter_collector_samples_collected_total", "Samples received.", [{ labels: {}, value: stats.samplesCollected }]),
    counter("zonemeter_collector_samples_stored_total", "Samples stored.", [{ labels: {}, value: stats.stored }]),
    counter("zonemeter_collector_samples_dropped_total", "Samples given up, by reason.", byReason(stats.dropped)),
    counter("zonemeter_collector_samples_refused_total", "Samples that no schema allows, by reason.", byReason(stats.refused)),
    gauge("zonemeter_collector_samples_queued", "Samples that wait for the store.", stats.queued + stats.inserting),
  ];
}

function byReason(counts: ReadonlyMap<string, bigint>): { labels: { reason: string }; value: bigint }[] {
  return [...counts].map(([reason, value]) => ({ labels: { reason }, value }));
}

function counter(name: string, help: string, samples: readonly { labels: Record<string, string>; value: bigint }[]): PrometheusFamily {
  return { name, help, type: "counter", samples };
}

function gauge(name: string, help: string, value: number): PrometheusFamily {
  return { name, help, type: "gauge", samples: [{ labels: {}, value }] };
}
