import { randomBytes } from "node:crypto";
import { PRODUCER_COLLECTOR_ALIVE_INTERVALS, PRODUCER_RESPONSE_SAMPLES, ZonemeterError, type Clock } from "../core/index.ts";
import type { AcknowledgingRequest } from "../wire/index.ts";
import type { GroupBuffer } from "./group-buffer.ts";
import type { Ledger } from "./ledger.ts";
import { countSamples, type SampleGroup } from "./sample-group.ts";

/** What one request gets. `settle` must be called once: with true when the response went out whole. */
export interface Collection {
  readonly groups: readonly SampleGroup[];
  /** Name to acknowledge it by; null where there is nothing to acknowledge. */
  readonly batch: string | null;
  readonly more: boolean;
  settle(sentWhole: boolean): void;
}

export interface DeliveryOptions {
  /** What is given out, in this order. */
  readonly buffers: readonly GroupBuffer[];
  readonly ledger: Ledger;
  /** One more group for the end of a collection: the self-metrics. */
  readonly closing: () => SampleGroup | null;
  /** True while something is on its way that collectors should not wait an interval for: the first snapshots, or a recording. */
  readonly expecting: () => boolean;
  readonly collectIntervalMs: number;
  readonly clock: Clock;
  /** Called with groups that a collector has for good. */
  readonly onDelivered: (groups: readonly SampleGroup[]) => void;
}

/** Groups that were given out, with the buffers to put them back into. */
interface Outstanding {
  readonly parts: readonly { readonly buffer: GroupBuffer; readonly groups: readonly SampleGroup[] }[];
  readonly groups: readonly SampleGroup[];
}

/**
 * Gives samples to collectors. A stock Oximeter, which asks without our headers, gets everything up to a cap, and what it gets is gone once
 * its response was sent whole; otherwise it is put back in order. An acknowledging collector gets numbered batches: each is repeated, with the
 * same number and content, until the next request names it as stored. While such a collector lives, others may look and drain nothing.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #epoch = randomBytes(8).toString("hex");
  #sequence = 0;
  /** The batch that was given to an acknowledging collector and is not known to be stored. */
  #unacknowledged: Outstanding | null = null;
  /** What a stock collector is being sent now. */
  #inFlight: Outstanding | null = null;
  #tail: Promise<void> = Promise.resolve();
  #acknowledgerSeenNs: bigint | null = null;
  #anyoneSeenNs: bigint | null = null;
  #closingSeenNs: bigint | null = null;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Samples that wait or are on their way. */
  get buffered(): number {
    const out = countSamples(this.#unacknowledged?.groups ?? []) + countSamples(this.#inFlight?.groups ?? []);
    return this.#options.buffers.reduce((sum, buffer) => sum + buffer.samples, out);
  }

  /** True where somebody has collected lately, so that waiting for the next time makes sense. */
  get collectorAlive(): boolean {
    return this.#isRecent(this.#anyoneSeenNs);
  }

  /** Answers one request; null stands for a stock collector. Requests that drain are served one after the other. */
  async collect(request: AcknowledgingRequest | null, signal: AbortSignal): Promise<Collection> {
    const before = this.#tail;
    let release = (): void => undefined;
    this.#tail = new Promise<void>((resolve) => (release = () => void before.then(resolve)));
    try {
      await untilSettled(before, signal);
      this.#anyoneSeenNs = this.#options.clock.monotonicNs();
      if (request !== null) return { ...this.#acknowledged(request), settle: release };
      if (this.#isRecent(this.#acknowledgerSeenNs)) return { ...this.#look(), settle: release };
      return this.#drain(release);
    } catch (error) {
      release();
      throw error;
    } finally {
      // Only a draining response has to be waited for; the others change nothing when they are sent.
      if (this.#inFlight === null) release();
    }
  }

  #acknowledged({ stored, maxSamples }: AcknowledgingRequest): Omit<Collection, "settle"> {
    this.#acknowledgerSeenNs = this.#options.clock.monotonicNs();
    const last = this.#unacknowledged;
    if (last !== null && stored === this.#batchName()) {
      this.#unacknowledged = null;
      this.#delivered(last.groups);
    }
    if (maxSamples === 0) return { groups: [], batch: null, more: this.buffered > 0 || this.#options.expecting() };
    const most = Math.min(maxSamples, PRODUCER_RESPONSE_SAMPLES);
    // A collector that has lost its room since gets the samples anew, under a number that promises nothing about the old one.
    if (this.#unacknowledged !== null && countSamples(this.#unacknowledged.groups) > maxSamples) this.#putBack(this.#takeUnacknowledged());
    if (this.#unacknowledged === null) {
      const taken = this.#take(most);
      if (taken.groups.length === 0) return { groups: [], batch: null, more: this.#more() };
      this.#unacknowledged = taken;
      this.#sequence += 1;
    }
    return { groups: this.#unacknowledged!.groups, batch: this.#batchName(), more: this.#more() };
  }

  #look(): Omit<Collection, "settle"> {
    const groups = [...(this.#unacknowledged?.groups ?? [])];
    let left = PRODUCER_RESPONSE_SAMPLES - countSamples(groups);
    for (const buffer of this.#options.buffers) {
      const seen = buffer.peek(left);
      groups.push(...seen);
      left -= countSamples(seen);
    }
    return { groups, batch: null, more: this.buffered > countSamples(groups) };
  }

  #drain(release: () => void): Collection {
    if (this.#unacknowledged !== null) this.#putBack(this.#takeUnacknowledged());
    const out = this.#take(PRODUCER_RESPONSE_SAMPLES);
    this.#inFlight = out;
    const settle = (sentWhole: boolean): void => {
      if (this.#inFlight !== out) return;
      this.#inFlight = null;
      if (sentWhole) this.#delivered(out.groups);
      else this.#putBack(out);
      release();
    };
    return { groups: out.groups, batch: null, more: this.#more(), settle };
  }

  /** Takes up to `most` samples. The closing group ends the last of several responses, and comes at least once in each collect interval. */
  #take(most: number): Outstanding {
    const { buffers } = this.#options;
    const overdue = this.#isWithin(this.#closingSeenNs, 1) ? null : this.#close(most);
    const parts: { buffer: GroupBuffer; groups: readonly SampleGroup[] }[] = [];
    let left = most - (overdue?.values.length ?? 0);
    for (const buffer of buffers) {
      const groups = buffer.take(left);
      if (groups.length > 0) parts.push({ buffer, groups });
      left -= countSamples(groups);
    }
    const closing = overdue ?? (this.#more() ? null : this.#close(left));
    if (closing !== null) parts.push({ buffer: buffers[0]!, groups: [closing] });
    return { parts, groups: parts.flatMap((part) => part.groups) };
  }

  #close(room: number): SampleGroup | null {
    const closing = this.#options.closing();
    if (closing === null || closing.values.length > room) return null;
    this.#closingSeenNs = this.#options.clock.monotonicNs();
    this.#options.ledger.produced += BigInt(closing.values.length);
    return closing;
  }

  #more(): boolean {
    return this.#options.buffers.some((buffer) => buffer.samples > 0) || this.#options.expecting();
  }

  #takeUnacknowledged(): Outstanding {
    const out = this.#unacknowledged!;
    this.#unacknowledged = null;
    return out;
  }

  #putBack({ parts }: Outstanding): void {
    // Last part first, so that several parts of one buffer keep their order.
    for (const { buffer, groups } of parts.toReversed()) this.#options.ledger.drop("ring_full", countSamples(buffer.putBack(groups)));
  }

  #delivered(groups: readonly SampleGroup[]): void {
    this.#options.ledger.delivered += BigInt(countSamples(groups));
    this.#options.onDelivered(groups);
  }

  #batchName(): string {
    return `${this.#epoch}:${this.#sequence}`;
  }

  #isRecent(seenNs: bigint | null): boolean {
    return this.#isWithin(seenNs, PRODUCER_COLLECTOR_ALIVE_INTERVALS);
  }

  #isWithin(seenNs: bigint | null, intervals: number): boolean {
    return (
      seenNs !== null &&
      this.#options.clock.monotonicNs() - seenNs < BigInt(Math.ceil(this.#options.collectIntervalMs * intervals)) * 1_000_000n
    );
  }
}

async function untilSettled(before: Promise<void>, signal: AbortSignal): Promise<void> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () =>
      reject(new ZonemeterError("unavailable", "Another collection had not ended when this one was given up.", { cause: signal.reason }));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    await Promise.race([before, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
