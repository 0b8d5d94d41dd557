/** Upstream's policy for internal services: 250 ms, doubling to 180 s, each delay spread by half either way, without an end. */
export const INTERNAL_SERVICE_BACKOFF: BackoffPolicy = { firstMs: 250, factor: 2, capMs: 180_000, spread: 0.5 };

export interface BackoffPolicy {
  readonly firstMs: number;
  readonly factor: number;
  readonly capMs: number;
  /** Share of each delay by which it is moved up or down at random, 0 to 1. */
  readonly spread: number;
}

/** Delays between attempts. `next` gives the delay to wait after one more failure; `reset` is called after a success. */
export class Backoff {
  readonly #policy: BackoffPolicy;
  readonly #random: () => number;
  #failures = 0;

  constructor(policy: BackoffPolicy, random: () => number = Math.random) {
    this.#policy = policy;
    this.#random = random;
  }

  next(): number {
    const { firstMs, factor, capMs, spread } = this.#policy;
    const delay = Math.min(capMs, firstMs * factor ** this.#failures);
    if (delay < capMs) this.#failures += 1;
    return delay * (1 + spread * (2 * this.#random() - 1));
  }

  reset(): void {
    this.#failures = 0;
  }
}
