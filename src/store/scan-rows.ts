import { RowBinaryReader } from "./row-binary-reader.ts";
import { runOf, wordsOf, type RunValues, type SampleRun } from "./sample-run.ts";
import type { Series } from "./series-registry.ts";
import type { WideColumn } from "./wide-table.ts";

/** Rows of a scan as columns of equal length. */
export interface ScanRows {
  readonly count: number;
  readonly ids: BigUint64Array;
  readonly timestampsNs: BigInt64Array;
  /** By number of the presence column; empty where a single column was read, which then is present in every row. */
  readonly presence: ReadonlyMap<number, BigUint64Array>;
  /** One for each column read. */
  readonly values: readonly RunValues[];
}

/** Presence columns that a scan of these columns has to bring along. */
export function presenceWordsOf(columns: readonly WideColumn[]): number[] {
  return columns.length === 1 ? [] : [...new Set(columns.map((column) => column.presenceWord))];
}

/** Takes rows apart: series id, time, presence columns as 64 bits, values as 64 bits or text. All columns are of one type. */
export function decodeScan(bytes: Uint8Array, columns: readonly WideColumn[]): ScanRows {
  return columns[0]!.valueType.scanType === "String" ? decodeText(bytes, columns) : decodeWide(bytes, columns);
}

function decodeWide(bytes: Uint8Array, columns: readonly WideColumn[]): ScanRows {
  const words = presenceWordsOf(columns);
  const stride = 2 + words.length + columns.length;
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  const count = bytes.byteLength / (8 * stride);
  if (!Number.isInteger(count)) throw new RangeError(`a result of ${bytes.byteLength} bytes is no whole number of rows`);
  const source = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
  const take = <T extends BigUint64Array | BigInt64Array | Float64Array>(target: T, place: number): T => {
    const into = wordsOf(target);
    for (let row = 0, from = 2 * place; row < count; row++, from += 2 * stride) {
      into[2 * row] = source[from]!;
      into[2 * row + 1] = source[from + 1]!;
    }
    return target;
  };
  return {
    count,
    ids: take(new BigUint64Array(count), 0),
    timestampsNs: take(new BigInt64Array(count), 1),
    presence: new Map(words.map((word, place) => [word, take(new BigUint64Array(count), 2 + place)])),
    values: columns.map(({ valueType }, place) => take(emptyValues(valueType.scanType, count), 2 + words.length + place)),
  };
}

function emptyValues(scanType: string, count: number): BigUint64Array | BigInt64Array | Float64Array {
  if (scanType === "Float64") return new Float64Array(count);
  return scanType === "Int64" ? new BigInt64Array(count) : new BigUint64Array(count);
}

function decodeText(bytes: Uint8Array, columns: readonly WideColumn[]): ScanRows {
  const words = presenceWordsOf(columns);
  const reader = new RowBinaryReader(bytes);
  const ids: bigint[] = [];
  const times: bigint[] = [];
  const presence = words.map((): bigint[] => []);
  const values = columns.map((): string[] => []);
  while (!reader.atEnd) {
    ids.push(reader.u64());
    times.push(reader.i64());
    for (const bits of presence) bits.push(reader.u64());
    for (const texts of values) texts.push(reader.string());
  }
  return {
    count: ids.length,
    ids: BigUint64Array.from(ids),
    timestampsNs: BigInt64Array.from(times),
    presence: new Map(words.map((word, place) => [word, BigUint64Array.from(presence[place]!)])),
    values,
  };
}

/** Samples of one column of a scan by series. Rows of series that `wanted` does not have are dropped. */
export function runsBySeries(
  rows: ScanRows,
  place: number,
  column: WideColumn,
  wanted: ReadonlyMap<bigint, Series>,
): Map<Series, SampleRun> {
  const slots = new Int32Array(rows.count);
  const counts: number[] = [];
  const members: Series[] = [];
  const slotOf = new Map<Series, number>();
  const ids = wordsOf(rows.ids);
  const bits = rows.presence.get(column.presenceWord);
  const presence = bits === undefined ? null : wordsOf(bits);
  let current = -1;
  for (let row = 0; row < rows.count; row++) {
    // Rows of one series mostly follow each other.
    if (row === 0 || ids[2 * row] !== ids[2 * row - 2] || ids[2 * row + 1] !== ids[2 * row - 1]) {
      const series = wanted.get(rows.ids[row]!);
      current = series === undefined ? -1 : (slotOf.get(series) ?? members.length);
      if (series !== undefined && current === members.length) {
        slotOf.set(series, current);
        members.push(series);
        counts.push(0);
      }
    }
    const absent = current < 0 || (presence !== null && (presence[2 * row]! & column.presenceMask) === 0);
    slots[row] = absent ? -1 : current;
    if (!absent) counts[current]! += 1;
  }
  const starts = new Uint32Array(members.length + 1);
  for (let slot = 0; slot < members.length; slot++) starts[slot + 1] = starts[slot]! + counts[slot]!;
  const ends = starts.slice();
  const order = new Uint32Array(starts[members.length]!);
  for (let row = 0; row < rows.count; row++) {
    const slot = slots[row]!;
    if (slot >= 0) order[ends[slot]!++] = row;
  }
  const runs = new Map<Series, SampleRun>();
  for (let slot = 0; slot < members.length; slot++) {
    if (counts[slot]! > 0)
      runs.set(members[slot]!, runOf(rows.timestampsNs, rows.values[place]!, order.subarray(starts[slot]!, starts[slot + 1]!)));
  }
  return runs;
}
