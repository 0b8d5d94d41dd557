const EMPTY = -1;

/**
 * A set of rows of equal length in 32-bit words. Rows are equal where all words before the last are: the last says when a row was imported. Rows are added by
 * their place in an array that the set keeps; nothing is copied.
 */
export class RowSet {
  readonly #compared: number;
  readonly #mask: number;
  /** Number of the array and place of the row in it, by hash. */
  readonly #arrays: Int32Array;
  readonly #places: Int32Array;
  readonly #sources: Uint32Array[] = [];

  /** For `most` rows at most, of `rowWords` words. */
  constructor(most: number, rowWords: number) {
    this.#compared = rowWords - 1;
    let size = 16;
    while (size < 2 * most) size *= 2;
    this.#mask = size - 1;
    this.#arrays = new Int32Array(size).fill(EMPTY);
    this.#places = new Int32Array(size);
  }

  /** Makes rows of an array known by the number that this returns. */
  source(words: Uint32Array): number {
    return this.#sources.push(words) - 1;
  }

  /** Adds the row that begins at word `at`. False where an equal one is there. */
  add(source: number, at: number): boolean {
    const words = this.#sources[source]!;
    let slot = hash(words, at) & this.#mask;
    while (this.#arrays[slot] !== EMPTY) {
      if (this.#equal(words, at, this.#sources[this.#arrays[slot]!]!, this.#places[slot]!)) return false;
      slot = (slot + 1) & this.#mask;
    }
    this.#arrays[slot] = source;
    this.#places[slot] = at;
    return true;
  }

  #equal(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
    for (let i = 0; i < this.#compared; i++) if (a[atA + i] !== b[atB + i]) return false;
    return true;
  }
}

/** Of the series id and the instant, which the second to fifth words hold. */
function hash(words: Uint32Array, at: number): number {
  let mixed = Math.imul(words[at + 1]! ^ words[at + 2]!, 0x9e37_79b1) ^ words[at + 3]!;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85eb_ca6b) ^ words[at + 4]!;
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35) >>> 7;
}
