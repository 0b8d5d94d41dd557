import {
  COLLECTOR_ASK_MAX_SAMPLES,
  COLLECTOR_ASK_SAMPLES,
  COLLECTOR_MORE_PAUSE_MS,
  messageOf,
  type Sample,
  type SocketAddress,
} from "../core/index.ts";
import { sleep } from "../runtime/index.ts";
import { acknowledgingHeaders, readBatchReply, type BatchReply } from "../wire/index.ts";
import type { CollectionContext } from "./collection-context.ts";
import type { CollectionFailure } from "./collection-failure.ts";
import { fetchCollection, type Fetched } from "./fetch-collection.ts";
import type { Reservation } from "./sample-queue.ts";

/** What one collection came to. */
export interface Collected {
  /** Samples received, refused ones included. */
  readonly samples: number;
  readonly failure: CollectionFailure | null;
  /** Set where the producer has more: settles when it makes sense to ask again, with false where that is only at the next interval. */
  readonly askAgain: Promise<boolean> | null;
}

/**
 * The talk with one producer. Every request offers to acknowledge; a producer that does not answer to that is a stock one. Of the others a
 * batch at a time is in the queue, and no more is asked for than there is room for.
 */
export class ProducerSession {
  readonly #context: CollectionContext;
  readonly #producerId: string;
  /** False until an answer has shown that the producer does not acknowledge. */
  #stock = false;
  #ask = COLLECTOR_ASK_SAMPLES;
  /** Name of the last batch that the store has. */
  #stored: string | null = null;
  /** Settles when the store has, or will not have, the batch that is in the queue. */
  #pending: Promise<boolean> | null = null;
  #looseDeliveries = 0;
  #first = true;

  constructor(context: CollectionContext, producerId: string) {
    this.#context = context;
    this.#producerId = producerId;
  }

  get isStock(): boolean {
    return this.#stock;
  }

  /** The batch that is on its way to the store, if one is. */
  get pending(): Promise<boolean> | null {
    return this.#pending;
  }

  /** Collects once. With `empty` it only acknowledges what is stored. Rejects only where `signal` fires. */
  async collect(address: SocketAddress, empty: boolean, signal: AbortSignal): Promise<Collected> {
    const { collectorId, queue, dispatcher, budget, timeoutMs, maxBytes } = this.#context;
    // What is asked for is 0 where there is no room, where a batch is pending and of stock producers, who give what they have anyway.
    const reservation = empty || this.#stock || this.#pending !== null ? null : queue.reserve(this.#ask);
    try {
      const headers = acknowledgingHeaders({ collectorId, stored: this.#stored, maxSamples: reservation?.samples ?? 0 });
      const fetched = await fetchCollection(
        { dispatcher, address, producerId: this.#producerId, headers, timeoutMs, maxBytes, budget },
        signal,
      );
      if ("reason" in fetched) {
        this.#ask = COLLECTOR_ASK_SAMPLES;
        return { samples: 0, failure: fetched, askAgain: null };
      }
      return this.#take(fetched, reservation, empty, signal);
    } finally {
      reservation?.release();
    }
  }

  #take(fetched: Fetched, reservation: Reservation | null, empty: boolean, signal: AbortSignal): Collected {
    let samples: Sample[];
    try {
      samples = this.#read(fetched.body);
    } catch (error) {
      return {
        samples: 0,
        failure: { reason: "deserialization", detail: `The answer of ${this.#producerId} could not be read: ${messageOf(error)}` },
        askAgain: null,
      };
    } finally {
      fetched.release();
    }
    const reply = readBatchReply(fetched.headers);
    this.#stock = reply === null;
    if (reply === null || (reply.batch === null && samples.length > 0)) {
      this.#addLoose(samples);
      return { samples: samples.length, failure: null, askAgain: null };
    }
    const room = reservation?.samples ?? 0;
    if (samples.length > room && reply.batch !== this.#stored) {
      const detail = `The producer ${this.#producerId} answered with ${samples.length} samples where ${room} were asked for.`;
      return { samples: 0, failure: { reason: "too_large", detail }, askAgain: null };
    }
    if (reply.batch !== null && reply.batch !== this.#stored) this.#addKept(samples, reply.batch, reply.more, reservation!);
    this.#ask = Math.min(COLLECTOR_ASK_MAX_SAMPLES, Math.max(COLLECTOR_ASK_SAMPLES, 2 * samples.length));
    return {
      samples: samples.length,
      failure: null,
      askAgain: reply.more ? this.#opportunity(reply, reservation !== null, empty, signal) : null,
    };
  }

  #read(body: Buffer): Sample[] {
    const samples: Sample[] = [];
    for (const result of this.#context.reader.read(body)) {
      if (result.status === "ok") for (const sample of result.samples) samples.push(sample);
      else
        this.#context.logger.debug({ producer: this.#producerId, error: result.error }, "a source of a producer has nothing but an error");
    }
    return samples;
  }

  #accepted(samples: readonly Sample[]): readonly Sample[] {
    const { check, refused } = this.#context;
    return samples.filter((sample) => {
      const reason = check.refusal(sample);
      if (reason !== null) refused.add(reason);
      return reason === null;
    });
  }

  #addLoose(samples: readonly Sample[]): void {
    const { runId, queue } = this.#context;
    this.#looseDeliveries += 1;
    const name = `${this.#producerId}/${runId}.${this.#looseDeliveries}`;
    queue.addLoose({ samples: this.#accepted(samples), name, keptByProducer: false, urgent: this.#isFirst(), settled: () => undefined });
  }

  #addKept(samples: readonly Sample[], batch: string, more: boolean, reservation: Reservation): void {
    const accepted = this.#accepted(samples);
    if (accepted.length === 0) {
      this.#stored = batch;
      return;
    }
    const pending = new Promise<boolean>((resolve) => {
      const settled = (stored: boolean): void => {
        this.#pending = null;
        if (stored) this.#stored = batch;
        resolve(stored);
      };
      const name = `${this.#producerId}/${batch}`;
      this.#context.queue.addKept({ samples: accepted, name, keptByProducer: true, urgent: more || this.#isFirst(), settled }, reservation);
    });
    this.#pending = pending;
  }

  /** Of a new producer the first samples are stored without delay, so that it is seen to work. */
  #isFirst(): boolean {
    const first = this.#first;
    this.#first = false;
    return first;
  }

  async #opportunity(reply: BatchReply, hadRoom: boolean, empty: boolean, signal: AbortSignal): Promise<boolean> {
    if (this.#pending !== null) return this.#pending;
    if (reply.batch === null && hadRoom) await sleep(COLLECTOR_MORE_PAUSE_MS, signal);
    else if (!hadRoom && !empty) await new Promise<void>((resolve) => this.#context.queue.whenRoom(resolve));
    return !signal.aborted;
  }
}
