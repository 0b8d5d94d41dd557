import {
  messageOf,
  PRODUCER_REPLAY_SNAPSHOTS,
  PRODUCER_RING_SNAPSHOTS,
  systemClock,
  type Catalogue,
  type Clock,
  type SocketAddress,
} from "../core/index.ts";
import { loadDocument, startServer, type ServerLocation } from "../http/index.ts";
import { loadKeptId, sleep, withDeadline, type Logger } from "../runtime/index.ts";
import type { OpenedSource, SledIdentity } from "../sources/index.ts";
import { collectHandler } from "./collect-handler.ts";
import { Delivery } from "./delivery.ts";
import { GroupBuffer } from "./group-buffer.ts";
import { Ledger, type DropReason } from "./ledger.ts";
import { startRegistration, type RegistrationState } from "./registration.ts";
import { Sampler, type ReplayProgress } from "./sampler.ts";
import { newSourceCounters, SELF_SOURCE, SelfMetrics, type SourceFailureReason } from "./self-metrics.ts";

export type { DropReason, RegistrationState, ReplayProgress, SourceFailureReason };

/** How often a stopping producer looks whether its last samples have been collected. */
const LAST_CHANCE_POLL_MS = 20;

export interface ProducerOptions {
  /** An IP address; collectors must reach it. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Where to register; null for a producer that only serves those who know it. */
  readonly nexus: ServerLocation | null;
  /** Where the producer id is kept. */
  readonly stateDir: string;
  readonly sled: SledIdentity;
  /** In the order in which they are asked to speak for a metric. Ended with the producer. */
  readonly sources: readonly OpenedSource[];
  /** Lets every source emit every metric it has. */
  readonly compareSources: boolean;
  /** How often collectors are asked to come. */
  readonly collectIntervalMs: number;
  readonly catalogue: Catalogue;
  /** Settles when stamps can be trusted; nothing is sampled before. */
  readonly waitForClock: (signal: AbortSignal) => Promise<unknown>;
  readonly clock?: Clock;
  readonly logger: Logger;
  /** Snapshots that wait for collection, of live sources and of recordings. */
  readonly ringSnapshots?: number;
  readonly replaySnapshots?: number;
}

/** All since the process started. `produced` = `delivered` + all of `dropped` + `buffered`. */
export interface ProducerStats {
  readonly produced: bigint;
  readonly delivered: bigint;
  readonly dropped: ReadonlyMap<DropReason, bigint>;
  readonly buffered: number;
  readonly sources: ReadonlyMap<string, SourceStats>;
  /** Why nothing is sampled although it should be. */
  readonly clockFailure: string | null;
  /** Null where the producer does not register. */
  readonly registration: RegistrationState | null;
}

export interface SourceStats {
  readonly snapshotsTaken: bigint;
  readonly readingsMissing: bigint;
  readonly durationNs: bigint;
  readonly intervalsMissed: bigint;
  /** Time between two readings now; null for recordings. */
  readonly intervalNs: bigint | null;
  readonly failures: ReadonlyMap<SourceFailureReason, bigint>;
  /** The sentence of the last read if that failed. */
  readonly lastFailure: string | null;
}

export interface Producer {
  readonly producerId: string;
  /** Where it really listens. */
  readonly address: SocketAddress;
  stats(): ProducerStats;
  /** How far the recordings among the sources have come. */
  replayed(): ReplayProgress;
  /**
   * Takes nothing more in, gives collectors that have come lately up to `deadlineMs` to fetch what waits, then closes. Safe to call twice.
   */
  stop(deadlineMs: number): Promise<void>;
}

/**
 * Starts to sample, to serve collections and to register. Throws ZonemeterError `conflict` or `config` where it cannot listen or keep its id; the
 * sources are then still the caller's to close.
 */
export async function startProducer(options: ProducerOptions): Promise<Producer> {
  const { clock = systemClock, logger, catalogue, sled, collectIntervalMs } = options;
  const producerId = await loadKeptId(options.stateDir, "producer", logger);
  const ledger = new Ledger();
  const live = new GroupBuffer(options.ringSnapshots ?? PRODUCER_RING_SNAPSHOTS);
  const replay = new GroupBuffer(options.replaySnapshots ?? PRODUCER_REPLAY_SNAPSHOTS);
  const counters = newSourceCounters(options.sources.map(({ source }) => source.name));
  const selfMetrics = new SelfMetrics({ producerId, sled, catalogue, clock, sources: counters, ledger });
  let sampler: Sampler | null = null;
  const delivery = new Delivery({
    buffers: [live, replay],
    ledger,
    closing: () => selfMetrics.sample(),
    expecting: () => sampler?.isExpecting() ?? false,
    collectIntervalMs,
    clock,
    onDelivered: (groups) => sampler?.delivered(groups),
  });
  const failures = (): ReadonlyMap<string, string> => sampler?.failures() ?? new Map<string, string>();
  const server = await startServer({
    document: loadDocument("oximeter-producer"),
    handlers: { collect: collectHandler({ producerId, delivery, sourceNames: [...counters.keys(), SELF_SOURCE], failures }) },
    host: options.host,
    port: options.port,
    name: "the producer",
    logger,
    apiVersion: "ignored",
  });
  const running = new Sampler({ ...options, clock, counters, ledger, live, replay, onClock: () => selfMetrics.begin() });
  sampler = running;
  const registration =
    options.nexus === null
      ? null
      : startRegistration({
          nexus: options.nexus,
          producerId,
          kind: "service",
          address: server.address,
          intervalMs: collectIntervalMs,
          logger,
          clock,
        });

  const stop = async (deadlineMs: number): Promise<void> => {
    const startedMs = performance.now();
    const left = (): number => Math.max(1, deadlineMs - (performance.now() - startedMs));
    try {
      await withDeadline(left(), "Ending the sources", () => running.stop());
    } catch (error) {
      logger.warn({ error: messageOf(error) }, "a source did not end in time");
    }
    while (delivery.buffered > 0 && delivery.collectorAlive && performance.now() - startedMs < deadlineMs) await sleep(LAST_CHANCE_POLL_MS);
    if (delivery.buffered > 0) logger.warn({ samples: delivery.buffered }, "samples were not collected before the end and are lost");
    await Promise.all([registration?.stop(), server.close(left())]);
  };
  let stopped: Promise<void> | null = null;
  return {
    producerId,
    address: server.address,
    stats: () => ({
      produced: ledger.produced,
      delivered: ledger.delivered,
      dropped: new Map(ledger.dropped),
      buffered: delivery.buffered,
      sources: new Map(
        [...counters].map(([name, own]) => [name, { ...own, failures: new Map(own.failures), lastFailure: failures().get(name) ?? null }]),
      ),
      clockFailure: running.clockFailure,
      registration: registration?.state() ?? null,
    }),
    replayed: () => running.replayed(),
    stop: (deadlineMs) => (stopped ??= stop(deadlineMs)),
  };
}
