import type { EngineColumn } from "./engine.ts";
import { IMPORTED_AT } from "./statements.ts";
import type { BlockColumn, RowBlock } from "./row-block.ts";
import { wordsOf } from "./sample-run.ts";
import type { WideColumn, WideTable } from "./wide-table.ts";

/** Words of 32 bits before the presence columns: bucket, series id, instant. */
export const KEY_WORDS = 5;

/** A column of a block and the place it goes to. */
export interface PlacedColumn {
  readonly column: WideColumn;
  readonly from: BlockColumn;
}

/** Rows in RowBinary, each of the same number of 32-bit words, the last of which says when it was imported. */
export interface EncodedBlock {
  readonly columns: readonly EngineColumn[];
  readonly words: Uint32Array;
  readonly rowWords: number;
  readonly rows: number;
  /** Hour bucket of each row, and the place of its series in the block. */
  readonly buckets: Uint32Array;
  readonly places: Uint32Array;
}

/** What rows of a block hold in the engine: other columns of the table take their defaults, which costs a third of writing their zeros. */
export function blockColumns(table: WideTable, placed: readonly PlacedColumn[]): EngineColumn[] {
  const wanted = new Set(placed.map(({ column }) => column.name));
  const values = new Set(table.columns.map((column) => column.name));
  return [...table.rowColumns.filter(({ name }) => !values.has(name) || wanted.has(name)), { name: IMPORTED_AT, type: "DateTime('UTC')" }];
}

/**
 * Writes the rows that `wanted` numbers, in that order, column by column, without an object for each value. Every column is 64 bits wide. `buckets` has
 * the hour of each row of the block.
 */
export function encodeBlock(
  table: WideTable,
  placed: readonly PlacedColumn[],
  block: RowBlock,
  ids: BigUint64Array,
  wanted: Uint32Array,
  buckets: Uint32Array,
  importedAtS: number,
): EncodedBlock {
  const ordered = [...placed].sort((a, b) => a.column.index - b.column.index);
  const firstValue = KEY_WORDS + table.presenceWords;
  const rowWords = firstValue + 2 * ordered.length + 1;
  const rows = wanted.length;
  const words = new Uint32Array(rows * rowWords);
  const wantedBuckets = pick(buckets, wanted);
  const places = pick(block.seriesOf, wanted);
  writeKeys(
    words,
    rowWords,
    wanted,
    { buckets: wantedBuckets, places, ids: wordsOf(ids), times: wordsOf(block.timestampsNs) },
    importedAtS,
  );
  for (const [place, { column, from }] of ordered.entries()) {
    const presence = KEY_WORDS + column.presenceWord;
    writeColumn(words, rowWords, wanted, wordsOf(from.values), from.present, firstValue + 2 * place, presence, column.presenceMask);
  }
  return { columns: blockColumns(table, placed), words, rowWords, rows, buckets: wantedBuckets, places };
}

// Loops over all rows are functions of their own: where they stand in a longer one, all of that is compiled time and again.

export function pick(values: Uint32Array, rows: Uint32Array): Uint32Array {
  const picked = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i]!]!;
  return picked;
}

/** `buckets` and `places` are those of the rows to write; `ids` are looked up by place, `times` by row of the block. */
function writeKeys(
  words: Uint32Array,
  rowWords: number,
  wanted: Uint32Array,
  { buckets, places, ids, times }: Readonly<Record<"buckets" | "places" | "ids" | "times", Uint32Array>>,
  importedAtS: number,
): void {
  for (let i = 0, at = 0; i < wanted.length; i++, at += rowWords) {
    const id = 2 * places[i]!;
    const time = 2 * wanted[i]!;
    words[at] = buckets[i]!;
    words[at + 1] = ids[id]!;
    words[at + 2] = ids[id + 1]!;
    words[at + 3] = times[time]!;
    words[at + 4] = times[time + 1]!;
    words[at + rowWords - 1] = importedAtS;
  }
}

function writeColumn(
  words: Uint32Array,
  rowWords: number,
  wanted: Uint32Array,
  values: Uint32Array,
  present: Uint8Array,
  value: number,
  presence: number,
  mask: number,
): void {
  for (let i = 0, at = 0; i < wanted.length; i++, at += rowWords) {
    const row = wanted[i]!;
    if (present[row] !== 1) continue;
    words[at + presence]! |= mask;
    words[at + value] = values[2 * row]!;
    words[at + value + 1] = values[2 * row + 1]!;
  }
}
