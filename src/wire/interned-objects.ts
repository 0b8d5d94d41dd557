interface Entry<T> {
  readonly text: Buffer;
  readonly value: T;
  /** What stood behind this one when it was last seen. */
  next: Entry<T> | null;
}

/**
 * Remembers what a text meant, so that the same text gives the same object: within a body, and from one body to the next.
 * Collections of a producer repeat the same objects in the same order, so the one that followed last time is compared first, which needs
 * no look at the text's end. Two generations bound the memory: when the young one is full it becomes the old one, and what is not asked
 * for again is forgotten.
 */
export class InternedObjects<T> {
  readonly #maxBytes: number;
  #young = new Map<string, Entry<T>>();
  #old = new Map<string, Entry<T>>();
  #youngBytes = 0;
  #last: Entry<T> | null = null;

  /** `maxBytes` of text are kept in each generation. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Length of the text at `start` if it is the expected one; `value` is then what it means. 0 where it is another. */
  expect(bytes: Buffer, start: number): number {
    const guess = this.#last?.next;
    if (guess === null || guess === undefined) return 0;
    const { length } = guess.text;
    if (start + length > bytes.length || bytes.compare(guess.text, 0, length, start, start + length) !== 0) return 0;
    this.#last = guess;
    return length;
  }

  /** What the last text found or set meant. */
  get value(): T {
    return this.#last!.value;
  }

  /** Looks up bytes[start, end); true where it is known, and `value` is then what it means. */
  find(bytes: Buffer, start: number, end: number): boolean {
    const text = bytes.toString("latin1", start, end);
    const entry = this.#young.get(text) ?? this.#old.get(text);
    if (entry === undefined) return false;
    if (this.#old.delete(text)) this.#keep(text, entry);
    this.#follow(entry);
    return true;
  }

  /** Remembers what bytes[start, end) means. */
  set(bytes: Buffer, start: number, end: number, value: T): void {
    const entry: Entry<T> = { text: Buffer.from(bytes.subarray(start, end)), value, next: null };
    this.#keep(bytes.toString("latin1", start, end), entry);
    this.#follow(entry);
  }

  #follow(entry: Entry<T>): void {
    if (this.#last !== null) this.#last.next = entry;
    this.#last = entry;
  }

  #keep(text: string, entry: Entry<T>): void {
    if (this.#youngBytes + text.length > this.#maxBytes) {
      // Entries of the old generation may still hang on chains; without their `next` nothing keeps them for long.
      for (const old of this.#old.values()) old.next = null;
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(text, entry);
    this.#youngBytes += text.length;
  }
}
