import type { RowDraft } from "./row-drafts.ts";
import { RowBinaryWriter } from "./row-binary-writer.ts";
import { bucketOf } from "./time-buckets.ts";
import type { WideTable } from "./wide-table.ts";

/** Bytes that a row takes where no text is in it: a column may be 8 wide. */
const KEY_BYTES = 20;
const COLUMN_BYTES = 8;

/** Rows of a table in RowBinary, in the order of `rowColumns`. Absent values are zeros without their presence bit. */
export function encodeRows(table: WideTable, rows: readonly RowDraft[]): Uint8Array {
  const { columns, presenceWords } = table;
  const writer = new RowBinaryWriter(rows.length * (KEY_BYTES + 4 * presenceWords + COLUMN_BYTES * columns.length));
  const zeros = columns.map(({ valueType }) =>
    valueType.scanType === "String" ? "" : valueType.scanType === "Float64" ? 0 : valueType.sqlType === "Bool" ? false : 0n,
  );
  const presence = new Uint32Array(presenceWords);
  for (const { series, timestampNs, values } of rows) {
    writer.u32(bucketOf(timestampNs));
    writer.u64(series.id);
    writer.i64(timestampNs);
    presence.fill(0);
    for (const column of columns) {
      if (values[column.index] !== undefined) presence[column.presenceWord]! |= column.presenceMask;
    }
    for (const word of presence) writer.u32(word);
    for (const column of columns) column.valueType.write(writer, values[column.index] ?? zeros[column.index]!);
  }
  return writer.bytes();
}
