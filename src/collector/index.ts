import { randomBytes } from "node:crypto";
import { Agent } from "undici";
import {
  COLLECTION_MAX_BYTES,
  COLLECTION_TIMEOUT_MS,
  COLLECTIONS_MAX_BYTES,
  COLLECTOR_QUEUE_SAMPLES,
  COLLECTOR_SELF_METRICS_MS,
  systemClock,
  ZonemeterError,
  type Catalogue,
  type Clock,
  type SocketAddress,
} from "../core/index.ts";
import { loadDocument, startServer, type ServerLocation } from "../http/index.ts";
import { Loop, withDeadline, type Logger } from "../runtime/index.ts";
import type { RefusalReason } from "../store/index.ts";
import { ProducerResultsReader } from "../wire/index.ts";
import { ByteBudget } from "./byte-budget.ts";
import type { CollectionContext } from "./collection-context.ts";
import type { CollectionFailureReason } from "./collection-failure.ts";
import { statsOf, type CollectorStats } from "./collector-stats.ts";
import { collectorHandlers } from "./handlers.ts";
import { Inserter, type CollectorDropReason, type Sink } from "./inserter.ts";
import { fetchProducers } from "./producer-list.ts";
import { ProducerSet } from "./producer-set.ts";
import { Refresher } from "./refresher.ts";
import { startCollectorRegistration } from "./registration.ts";
import { SampleCheck } from "./sample-check.ts";
import { SampleQueue } from "./sample-queue.ts";
import { countersOf, SelfMetrics } from "./self-metrics.ts";
import { Tally } from "./tally.ts";

export type { CollectionFailureReason, CollectorDropReason, CollectorStats, Sink };

/** Time that running requests of the collector's own API get at the end. */
const CLOSE_MS = 500;

export interface CollectorOptions {
  readonly collectorId: string;
  /** An IP address; Nexus must reach it. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly nexus: ServerLocation;
  readonly sink: Sink;
  /** What samples are held against; others are refused. */
  readonly catalogue: Catalogue;
  /** Polls a new producer without the random delay that spreads many of them. */
  readonly firstPollAtOnce: boolean;
  readonly clock?: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<CollectorLimits>;
}

/** Figures of core/limits.ts that may be set. */
export interface CollectorLimits {
  readonly queueSamples: number;
  readonly batchSamples: number;
  readonly batchIntervalMs: number;
  readonly collectionTimeoutMs: number;
  readonly collectionMaxBytes: number;
  readonly refreshMs: number;
  readonly firstRefreshMs: number;
  readonly selfMetricsMs: number;
  readonly insertTimeoutMs: number;
  readonly insertRetryMs: number;
}

export interface Collector {
  /** Where its own API really listens. */
  readonly address: SocketAddress;
  /**
   * True once Nexus knows of the collector, false where it was stopped before. Rejects with ZonemeterError `config` where Nexus refuses it: the
   * collector can then do nothing, and should be stopped.
   */
  readonly registered: Promise<boolean>;
  stats(): CollectorStats;
  /**
   * Collects all that every producer has now, stores it and acknowledges it. What is not done within `deadlineMs` is left to the ordinary course.
   */
  flush(deadlineMs: number): Promise<void>;
  /** Polls no more, stores what it has within `deadlineMs`, then closes. Safe to call twice. */
  stop(deadlineMs: number): Promise<void>;
}

/** Starts to collect. Throws ZonemeterError `conflict` or `config` where its API cannot listen. */
export async function startCollector(options: CollectorOptions): Promise<Collector> {
  const { collectorId, nexus, sink, catalogue, logger, clock = systemClock, limits = {} } = options;
  const startedNs = clock.wallNs();
  const dropped = new Tally<CollectorDropReason>();
  const refused = new Tally<RefusalReason>();
  const queue = new SampleQueue(limits.queueSamples ?? COLLECTOR_QUEUE_SAMPLES, (samples) => dropped.add("queue_full", samples));
  const timeoutMs = limits.collectionTimeoutMs ?? COLLECTION_TIMEOUT_MS;
  // A collection has one time limit, from the connection to the last byte, so undici's own are off.
  const dispatcher = new Agent({ connections: 2, headersTimeout: 0, bodyTimeout: 0 });
  const context: CollectionContext = {
    collectorId,
    runId: randomBytes(8).toString("hex"),
    dispatcher,
    reader: new ProducerResultsReader(),
    check: new SampleCheck(catalogue),
    refused,
    queue,
    budget: new ByteBudget(COLLECTIONS_MAX_BYTES),
    clock,
    logger,
    timeoutMs,
    maxBytes: limits.collectionMaxBytes ?? COLLECTION_MAX_BYTES,
    random: Math.random,
  };
  const producers = new ProducerSet(context, options.firstPollAtOnce);
  let refresher: Refresher | null = null;
  const server = await startServer({
    document: loadDocument("oximeter-collector"),
    handlers: collectorHandlers({ collectorId, producers, lastRefreshNs: () => refresher?.lastRefreshNs ?? null }),
    host: options.host,
    port: options.port,
    name: "the collector",
    logger,
    apiVersion: "required",
  });
  const inserter = new Inserter({
    ...limits,
    ...(limits.insertRetryMs === undefined ? {} : { retryMs: limits.insertRetryMs }),
    queue,
    sink,
    dropped,
    refused,
    logger,
  });
  const registration = startCollectorRegistration({ nexus, collectorId, address: server.address, logger });
  const refreshing = new Refresher({ ...limits, fetch: (signal) => fetchProducers(nexus, collectorId, signal), producers, clock, logger });
  refresher = refreshing;
  const selfMetrics = new SelfMetrics(collectorId, catalogue, clock);
  let selfDeliveries = 0;
  const selfMetricsMs = limits.selfMetricsMs ?? COLLECTOR_SELF_METRICS_MS;
  const selfLoop = new Loop({
    name: "the collector's own metrics",
    intervalMs: selfMetricsMs,
    firstDelayMs: selfMetricsMs,
    logger,
    run: async () => {
      selfDeliveries += 1;
      const samples = selfMetrics.samples(countersOf(producers.all(), startedNs, dropped, refused));
      queue.addLoose({
        samples,
        name: `${collectorId}/${context.runId}.${selfDeliveries}`,
        keptByProducer: false,
        urgent: false,
        settled: () => undefined,
      });
    },
  });

  const within = async (deadlineMs: number, what: string, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    try {
      await withDeadline(deadlineMs, what, work);
    } catch (error) {
      if (!(error instanceof ZonemeterError)) throw error;
      logger.warn({ queued: queue.samples, inserting: inserter.inHand }, error.message);
    }
  };
  const stop = async (deadlineMs: number): Promise<void> => {
    await Promise.all([refreshing.stop(), registration.stop(), selfLoop.stop()]);
    await producers.stop();
    await within(Math.max(1, deadlineMs), "Storing the last samples", (signal) => inserter.drain(signal));
    await inserter.stop();
    await Promise.all([server.close(CLOSE_MS), dispatcher.destroy()]);
  };
  let stopped: Promise<void> | null = null;
  registration.first.catch(() => undefined);
  return {
    address: server.address,
    registered: registration.first,
    stats: () => statsOf({ producers, queue, inserter, dropped, refused, refresher: refreshing }),
    flush: (deadlineMs) =>
      within(deadlineMs, "Collecting and storing all samples", async (signal) => {
        await Promise.all(producers.all().map((task) => task.drain(signal)));
        await inserter.drain(signal);
      }),
    stop: (deadlineMs) => (stopped ??= stop(deadlineMs)),
  };
}
