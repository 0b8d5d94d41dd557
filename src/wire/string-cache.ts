const SLOTS = 4096;

/** Longest text worth keeping: names, types and states are shorter. */
const LONGEST = 96;

/**
 * Gives the same string object for the same ASCII bytes again, without making a new one. A slot holds the newest text with its hash,
 * so memory is bounded whatever is read.
 */
export class StringCache {
  readonly #slots: (string | undefined)[] = Array.from<string | undefined>({ length: SLOTS });

  /** The text of bytes[start, end), which must be ASCII; `hash` is any hash of those bytes. */
  get(bytes: Buffer, start: number, end: number, hash: number): string {
    const length = end - start;
    if (length > LONGEST) return bytes.toString("latin1", start, end);
    const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
    const cached = this.#slots[slot];
    if (cached !== undefined && cached.length === length) {
      let i = 0;
      while (i < length && cached.charCodeAt(i) === bytes[start + i]) i++;
      if (i === length) return cached;
    }
    const text = bytes.toString("latin1", start, end);
    this.#slots[slot] = text;
    return text;
  }
}
