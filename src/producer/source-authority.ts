import type { Snapshot } from "../sources/index.ts";

/**
 * Decides which source speaks for a metric of a sled, so that a sum over zones never counts twice: the first of the order that has ever
 * had a value for it. One later in the order emits only what those before it lack. With `compareSources` all may speak.
 */
export class SourceAuthority {
  readonly #order: readonly string[];
  readonly #compareSources: boolean;
  /** Rank of the source that speaks, by sled, kind of subject and metric. */
  readonly #speakers = new Map<string, number>();

  /** `order`: source names, first the one that is asked first. A name that is not in it comes after all others. */
  constructor(order: readonly string[], compareSources: boolean) {
    this.#order = order;
    this.#compareSources = compareSources;
  }

  /** True where `source` may emit the metric; one that has a value for it takes over from those after it. */
  admits(sledId: string, kind: Snapshot["subject"]["kind"], metric: string, source: string, hasValue: boolean): boolean {
    if (this.#compareSources) return true;
    const key = `${sledId} ${kind} ${metric}`;
    const position = this.#order.indexOf(source);
    const rank = position === -1 ? this.#order.length : position;
    const speaker = this.#speakers.get(key) ?? Infinity;
    if (hasValue && rank < speaker) this.#speakers.set(key, rank);
    return rank <= speaker;
  }
}
