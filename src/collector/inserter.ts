import { createHash } from "node:crypto";
import {
  COLLECTOR_BATCH_INTERVAL_MS,
  COLLECTOR_BATCH_SAMPLES,
  COLLECTOR_INSERT_ATTEMPTS,
  COLLECTOR_INSERT_RETRY_MS,
  COLLECTOR_INSERT_SAMPLES,
  COLLECTOR_INSERT_TIMEOUT_MS,
  messageOf,
  ZonemeterError,
} from "../core/index.ts";
import { Backoff, sleep, withDeadline, type BackoffPolicy, type Logger } from "../runtime/index.ts";
import type { InsertReport, RefusalReason, Store } from "../store/index.ts";
import type { Delivery, SampleQueue } from "./sample-queue.ts";
import type { Tally } from "./tally.ts";

/** Where samples go. */
export type Sink = Pick<Store, "insert">;

/** Why a sample that was received never came to the store. */
export type CollectorDropReason = "queue_full" | "insert_failed";

const INSERT_BACKOFF: BackoffPolicy = { firstMs: 250, factor: 2, capMs: 15_000, spread: 0.5 };

export interface InserterOptions {
  readonly queue: SampleQueue;
  readonly sink: Sink;
  readonly dropped: Tally<CollectorDropReason>;
  readonly refused: Tally<RefusalReason>;
  readonly logger: Logger;
  readonly batchSamples?: number;
  readonly batchIntervalMs?: number;
  readonly insertTimeoutMs?: number;
  readonly retryMs?: number;
  readonly backoff?: BackoffPolicy;
}

/**
 * Takes samples from the queue when there are enough for an insert, or some have waited long enough, and inserts them. An insert that fails is
 * tried again as it is and with its token, so that a store that has it already adds nothing. Polling goes on meanwhile.
 */
export class Inserter {
  readonly #options: InserterOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #inHand: readonly Delivery[] = [];
  #stored = 0n;
  #lastFailure: string | null = null;
  #idleWaiters: (() => void)[] = [];

  constructor(options: InserterOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** Samples that the store has taken. */
  get stored(): bigint {
    return this.#stored;
  }

  /** Samples of the insert that is under way. */
  get inHand(): number {
    return this.#inHand.reduce((sum, delivery) => sum + delivery.samples.length, 0);
  }

  /** Why the last try failed; null where it did not. */
  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /** Resolves when nothing waits and nothing is under way, or when `signal` fires. What waits is inserted without delay. */
  async drain(signal: AbortSignal): Promise<void> {
    const { queue } = this.#options;
    while ((queue.samples > 0 || this.#inHand.length > 0) && !signal.aborted && !this.#stopping.signal.aborted) {
      queue.hurry();
      await new Promise<void>((resolve) => {
        const done = (): void => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        signal.addEventListener("abort", done, { once: true });
        this.#idleWaiters.push(done);
      });
    }
  }

  /** Ends at once; what waits stays where it is. */
  async stop(): Promise<void> {
    this.#stopping.abort(new ZonemeterError("unavailable", "The collector is stopping."));
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { queue, batchSamples = COLLECTOR_BATCH_SAMPLES } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (queue.samples === 0) {
        await queue.change(signal);
        continue;
      }
      await this.#untilWorthwhile(batchSamples);
      if (signal.aborted) break;
      this.#inHand = queue.take(COLLECTOR_INSERT_SAMPLES);
      const stored = await this.#insert(this.#inHand);
      for (const delivery of this.#inHand) delivery.settled(stored);
      this.#inHand = [];
      this.#wakeIdle();
    }
    this.#wakeIdle();
  }

  #wakeIdle(): void {
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const wake of waiters) wake();
  }

  /** Waits while there is little, but not for longer than the batch interval. */
  async #untilWorthwhile(batchSamples: number): Promise<void> {
    const { queue, batchIntervalMs = COLLECTOR_BATCH_INTERVAL_MS } = this.#options;
    const waited = new AbortController();
    const onStop = (): void => waited.abort();
    this.#stopping.signal.addEventListener("abort", onStop, { once: true });
    const timer = setTimeout(onStop, batchIntervalMs).unref();
    while (queue.samples < batchSamples && !queue.urgent && !waited.signal.aborted) await queue.change(waited.signal);
    clearTimeout(timer);
    this.#stopping.signal.removeEventListener("abort", onStop);
  }

  /** Whether the store has the samples in the end. */
  async #insert(deliveries: readonly Delivery[]): Promise<boolean> {
    const { sink, logger, insertTimeoutMs = COLLECTOR_INSERT_TIMEOUT_MS, retryMs = COLLECTOR_INSERT_RETRY_MS } = this.#options;
    const samples = deliveries.length === 1 ? deliveries[0]!.samples : deliveries.flatMap((delivery) => delivery.samples);
    const token = tokenOf(deliveries);
    const backoff = new Backoff(this.#options.backoff ?? INSERT_BACKOFF);
    const startedMs = performance.now();
    const { signal } = this.#stopping;
    let faults = 0;
    while (!signal.aborted) {
      try {
        this.#taken(await withDeadline(insertTimeoutMs, "The insert", () => sink.insert(samples, token), signal), samples.length);
        return true;
      } catch (error) {
        if (signal.aborted) break;
        const { code } = error instanceof ZonemeterError ? error : { code: "internal" };
        if (code !== "unavailable") faults += 1;
        this.#lastFailure = messageOf(error);
        logger.warn({ samples: samples.length, code, error: this.#lastFailure }, "an insert failed and is tried again");
        if (faults >= COLLECTOR_INSERT_ATTEMPTS || performance.now() - startedMs >= retryMs) break;
        await sleep(backoff.next(), signal);
      }
    }
    this.#givenUp(deliveries);
    return false;
  }

  #taken({ stored, refused, messages }: InsertReport, samples: number): void {
    const { logger } = this.#options;
    if (this.#lastFailure !== null) logger.info({ samples }, "the store takes inserts again");
    this.#lastFailure = null;
    this.#stored += BigInt(stored);
    for (const [reason, count] of refused) this.#options.refused.add(reason, count);
    for (const message of messages) logger.warn({}, message);
  }

  #givenUp(deliveries: readonly Delivery[]): void {
    const lost = deliveries.reduce((sum, { keptByProducer, samples }) => sum + (keptByProducer ? 0 : samples.length), 0);
    this.#options.dropped.add("insert_failed", lost);
    this.#options.logger.error({ lost, error: this.#lastFailure }, "an insert was given up");
  }
}

/** The same deliveries always have the same token, and others another. */
function tokenOf(deliveries: readonly Delivery[]): string {
  if (deliveries.length === 1) return deliveries[0]!.name;
  return createHash("sha256")
    .update(deliveries.map(({ name }) => name).join("\n"))
    .digest("hex");
}
