/** Counts by a closed set of reasons. Only reasons that occurred are in it. */
export class Tally<Reason extends string> {
  readonly #counts = new Map<Reason, bigint>();

  add(reason: Reason, count: number | bigint = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0n) + BigInt(count));
  }

  get sum(): bigint {
    let sum = 0n;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  entries(): ReadonlyMap<Reason, bigint> {
    return new Map(this.#counts);
  }
}
