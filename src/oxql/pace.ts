import { QUERY_SLICE_MS } from "../core/index.ts";

/** Lets a long computation share the event loop: it works in slices, and other work has its turn between them. */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #sliceMs: number;
  #sliceBegan = performance.now();

  constructor(signal: AbortSignal, sliceMs = QUERY_SLICE_MS) {
    this.#signal = signal;
    this.#sliceMs = sliceMs;
  }

  /** To be called between steps. Throws the signal's reason once it has fired. */
  async step(): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - this.#sliceBegan < this.#sliceMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
    this.#sliceBegan = performance.now();
  }
}
