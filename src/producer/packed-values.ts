import { isIntegerType, type DatumType } from "../core/index.ts";
import type { SampleValues, Series } from "./sample-group.ts";

/** Words of 8 bytes of one block: the values of some 200 zones. A block is given up as a whole, when no group uses it any more. */
const BLOCK_WORDS = 4_096;

interface Block {
  readonly words: BigUint64Array;
  /** The same memory. */
  readonly floats: Float64Array;
}

/**
 * Keeps the values of groups in blocks of raw words, at a quarter of the memory that numbers on the heap take. Groups that are stored one after the other
 * must also be given up in about that order.
 */
export class ValueBlocks {
  #block: Block | null = null;
  #used = 0;

  /** `values[i]` fits the datum type of `series[i]`: bigint where that is whole, else number. */
  store(series: readonly Series[], values: readonly (bigint | number)[]): SampleValues {
    if (this.#block === null || this.#used + values.length > this.#block.words.length) {
      const memory = new ArrayBuffer(Math.max(BLOCK_WORDS, values.length) * 8);
      this.#block = { words: new BigUint64Array(memory), floats: new Float64Array(memory) };
      this.#used = 0;
    }
    const { words, floats } = this.#block;
    const start = this.#used;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (typeof value === "bigint") words[start + i] = value;
      else floats[start + i] = value;
    }
    this.#used += values.length;
    return new PackedValues(series, this.#block, start, 0, values.length);
  }
}

/** Values `from` up to `to` of a group whose first one is at `start`. */
class PackedValues implements SampleValues {
  readonly #series: readonly Series[];
  readonly #block: Block;
  readonly #start: number;
  readonly #from: number;
  readonly length: number;

  constructor(series: readonly Series[], block: Block, start: number, from: number, to: number) {
    this.#series = series;
    this.#block = block;
    this.#start = start;
    this.#from = from;
    this.length = to - from;
  }

  at(index: number): bigint | number | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const place = this.#from + index;
    const type = scalarType(this.#series[place]!.datumType);
    if (!isIntegerType(type)) return this.#block.floats[this.#start + place];
    const word = this.#block.words[this.#start + place]!;
    return type.startsWith("u") ? word : BigInt.asIntN(64, word);
  }

  slice(from: number, to = this.length): SampleValues {
    const end = Math.min(to, this.length);
    return new PackedValues(this.#series, this.#block, this.#start, this.#from + Math.min(from, end), this.#from + end);
  }

  *[Symbol.iterator](): Iterator<bigint | number> {
    for (let i = 0; i < this.length; i++) yield this.at(i)!;
  }
}

function scalarType(type: DatumType): string {
  return type.startsWith("cumulative_") ? type.slice("cumulative_".length) : type;
}
