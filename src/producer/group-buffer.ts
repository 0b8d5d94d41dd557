import { Ring } from "../core/index.ts";
import { countSamples, splitGroup, type SampleGroup } from "./sample-group.ts";

/**
 * Groups that wait for their collection, oldest first. What was taken and could not be delivered comes back in front. `capacity` bounds the
 * groups that wait; those that were taken are bounded by whoever took them.
 */
export class GroupBuffer {
  #capacity: number;
  #ring: Ring<SampleGroup>;
  #returned: SampleGroup[] = [];
  #samples = 0;
  #roomWaiters: (() => void)[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#ring = new Ring(capacity);
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Makes room for at least this many groups. A buffer never shrinks. */
  growTo(capacity: number): void {
    if (capacity <= this.#capacity) return;
    const larger = new Ring<SampleGroup>(capacity);
    for (let group = this.#ring.shift(); group !== undefined; group = this.#ring.shift()) larger.push(group);
    this.#ring = larger;
    this.#capacity = capacity;
    this.#wake();
  }

  get size(): number {
    return this.#returned.length + this.#ring.size;
  }

  /** Samples of the groups that wait. */
  get samples(): number {
    return this.#samples;
  }

  /** Appends. Where the buffer is full the oldest group goes, and is returned. */
  push(group: SampleGroup): SampleGroup | undefined {
    const evicted = this.size >= this.#capacity ? this.#shift() : undefined;
    this.#ring.push(group);
    this.#samples += group.values.length;
    return evicted;
  }

  /** Takes groups of up to `maxSamples` samples in all; the last one may be the front part of a larger one. */
  take(maxSamples: number): SampleGroup[] {
    const taken: SampleGroup[] = [];
    let left = maxSamples;
    while (left > 0) {
      const next = this.#shift();
      if (next === undefined) break;
      if (next.values.length > left && taken.length > 0) {
        this.putBack([next]);
        break;
      }
      const [front, rest] = next.values.length > left ? splitGroup(next, left) : [next, null];
      if (rest !== null) this.putBack([rest]);
      taken.push(front);
      left -= front.values.length;
    }
    if (taken.length > 0) this.#wake();
    return taken;
  }

  /** The groups that `take` would give, left where they are. */
  peek(maxSamples: number): SampleGroup[] {
    const seen: SampleGroup[] = [];
    let left = maxSamples;
    for (let i = 0; i < this.size; i++) {
      const group = i < this.#returned.length ? this.#returned[i]! : this.#ring.at(i - this.#returned.length)!;
      if (group.values.length > left) break;
      seen.push(group);
      left -= group.values.length;
    }
    return seen;
  }

  /** Puts groups back in front of all others, in their order. Returns the oldest ones that no longer fit, now gone. */
  putBack(groups: readonly SampleGroup[]): SampleGroup[] {
    this.#returned = [...groups, ...this.#returned];
    this.#samples += countSamples(groups);
    const evicted: SampleGroup[] = [];
    while (this.size > this.#capacity) evicted.push(this.#shift()!);
    return evicted;
  }

  /** Resolves when one more group fits without another having to go, or when `signal` fires. */
  async whenRoom(signal: AbortSignal): Promise<void> {
    while (this.size >= this.#capacity && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        signal.addEventListener("abort", done, { once: true });
        this.#roomWaiters.push(done);
      });
    }
  }

  #shift(): SampleGroup | undefined {
    const group = this.#returned.shift() ?? this.#ring.shift();
    if (group !== undefined) this.#samples -= group.values.length;
    return group;
  }

  #wake(): void {
    const waiters = this.#roomWaiters;
    this.#roomWaiters = [];
    for (const wake of waiters) wake();
  }
}
