import { messageOf, PRODUCER_RING_READS, PRODUCER_SMALL_READ, SOURCE_SLICE_MS, type Catalogue, type Clock } from "../core/index.ts";
import { letHeapGrow, TimeSlice, type Logger } from "../runtime/index.ts";
import { SOURCE_NAMES, type OpenedSource, type SledIdentity, type Snapshot } from "../sources/index.ts";
import type { GroupBuffer } from "./group-buffer.ts";
import type { Ledger } from "./ledger.ts";
import type { SampleGroup } from "./sample-group.ts";
import type { SourceCounters } from "./self-metrics.ts";
import { SnapshotSamples } from "./snapshot-samples.ts";
import { SourceAuthority } from "./source-authority.ts";
import { SourceSampler } from "./source-sampler.ts";

export interface SamplerOptions {
  /** In the order in which they are asked to speak for a metric. */
  readonly sources: readonly OpenedSource[];
  readonly compareSources: boolean;
  readonly sled: SledIdentity;
  readonly catalogue: Catalogue;
  /** By source name; counted up here. */
  readonly counters: ReadonlyMap<string, SourceCounters>;
  readonly ledger: Ledger;
  readonly live: GroupBuffer;
  readonly replay: GroupBuffer;
  /** Settles when stamps can be trusted. Nothing is read before; a rejection ends the sampler before it began. */
  readonly waitForClock: (signal: AbortSignal) => Promise<unknown>;
  readonly onClock: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How far a recording has come. */
export interface ReplayProgress {
  /** Snapshots read so far; all there are once `ended`. */
  readonly snapshotsRead: bigint;
  /** Of those, how many a collector has for good. */
  readonly snapshotsDelivered: bigint;
  readonly ended: boolean;
  /** One sentence where the recording could not be read on. */
  readonly failure: string | null;
}

/** Reads every source on its own schedule and puts what it gives into the buffers. */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #snapshots: SnapshotSamples;
  readonly #stopping = new AbortController();
  readonly #started: Promise<void>;
  #samplers: readonly SourceSampler[] = [];
  #clockFailure: string | null = null;
  #replayRead = 0n;
  #replayDelivered = 0n;

  constructor(options: SamplerOptions) {
    this.#options = options;
    const names = options.sources.map(({ source }) => source.name);
    // Recordings hold numbers of sources that are not configured here; among themselves those keep the order of the table.
    const order = [...names, ...SOURCE_NAMES.filter((name) => !names.includes(name))];
    this.#snapshots = new SnapshotSamples({ ...options, authority: new SourceAuthority(order, options.compareSources) });
    this.#started = this.#start();
  }

  /** Why nothing is sampled although it should be; null where all is well. */
  get clockFailure(): string | null {
    return this.#clockFailure;
  }

  /** The last failure of each source whose last read failed. */
  failures(): ReadonlyMap<string, string> {
    return new Map(
      this.#samplers.flatMap((sampler, i) =>
        sampler.lastFailure === null ? [] : [[this.#options.sources[i]!.source.name, sampler.lastFailure] as const],
      ),
    );
  }

  /** Progress of the finite sources together; all zero and ended where there are none. */
  replayed(): ReplayProgress {
    const finite = this.#options.sources
      .map(({ finite: isFinite }, i) => ({ isFinite, sampler: this.#samplers[i] }))
      .filter(({ isFinite }) => isFinite);
    return {
      snapshotsRead: this.#replayRead,
      snapshotsDelivered: this.#replayDelivered,
      ended: finite.every(({ sampler }) => sampler?.ended === true),
      failure: finite.map(({ sampler }) => sampler?.lastFailure ?? null).find((failure) => failure !== null) ?? null,
    };
  }

  /**
   * True while there is something that collectors should not wait an interval for: until live sources have been read once, and until a collector
   * has every snapshot of the recordings for good.
   */
  isExpecting(): boolean {
    if (this.#clockFailure !== null || this.#stopping.signal.aborted) return false;
    if (this.#samplers.some(({ hasTakenIn }) => !hasTakenIn)) return true;
    if (!this.#options.sources.some(({ finite }) => finite)) return false;
    const { ended, snapshotsRead, snapshotsDelivered } = this.replayed();
    return !ended || snapshotsDelivered < snapshotsRead;
  }

  /** Told of groups that a collector has for good. */
  delivered(groups: readonly SampleGroup[]): void {
    const finite = new Set<string>(this.#options.sources.filter((sampled) => sampled.finite).map(({ source }) => source.name));
    if (finite.size === 0) return;
    for (const group of groups) if (!group.partial && finite.has(group.source)) this.#replayDelivered += 1n;
  }

  /** Takes nothing more in, and ends the sources. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the producer is stopping"));
    await this.#started;
    await Promise.all([
      ...this.#samplers.map((sampler) => sampler.stop()),
      ...(this.#samplers.length === 0 ? this.#options.sources.map(({ source }) => source.close()) : []),
    ]);
  }

  async #start(): Promise<void> {
    const { sources, counters, waitForClock, onClock, clock, logger } = this.#options;
    try {
      await waitForClock(this.#stopping.signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#clockFailure = messageOf(error);
      logger.error({ error: this.#clockFailure }, "nothing is sampled: the clock cannot be trusted");
      return;
    }
    if (this.#stopping.signal.aborted) return;
    onClock();
    const samplers: SourceSampler[] = [];
    let mayReport: Promise<void> = Promise.resolve();
    for (const sampled of sources) {
      const take = sampled.finite ? this.#takeAll(sampled.source.name) : this.#takeLive(sampled.source.name);
      const sampler = new SourceSampler({ ...sampled, counters: counters.get(sampled.source.name)!, clock, logger, mayReport, take });
      samplers.push(sampler);
      mayReport = Promise.all([mayReport, sampler.firstRead]).then(() => undefined);
    }
    this.#samplers = samplers;
  }

  #takeLive(source: string): (snapshots: readonly Snapshot[]) => Promise<void> {
    return async (snapshots) => {
      const { live, ledger } = this.#options;
      // On a machine with very many zones the usual ring would not hold what comes between two collections.
      live.growTo(snapshots.length * PRODUCER_RING_READS);
      if (snapshots.length > PRODUCER_SMALL_READ) letHeapGrow();
      const slice = new TimeSlice(SOURCE_SLICE_MS, "Taking snapshots in", null);
      for (const snapshot of snapshots) {
        if (slice.spent()) await slice.rest();
        const group = this.#convert(snapshot, source);
        const evicted = group === null ? undefined : live.push(group);
        if (evicted !== undefined) ledger.drop("ring_full", evicted.values.length);
      }
      this.#snapshots.endRead(source, snapshots.length);
    };
  }

  #takeAll(source: string): (snapshots: readonly Snapshot[], signal: AbortSignal) => Promise<void> {
    return async (snapshots, signal) => {
      const { replay } = this.#options;
      for (const snapshot of snapshots) {
        await replay.whenRoom(signal);
        if (signal.aborted) return;
        const group = this.#convert(snapshot, source);
        if (group !== null) replay.push(group);
        else this.#replayDelivered += 1n;
        this.#replayRead += 1n;
      }
    };
  }

  #convert(snapshot: Snapshot, source: string): SampleGroup | null {
    const { counters, ledger } = this.#options;
    const { group, missing, notInSchema, outOfRange } = this.#snapshots.convert(snapshot, source);
    counters.get(source)!.readingsMissing += BigInt(missing);
    ledger.produced += BigInt((group?.values.length ?? 0) + notInSchema + outOfRange);
    ledger.drop("not_in_schema", notInSchema);
    ledger.drop("out_of_range", outOfRange);
    return group;
  }
}
