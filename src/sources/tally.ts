import { IMPORT_REASONS } from "../core/index.ts";

const OTHERS = "other reasons";

/** Counts by reason, bounded. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(reason: string, count = 1): void {
    if (count === 0) return;
    const key = this.#counts.has(reason) || this.#counts.size < IMPORT_REASONS ? reason : OTHERS;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  get total(): number {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    return total;
  }

  /** The most frequent first. */
  sorted(): (readonly [reason: string, count: number])[] {
    return [...this.#counts].sort(([, a], [, b]) => b - a);
  }
}

/** Reasons name what was printed; they are counted by kind. */
export function withoutNumbers(reason: string): string {
  return reason.replaceAll(/\d+/g, "N");
}
