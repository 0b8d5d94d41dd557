import { formatRfc3339, formatSocketAddress, NS_PER_MS, NS_PER_SECOND, ZonemeterError } from "../core/index.ts";
import type { oximeterCollector } from "../generated/index.ts";
import { pageOf, type Handler } from "../http/index.ts";
import type { ProducerSet } from "./producer-set.ts";
import type { CollectionRecord, Endpoint, ProducerDetails } from "./producer-task.ts";

export interface HandlersOptions {
  readonly collectorId: string;
  readonly producers: ProducerSet;
  readonly lastRefreshNs: () => bigint | null;
}

/** Serves the collector's own API, openapi/oximeter-collector.json. */
export function collectorHandlers(options: HandlersOptions): Readonly<Record<string, Handler>> {
  const { collectorId, producers } = options;
  return {
    collector_info: async () => {
      const lastNs = options.lastRefreshNs();
      const body: oximeterCollector.CollectorInfo = { id: collectorId, last_refresh: lastNs === null ? null : formatRfc3339(lastNs) };
      return { status: 200, body };
    },
    producers_list: async ({ query }) => {
      const endpoints = producers.all().map((task) => task.details.endpoint);
      const page = pageOf(endpoints, ({ id }) => id, query);
      return { status: 200, body: { ...page, items: page.items.map(endpointOf) } };
    },
    producer_details: async ({ params }) => {
      const task = producers.get(params["producer_id"]!);
      if (task === undefined) throw new ZonemeterError("not_found", `The producer ${params["producer_id"]} is not collected from.`);
      return { status: 200, body: detailsOf(task.details) };
    },
    producer_delete: async ({ params }) => {
      await producers.remove(params["producer_id"]!);
      return { status: 204 };
    },
  };
}

function endpointOf({ id, kind, address, intervalMs }: Endpoint): oximeterCollector.ProducerEndpoint {
  return { id, kind, address: formatSocketAddress(address), interval: durationOf(BigInt(intervalMs) * NS_PER_MS) };
}

function detailsOf(details: ProducerDetails): oximeterCollector.ProducerDetails {
  const { endpoint, lastSuccess, lastFailure } = details;
  let failures = 0n;
  for (const count of details.failures.values()) failures += count;
  return {
    id: endpoint.id,
    address: formatSocketAddress(endpoint.address),
    interval: durationOf(BigInt(endpoint.intervalMs) * NS_PER_MS),
    registered: formatRfc3339(details.registeredNs),
    updated: formatRfc3339(details.updatedNs),
    last_success: lastSuccess === null ? null : { ...recordOf(lastSuccess), n_samples: BigInt(lastSuccess.samples) },
    last_failure: lastFailure === null ? null : { ...recordOf(lastFailure), reason: lastFailure.reason },
    n_collections: details.collections,
    n_failures: failures,
  };
}

const recordOf = (
  record: CollectionRecord,
): Pick<oximeterCollector.FailedCollection, "started_at" | "time_queued" | "time_collecting"> => ({
  started_at: formatRfc3339(record.startedAtNs),
  time_queued: durationOf(record.queuedForNs),
  time_collecting: durationOf(record.collectingForNs),
});

const durationOf = (ns: bigint): oximeterCollector.Duration => ({ secs: ns / NS_PER_SECOND, nanos: Number(ns % NS_PER_SECOND) });
