import { STORE_QUEUE_STATEMENTS, ZonemeterError } from "../core/index.ts";
import type { ChdbResult, ChdbSession } from "./chdb-module.ts";

export interface SessionJob {
  /** The statement's text, given the time it has left when its turn comes. */
  readonly text: (leftMs: number) => string;
  readonly format: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | null;
  /** Called when the caller has gone while the statement runs; `ended` resolves when the engine is done with it. */
  readonly abandon: (ended: Promise<void>) => void;
}

/** How many statements several queues may run together, as all hold threads of one pool. */
export class Slots {
  #free: number;
  readonly #queues: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** `next` is called when a slot has become free. */
  join(next: () => void): void {
    this.#queues.push(next);
  }

  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  give(): void {
    this.#free += 1;
    // The one that was served last comes last.
    const next = this.#queues.shift();
    if (next !== undefined) this.#queues.push(next);
    for (const each of this.#queues) each();
  }
}

interface Waiting {
  start(session: ChdbSession): void;
  leave(error: unknown): void;
}

/**
 * Statements in order of arrival over sessions that run one at a time each. The queue is bounded, and the time limit counts from the call.
 * A session whose caller has gone stays busy until the engine is done with the statement.
 */
export class SessionQueue {
  readonly #name: string;
  readonly #idle: ChdbSession[];
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #slots: Slots | null;
  #closed = false;

  constructor(name: string, sessions: readonly ChdbSession[], slots: Slots | null = null) {
    this.#name = name;
    this.#idle = [...sessions];
    this.#slots = slots;
    slots?.join(() => this.#next());
  }

  run(job: SessionJob): Promise<ChdbResult> {
    if (this.#closed) return Promise.reject(closed());
    if (job.signal?.aborted === true) return Promise.reject(job.signal.reason as Error);
    if (this.#waiting.length >= STORE_QUEUE_STATEMENTS) {
      return Promise.reject(
        new ZonemeterError("unavailable", `${STORE_QUEUE_STATEMENTS} statements wait for ${this.#name} already: try again later.`, {
          kind: "busy",
        }),
      );
    }
    return new Promise((resolve, reject) => {
      const startedMs = performance.now();
      let ended: Promise<void> | null = null;
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        job.signal?.removeEventListener("abort", onAbort);
        act();
      };
      const leave = (error: unknown): void => {
        const place = this.#waiting.indexOf(waiting);
        if (place >= 0) this.#waiting.splice(place, 1);
        if (ended !== null) job.abandon(ended);
        settle(() => reject(error as Error));
      };
      const onAbort = (): void => leave(job.signal?.reason);
      const timer = setTimeout(
        () =>
          leave(
            new ZonemeterError(
              "unavailable",
              `A statement for ${this.#name} did not finish within ${job.timeoutMs} ms: ask for less, or try again.`,
              { kind: "deadline" },
            ),
          ),
        job.timeoutMs,
      );
      const start = (session: ChdbSession): void => {
        const leftMs = Math.max(1, job.timeoutMs - (performance.now() - startedMs));
        const native = session.queryAsync(job.text(leftMs), { format: job.format });
        ended = native.then(
          (result) => settle(() => resolve(result)),
          (error: unknown) => settle(() => reject(error as Error)),
        );
        this.#track(ended, session);
      };
      const waiting: Waiting = { start, leave };
      job.signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  /** Refuses further statements and those that wait; resolves when none runs any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.leave(closed());
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #next(): void {
    while (this.#idle.length > 0 && this.#waiting.length > 0 && this.#slots?.take() !== false)
      this.#waiting.shift()!.start(this.#idle.pop()!);
  }

  #track(ended: Promise<void>, session: ChdbSession): void {
    this.#running.add(ended);
    void ended.then(() => {
      this.#running.delete(ended);
      this.#idle.push(session);
      if (this.#slots === null) this.#next();
      else this.#slots.give();
    });
  }
}

function closed(): ZonemeterError {
  return new ZonemeterError("unavailable", "The store is closed.");
}
