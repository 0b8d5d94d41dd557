import { messageOf, ZonemeterError } from "../core/index.ts";

/**
 * Cuts long synchronous work into pieces, so that the event loop is never held for long: `if (slice.spent()) await slice.rest()` between two
 * steps. Reading a kernel file takes 10 µs synchronously and 70 µs through the thread pool, which is why the work is synchronous at all.
 */
export class TimeSlice {
  readonly #sliceMs: number;
  readonly #what: string;
  readonly #signal: AbortSignal | null;
  #endsAt: number;

  /** `what` names the work in the error; without a signal nothing breaks it off. */
  constructor(sliceMs: number, what: string, signal: AbortSignal | null) {
    this.#sliceMs = sliceMs;
    this.#what = what;
    this.#signal = signal;
    this.#endsAt = performance.now() + sliceMs;
  }

  /** Runs work to its end that pauses wherever it can be interrupted. */
  async run<T>(work: Generator<void, T, void>): Promise<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
      if (this.spent()) await this.rest();
    }
  }

  spent(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Lets everything else that is due have its turn. Rejects with `unavailable` once the signal fired. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#signal?.aborted === true) {
      const { reason } = this.#signal as { reason: unknown };
      throw new ZonemeterError("unavailable", `${this.#what} was broken off (${messageOf(reason)}).`, { cause: reason });
    }
    this.#endsAt = performance.now() + this.#sliceMs;
  }
}
