/**
 * Cuts long synchronous work into pieces, so that the event loop is never held for long: `if (slice.spent()) await slice.rest()` between two
 * steps. Reading a kernel file takes 10 µs synchronously and 70 µs through the thread pool, which is why the work is synchronous at all.
 */
export class TimeSlice {
  readonly #sliceMs: number;
  readonly #signal: AbortSignal | null;
  #endsAt: number;

  constructor(sliceMs: number, signal: AbortSignal | null = null) {
    this.#sliceMs = sliceMs;
    this.#signal = signal;
    this.#endsAt = performance.now() + sliceMs;
  }

  spent(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Lets everything else that is due have its turn. Rejects with the signal's reason once it fired. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#endsAt = performance.now() + this.#sliceMs;
  }
}
