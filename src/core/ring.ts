/** A bounded queue. Pushing into a full ring drops the oldest item and counts it. */
export class Ring<T> {
  readonly capacity: number;
  #items: (T | undefined)[];
  #head = 0;
  #size = 0;
  #dropped = 0n;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError(`ring capacity ${capacity} is not a positive integer`);
    this.capacity = capacity;
    this.#items = [];
  }

  get size(): number {
    return this.#size;
  }

  /** Items dropped since the ring was made. */
  get dropped(): bigint {
    return this.#dropped;
  }

  /** Appends, and returns the item that had to go, if one had. */
  push(item: T): T | undefined {
    let evicted: T | undefined;
    if (this.#size === this.capacity) {
      evicted = this.shift();
      this.#dropped += 1n;
    }
    this.#items[(this.#head + this.#size) % this.capacity] = item;
    this.#size += 1;
    return evicted;
  }

  /** Removes and returns the oldest item. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.capacity;
    this.#size -= 1;
    return item;
  }

  /** The oldest item, without removing it. */
  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#items[this.#head];
  }

  /** The item `index` places behind the oldest. */
  at(index: number): T | undefined {
    return index < 0 || index >= this.#size ? undefined : this.#items[(this.#head + index) % this.capacity];
  }

  /** Removes and returns up to `count` items, oldest first. */
  take(count: number): T[] {
    const taken: T[] = [];
    while (taken.length < count && this.#size > 0) taken.push(this.shift() as T);
    return taken;
  }
}
