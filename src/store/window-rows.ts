import type { Int64Values } from "../oxql/index.ts";
import { wordsOf } from "./sample-run.ts";
import type { WideColumn } from "./wide-table.ts";
import { ID_WORDS, wordsOfColumn } from "./window-statement.ts";

/** Rows of a window statement, as 32-bit words. */
export interface WindowRowSet {
  readonly columns: readonly WideColumn[];
  readonly counts: boolean;
  readonly count: number;
  readonly stride: number;
  readonly words: Uint32Array;
}

export function decodeWindowRows(bytes: Uint8Array, columns: readonly WideColumn[], counts: boolean): WindowRowSet {
  const stride = columns.reduce((sum, column) => sum + wordsOfColumn(column, counts), ID_WORDS);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
  const count = words.length / stride;
  if (!Number.isInteger(count)) throw new RangeError(`a result of ${bytes.byteLength} bytes is no whole number of rows`);
  return { columns, counts, count, stride, words };
}

/** First row of each id, and the number of all rows. */
export function idStarts({ count, stride, words }: WindowRowSet): number[] {
  const starts: number[] = [];
  for (let row = 0, at = 0; row < count; row++, at += stride) {
    if (row === 0 || words[at] !== words[at - stride] || words[at + 1] !== words[at - stride + 1]) starts.push(row);
  }
  return [...starts, count];
}

export function idOf({ stride, words }: WindowRowSet, row: number): bigint {
  return (BigInt(words[row * stride + 1]!) << 32n) | BigInt(words[row * stride]!);
}

/** Several sets as one, the rows of each id together in the order of the sets. */
export function joinWindowRows(sets: readonly WindowRowSet[]): WindowRowSet {
  const [first] = sets;
  if (sets.length === 1) return first!;
  const byId = new Map<bigint, Uint32Array[]>();
  for (const rows of sets) {
    const starts = idStarts(rows);
    for (let i = 0; i + 1 < starts.length; i++) {
      const id = idOf(rows, starts[i]!);
      const part = rows.words.subarray(starts[i]! * rows.stride, starts[i + 1]! * rows.stride);
      const known = byId.get(id);
      if (known === undefined) byId.set(id, [part]);
      else known.push(part);
    }
  }
  const count = sets.reduce((sum, rows) => sum + rows.count, 0);
  const words = new Uint32Array(count * first!.stride);
  let at = 0;
  for (const part of [...byId.values()].flat()) {
    words.set(part, at);
    at += part.length;
  }
  return { ...first!, count, words };
}

/** Word in its row where a column begins. */
export function columnPlace({ columns, counts }: WindowRowSet, column: number): number {
  return columns.slice(0, column).reduce((sum, one) => sum + wordsOfColumn(one, counts), ID_WORDS);
}

/** Windows of one counter. */
export interface CounterWindows {
  readonly firstTimesNs: BigInt64Array;
  readonly lastTimesNs: BigInt64Array;
  readonly first: Int64Values;
  readonly last: Int64Values;
  readonly samples: Float64Array | null;
}

/** What rows `from` up to `to` hold of a counter; rows without a sample of it are left out. */
export function counterWindows(rows: WindowRowSet, column: number, from: number, to: number): CounterWindows {
  const { counts, stride, words } = rows;
  const place = columnPlace(rows, column);
  const present = rowsWith(rows, from, to, (at) => words[at + place + 6]! !== 0 || words[at + place + 7]! !== 0);
  const signed = rows.columns[column]!.valueType.scanType === "Int64";
  const values = (): Int64Values => (signed ? new BigInt64Array(present.length) : new BigUint64Array(present.length));
  const [first, last] = [values(), values()];
  const flip = signed ? 0x8000_0000 : 0;
  const [firstWords, lastWords] = [wordsOf(first), wordsOf(last)];
  for (let i = 0; i < present.length; i++) {
    const at = present[i]! * stride + place;
    firstWords[2 * i] = ~words[at]!;
    firstWords[2 * i + 1] = ~words[at + 1]! ^ flip;
    lastWords[2 * i] = words[at + 4]!;
    lastWords[2 * i + 1] = words[at + 5]! ^ flip;
  }
  return {
    firstTimesNs: times(rows, present, place + 2),
    lastTimesNs: times(rows, present, place + 6),
    first,
    last,
    samples: counts ? Float64Array.from(present, (row) => words[row * stride + place + 8]!) : null,
  };
}

/** Windows of one gauge. */
export interface GaugeWindows {
  readonly samples: Float64Array;
  readonly sums: Float64Array;
  readonly firstTimesNs: BigInt64Array;
  readonly lastTimesNs: BigInt64Array;
}

export function gaugeWindows(rows: WindowRowSet, column: number, from: number, to: number): GaugeWindows {
  const { stride, words } = rows;
  const place = columnPlace(rows, column);
  const present = rowsWith(rows, from, to, (at) => words[at + place]! !== 0);
  const sums = new Float64Array(present.length);
  copy(rows, present, place + 2, wordsOf(sums));
  return {
    samples: Float64Array.from(present, (row) => words[row * stride + place]!),
    sums,
    firstTimesNs: times(rows, present, place + 4),
    lastTimesNs: times(rows, present, place + 6),
  };
}

function rowsWith({ stride }: WindowRowSet, from: number, to: number, holds: (at: number) => boolean): number[] {
  const kept: number[] = [];
  for (let row = from; row < to; row++) if (holds(row * stride)) kept.push(row);
  return kept;
}

function times(rows: WindowRowSet, present: readonly number[], place: number): BigInt64Array {
  const timesNs = new BigInt64Array(present.length);
  copy(rows, present, place, wordsOf(timesNs));
  return timesNs;
}

function copy({ stride, words }: WindowRowSet, present: readonly number[], place: number, into: Uint32Array): void {
  for (let i = 0; i < present.length; i++) {
    const at = present[i]! * stride + place;
    into[2 * i] = words[at]!;
    into[2 * i + 1] = words[at + 1]!;
  }
}
