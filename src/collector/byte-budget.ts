/** Bytes that all who share the budget may hold together. */
export class ByteBudget {
  readonly #maxBytes: number;
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get held(): number {
    return this.#held;
  }

  /** Holds `bytes` more; false, and holds nothing more, where that would be too many. */
  hold(bytes: number): boolean {
    if (this.#held + bytes > this.#maxBytes) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}
