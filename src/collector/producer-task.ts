import { formatSocketAddress, messageOf, type SocketAddress } from "../core/index.ts";
import type { nexusProducers } from "../generated/index.ts";
import { Loop } from "../runtime/index.ts";
import type { CollectionContext } from "./collection-context.ts";
import type { CollectionFailure, CollectionFailureReason } from "./collection-failure.ts";
import { ProducerSession } from "./producer-session.ts";
import { Tally } from "./tally.ts";

/** A producer as Nexus lists it. `intervalMs` is above 0. */
export interface Endpoint {
  readonly id: string;
  readonly kind: nexusProducers.ProducerKind;
  readonly address: SocketAddress;
  readonly intervalMs: number;
}

/** How one collection went. `startedAtNs` is when it was queued, by the wall clock. */
export interface CollectionRecord {
  readonly startedAtNs: bigint;
  readonly queuedForNs: bigint;
  readonly collectingForNs: bigint;
}

/** What is known of a producer. */
export interface ProducerDetails {
  readonly endpoint: Endpoint;
  readonly registeredNs: bigint;
  readonly updatedNs: bigint;
  readonly collections: bigint;
  readonly samples: bigint;
  readonly failures: ReadonlyMap<CollectionFailureReason, bigint>;
  readonly lastSuccess: (CollectionRecord & { readonly samples: number }) | null;
  readonly lastFailure: (CollectionRecord & { readonly reason: CollectionFailureReason }) | null;
}

interface Request {
  readonly startedAtNs: bigint;
  readonly queuedNs: bigint;
  readonly empty: boolean;
  /** Collections that an interval asked for; at most one of them waits. */
  readonly byTimer: boolean;
  readonly done: () => void;
}

/** Polls one producer on its interval. Collections of a producer never overlap; of those that its timer asks for one waits, and more are failures. */
export class ProducerTask {
  readonly #context: CollectionContext;
  readonly #session: ProducerSession;
  readonly #failures = new Tally<CollectionFailureReason>();
  readonly #registeredNs: bigint;
  readonly #requests: Request[] = [];
  readonly #stopping = new AbortController();
  #endpoint: Endpoint;
  #updatedNs: bigint;
  #loop: Loop;
  /** The collection under way. */
  #attempt: AbortController | null = null;
  #running: Promise<void> | null = null;
  #askingAgain = false;
  #askAgain: Promise<boolean> | null = null;
  #collections = 0n;
  #samples = 0n;
  #lastSuccess: ProducerDetails["lastSuccess"] = null;
  #lastFailure: ProducerDetails["lastFailure"] = null;

  /** `firstDelayMs`: null for a random one within the interval, so that many producers are not polled at the same moment. */
  constructor(context: CollectionContext, endpoint: Endpoint, firstDelayMs: number | null) {
    this.#context = context;
    this.#endpoint = endpoint;
    this.#session = new ProducerSession(context, endpoint.id);
    this.#registeredNs = context.clock.wallNs();
    this.#updatedNs = this.#registeredNs;
    this.#loop = this.#startLoop(firstDelayMs);
  }

  get details(): ProducerDetails {
    return {
      endpoint: this.#endpoint,
      registeredNs: this.#registeredNs,
      updatedNs: this.#updatedNs,
      collections: this.#collections,
      samples: this.#samples,
      failures: this.#failures.entries(),
      lastSuccess: this.#lastSuccess,
      lastFailure: this.#lastFailure,
    };
  }

  /** Takes over what has changed. An equal endpoint changes nothing, least of all the timer; a new address starts a running collection again. */
  update(endpoint: Endpoint): void {
    const { address, intervalMs } = this.#endpoint;
    const moved = formatSocketAddress(address) !== formatSocketAddress(endpoint.address);
    if (!moved && intervalMs === endpoint.intervalMs) return;
    this.#endpoint = endpoint;
    this.#updatedNs = this.#context.clock.wallNs();
    void this.#loop.stop();
    this.#loop = this.#startLoop(null);
    if (moved) this.#attempt?.abort(new Error("the producer has moved"));
  }

  /** Collects everything that the producer has, waits until it is stored, and acknowledges it. Ends early where `signal` fires or something fails. */
  async drain(signal: AbortSignal): Promise<void> {
    for (let more = true; more;) {
      const failures = this.#failures.sum;
      await this.#request(false, false);
      this.#context.queue.hurry();
      if (this.#failures.sum > failures || signal.aborted) return;
      more = this.#askAgain !== null;
      const stored = this.#askAgain ?? this.#session.pending;
      if (stored !== null && !(await settledOr(stored, signal))) return;
    }
    if (!this.#session.isStock) await this.#request(true, false);
  }

  /** Ends the timer and what is under way. Samples that are in the queue already go their way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#attempt?.abort(new Error("the producer is no longer collected from"));
    await this.#loop.stop();
    await this.#running;
  }

  #startLoop(firstDelayMs: number | null): Loop {
    const { intervalMs, id } = this.#endpoint;
    const { random, logger } = this.#context;
    return new Loop({
      name: `collecting from ${id}`,
      intervalMs,
      firstDelayMs: firstDelayMs ?? random() * intervalMs,
      logger,
      run: async () => {
        if (this.#requests.some(({ byTimer }) => byTimer)) {
          const { clock } = this.#context;
          this.#failed(
            { startedAtNs: clock.wallNs(), queuedForNs: 0n, collectingForNs: 0n },
            { reason: "collections in progress", detail: `The collections before have not ended.` },
          );
        } else void this.#request(false, true);
      },
    });
  }

  #request(empty: boolean, byTimer: boolean): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    const { clock } = this.#context;
    return new Promise((done) => {
      this.#requests.push({ startedAtNs: clock.wallNs(), queuedNs: clock.monotonicNs(), empty, byTimer, done });
      this.#running ??= this.#serve();
    });
  }

  async #serve(): Promise<void> {
    await Promise.resolve();
    for (let request = this.#requests.shift(); request !== undefined; request = this.#requests.shift()) {
      if (!this.#stopping.signal.aborted) await this.#collect(request);
      request.done();
    }
    this.#running = null;
  }

  async #collect({ startedAtNs, queuedNs, empty }: Request): Promise<void> {
    const { clock, logger } = this.#context;
    const beganNs = clock.monotonicNs();
    while (!this.#stopping.signal.aborted) {
      const attempt = new AbortController();
      this.#attempt = attempt;
      try {
        const { samples, failure, askAgain } = await this.#session.collect(this.#endpoint.address, empty, attempt.signal);
        const record: CollectionRecord = { startedAtNs, queuedForNs: beganNs - queuedNs, collectingForNs: clock.monotonicNs() - beganNs };
        this.#askAgain = askAgain;
        if (failure !== null) return this.#failed(record, failure);
        this.#collections += 1n;
        this.#samples += BigInt(samples);
        this.#lastSuccess = { ...record, samples };
        if (askAgain !== null && !empty) this.#askAgainAfter(askAgain);
        return;
      } catch (error) {
        // Where the producer has moved, the same collection is made at its new address.
        if (attempt.signal.aborted) continue;
        logger.error({ producer: this.#endpoint.id, error: messageOf(error) }, "a collection ended with a defect");
        return;
      } finally {
        this.#attempt = null;
      }
    }
  }

  #askAgainAfter(opportunity: Promise<boolean>): void {
    if (this.#askingAgain) return;
    this.#askingAgain = true;
    void opportunity.then((now) => {
      this.#askingAgain = false;
      // A request that waits already will do.
      if (now && this.#requests.length === 0) void this.#request(false, false);
    });
  }

  #failed(record: CollectionRecord, { reason, detail }: CollectionFailure): void {
    const { logger } = this.#context;
    // The same failure again and again is told once.
    const level =
      this.#lastFailure?.reason === reason && (this.#lastSuccess === null || this.#lastFailure.startedAtNs > this.#lastSuccess.startedAtNs)
        ? "debug"
        : "warn";
    this.#failures.add(reason);
    this.#lastFailure = { ...record, reason };
    logger[level]({ producer: this.#endpoint.id, reason }, detail);
  }
}

/** What the promise settles with, or false where `signal` fires before. */
function settledOr(pending: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (stored: boolean): void => {
      signal.removeEventListener("abort", onAbort);
      resolve(stored);
    };
    const onAbort = (): void => done(false);
    if (signal.aborted) return resolve(false);
    signal.addEventListener("abort", onAbort, { once: true });
    void pending.then(done);
  });
}
