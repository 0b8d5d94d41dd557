import type { EngineColumn } from "./engine.ts";
import { IMPORTED_AT } from "./statements.ts";
import type { BlockColumn, RowBlock } from "./row-block.ts";
import { wordsOf } from "./sample-run.ts";
import type { Series } from "./series-registry.ts";
import { bucketOf } from "./time-buckets.ts";
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
  /** Hour bucket of each row. */
  readonly buckets: Uint32Array;
}

/** What rows of a block hold in the engine: other columns of the table take their defaults, which costs a third of writing their zeros. */
export function blockColumns(table: WideTable, placed: readonly PlacedColumn[]): EngineColumn[] {
  const wanted = new Set(placed.map(({ column }) => column.name));
  const values = new Set(table.columns.map((column) => column.name));
  return [...table.rowColumns.filter(({ name }) => !values.has(name) || wanted.has(name)), { name: IMPORTED_AT, type: "DateTime('UTC')" }];
}

/** Writes the rows that `wanted` numbers, column by column, without an object for each value. Every column is 64 bits wide. */
export function encodeBlock(
  table: WideTable,
  placed: readonly PlacedColumn[],
  block: RowBlock,
  series: readonly Series[],
  wanted: Uint32Array,
  importedAtS: number,
): EncodedBlock {
  const ordered = [...placed].sort((a, b) => a.column.index - b.column.index);
  const columns = blockColumns(table, placed);
  const firstValue = KEY_WORDS + table.presenceWords;
  const rowWords = firstValue + 2 * ordered.length + 1;
  const rows = wanted.length;
  const words = new Uint32Array(rows * rowWords);
  const buckets = new Uint32Array(rows);
  const ids = wordsOf(BigUint64Array.from(series, ({ id }) => id));
  const times = wordsOf(block.timestampsNs);
  let bucket = 0;
  for (let i = 0, at = 0; i < rows; i++, at += rowWords) {
    const row = wanted[i]!;
    const before = wanted[i - 1];
    // Rows of one report share their time.
    if (before === undefined || times[2 * row] !== times[2 * before] || times[2 * row + 1] !== times[2 * before + 1]) {
      bucket = bucketOf(block.timestampsNs[row]!);
    }
    const id = 2 * block.seriesOf[row]!;
    buckets[i] = bucket;
    words[at] = bucket;
    words[at + 1] = ids[id]!;
    words[at + 2] = ids[id + 1]!;
    words[at + 3] = times[2 * row]!;
    words[at + 4] = times[2 * row + 1]!;
    words[at + rowWords - 1] = importedAtS;
  }
  for (const [place, { column, from }] of ordered.entries()) {
    const values = wordsOf(from.values);
    const { present } = from;
    const presence = KEY_WORDS + column.presenceWord;
    const value = firstValue + 2 * place;
    for (let i = 0, at = 0; i < rows; i++, at += rowWords) {
      const row = wanted[i]!;
      if (present[row] !== 1) continue;
      words[at + presence]! |= column.presenceMask;
      words[at + value] = values[2 * row]!;
      words[at + value + 1] = values[2 * row + 1]!;
    }
  }
  return { columns, words, rowWords, rows, buckets };
}
