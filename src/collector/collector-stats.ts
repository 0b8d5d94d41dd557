import type { RefusalReason } from "../store/index.ts";
import type { CollectionFailureReason } from "./collection-failure.ts";
import type { CollectorDropReason, Inserter } from "./inserter.ts";
import type { ProducerSet } from "./producer-set.ts";
import type { Refresher } from "./refresher.ts";
import type { SampleQueue } from "./sample-queue.ts";
import { Tally } from "./tally.ts";

/** Counts since the process started; those of producers are of the ones that are collected from now. */
export interface CollectorStats {
  readonly producers: number;
  readonly collections: bigint;
  readonly samplesCollected: bigint;
  readonly failures: ReadonlyMap<CollectionFailureReason, bigint>;
  /** Samples that wait for an insert, and those of the insert under way. */
  readonly queued: number;
  readonly inserting: number;
  readonly stored: bigint;
  readonly dropped: ReadonlyMap<CollectorDropReason, bigint>;
  readonly refused: ReadonlyMap<RefusalReason, bigint>;
  readonly lastRefreshNs: bigint | null;
  /** Why the list of producers could not be read the last time, and why the last insert failed; null where they did not. */
  readonly refreshFailure: string | null;
  readonly insertFailure: string | null;
}

/** The parts that keep the counts. */
export interface CountedParts {
  readonly producers: ProducerSet;
  readonly queue: SampleQueue;
  readonly inserter: Inserter;
  readonly dropped: Tally<CollectorDropReason>;
  readonly refused: Tally<RefusalReason>;
  readonly refresher: Refresher;
}

export function statsOf({ producers, queue, inserter, dropped, refused, refresher }: CountedParts): CollectorStats {
  const details = producers.all().map((task) => task.details);
  const failures = new Tally<CollectionFailureReason>();
  for (const producer of details) for (const [reason, count] of producer.failures) failures.add(reason, count);
  return {
    producers: details.length,
    collections: details.reduce((sum, { collections }) => sum + collections, 0n),
    samplesCollected: details.reduce((sum, { samples }) => sum + samples, 0n),
    failures: failures.entries(),
    queued: queue.samples,
    inserting: inserter.inHand,
    stored: inserter.stored,
    dropped: dropped.entries(),
    refused: refused.entries(),
    lastRefreshNs: refresher.lastRefreshNs,
    refreshFailure: refresher.lastFailure,
    insertFailure: inserter.lastFailure,
  };
}
