import type { Clock } from "../../src/core/index.ts";

/** A clock that goes only when it is told to. */
export class ManualClock implements Clock {
  #wallNs: bigint;
  #monotonicNs: bigint;

  constructor(wallNs: bigint, monotonicNs: bigint = 0n) {
    this.#wallNs = wallNs;
    this.#monotonicNs = monotonicNs;
  }

  wallNs(): bigint {
    return this.#wallNs;
  }

  monotonicNs(): bigint {
    return this.#monotonicNs;
  }

  /** Time passes, on both clocks. */
  pass(ns: bigint): void {
    this.#wallNs += ns;
    this.#monotonicNs += ns;
  }

  /** Somebody sets the wall clock. */
  step(ns: bigint): void {
    this.#wallNs += ns;
  }
}
