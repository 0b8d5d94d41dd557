import { randomUUID } from "node:crypto";
import { fieldSetIdentity, NS_PER_SECOND } from "../core/index.ts";
import { blockColumns, encodeBlock, KEY_WORDS, pick, type EncodedBlock, type PlacedColumn } from "./encode-block.ts";
import type { Engine } from "./engine.ts";
import { identifier, timestampLiteral } from "./literal.ts";
import type { BlockSeries, InsertRowsOptions, RowBlock, RowRefusal, RowsReport } from "./row-block.ts";
import { orderRows } from "./row-order.ts";
import { RowSet } from "./row-set.ts";
import type { TableState, TimeBounds } from "./sample-resolver.ts";
import { and, bucketCondition, seriesCondition } from "./scan-conditions.ts";
import type { Series } from "./series-registry.ts";
import { wordsOf } from "./sample-run.ts";
import { storeSeries, type SeriesRange } from "./series-rows.ts";
import { IMPORTED_AT } from "./statements.ts";
import { bucketOf } from "./time-buckets.ts";
import { presenceCondition, type WideTable } from "./wide-table.ts";

/** A series' row outlives its samples by two days (`SERIES_EXTRA_DAYS`), so it needs to learn of a later import only once a day. */
const SERIES_REFRESH_BUCKETS = 24;

const NO_BUCKET = 0xffff_ffff;

export interface BlockContext {
  readonly engine: Engine;
  readonly state: TableState;
  /** Rows beyond `newestNs` are refused; those before `oldestNs` are kept from now on. */
  readonly bounds: TimeBounds;
  readonly nowS: number;
}

/**
 * Stores the rows that the table does not have with the same values. What is stored is the only record of that, so it holds over killed processes,
 * longer copies of a file, files cut elsewhere and expiry. Only hours are looked at for which series are known already: a first import
 * reads nothing.
 */
export async function insertBlock(
  context: BlockContext,
  block: RowBlock,
  { dryRun = false, signal }: InsertRowsOptions,
): Promise<RowsReport> {
  const { engine, state, bounds, nowS } = context;
  const { table } = state;
  const placed = placeColumns(table, block);
  const refused = new Map<RowRefusal, number>();
  const { series, whyNot } = seriesOf(state, block.series);
  const { rows, buckets, firstNs, lastNs } = wantedRows(block, series, whyNot, bounds, refused);
  const ids = BigUint64Array.from(series, ({ id }) => id);
  const encoded = encodeBlock(table, placed, block, ids, orderRows(rows, buckets, block.seriesOf, ids), buckets, nowS);
  // From here on the block is its owner's again.
  const stored = await storedRows(context, series, encoded, placed, signal);
  const fresh = newRows(encoded, stored);
  if (!dryRun && fresh.length > 0) {
    await storeSeries(engine, table.design, newRanges(fresh, encoded, series, bucketOf(BigInt(nowS) * NS_PER_SECOND)), nowS);
    // No token: the rows are told apart from stored ones by themselves.
    await engine.insert({ table: table.samples, columns: encoded.columns, rows: bytesOf(encoded, fresh), token: null });
  }
  const values = countValues(encoded, fresh, table.presenceWords);
  return { stored: fresh.length, known: rows.length - fresh.length, refused, values, firstNs, lastNs };
}

function placeColumns(table: WideTable, block: RowBlock): PlacedColumn[] {
  return block.columns.map((from) => {
    const column = table.columns.find(({ label }) => label === from.label);
    if (column === undefined) throw new RangeError(`target ${block.targetName} has no column ${from.label}`);
    const own = { UInt64: BigUint64Array, Int64: BigInt64Array, Float64: Float64Array }[column.valueType.sqlType];
    if (own === undefined || !(from.values instanceof own)) throw new RangeError(`column ${from.label} cannot be imported as it is given`);
    return { column, from };
  });
}

/** The store's own series; one that it cannot keep has a place that no row refers to. */
function seriesOf({ registry, table }: TableState, wanted: readonly BlockSeries[]): { series: Series[]; whyNot: Uint8Array } {
  const whyNot = new Uint8Array(wanted.length);
  const names = table.design.openFields.map(({ name, type }) => `${name}:${type}`).join();
  const series = wanted.map(({ fields, startTimeNs }, place): Series => {
    if (fields.map(({ name, value }) => `${name}:${value.type}`).join() !== names) {
      throw new RangeError(`rows of ${table.design.targetName} have fields ${fieldSetIdentity(fields)}, not ${names}`);
    }
    const entry = registry.entryOf(fields);
    const found = registry.seriesOf(entry, startTimeNs);
    if (typeof found !== "string") return found;
    whyNot[place] = 1;
    return { id: 0n, entry, startTimeNs, firstBucket: 0, lastBucket: 0, importedBucket: 0 };
  });
  return { series, whyNot };
}

/** Numbers of the rows that may be stored, and the hour of each row of the block. */
function wantedRows(
  block: RowBlock,
  series: readonly Series[],
  whyNot: Uint8Array,
  bounds: TimeBounds,
  refused: Map<RowRefusal, number>,
): Pick<RowsReport, "firstNs" | "lastNs"> & { readonly rows: Uint32Array; readonly buckets: Uint32Array } {
  const rows = new Uint32Array(block.count);
  const buckets = new Uint32Array(block.count);
  const times = wordsOf(block.timestampsNs);
  let [count, bucket, timestampNs] = [0, 0, 0n];
  let reason: RowRefusal | null = null;
  let firstNs: bigint | null = null;
  let lastNs: bigint | null = null;
  for (let row = 0; row < block.count; row++) {
    // Rows of one report share their time.
    if (row === 0 || times[2 * row] !== times[2 * row - 2] || times[2 * row + 1] !== times[2 * row - 1]) {
      timestampNs = block.timestampsNs[row]!;
      bucket = bucketOf(timestampNs);
      reason = timestampNs > bounds.newestNs ? "future" : timestampNs < 1n ? "unstorable" : null;
      if (reason === null && (firstNs === null || timestampNs < firstNs)) firstNs = timestampNs;
      if (reason === null && (lastNs === null || timestampNs > lastNs)) lastNs = timestampNs;
    }
    buckets[row] = bucket;
    const place = block.seriesOf[row]!;
    const why = reason ?? (whyNot[place] === 1 || series[place]!.startTimeNs >= timestampNs ? "unstorable" : null);
    if (why === null) rows[count++] = row;
    else refused.set(why, (refused.get(why) ?? 0) + 1);
  }
  return { rows: rows.subarray(0, count), buckets, firstNs, lastNs };
}

/** Rows of the hours in which the table may have some of these series already, in the form of `encoded`. */
async function storedRows(
  { engine, state, bounds }: BlockContext,
  series: readonly Series[],
  { buckets, places, rowWords }: EncodedBlock,
  placed: readonly PlacedColumn[],
  signal: AbortSignal,
): Promise<Uint32Array> {
  let [first, last] = [Number.MAX_SAFE_INTEGER, -1];
  const overlapping = new Set<Series>();
  for (const i of runStarts(places, buckets)) {
    const one = series[places[i]!]!;
    const bucket = buckets[i]!;
    if (bucket < one.firstBucket || bucket > one.lastBucket) continue;
    overlapping.add(one);
    if (bucket < first) first = bucket;
    if (bucket > last) last = bucket;
  }
  if (overlapping.size === 0) return new Uint32Array(0);
  const select = blockColumns(state.table, placed).map(({ name }) => identifier(name));
  // Rows that came in live expire at their age; an import keeps them longer, so it stores those again.
  const lasting = bounds.oldestNs > 1n ? `(ts >= ${timestampLiteral(bounds.oldestNs)} OR ${IMPORTED_AT} != 0)` : null;
  const condition = and([
    bucketCondition(first, last),
    seriesCondition(state.registry, [...overlapping]),
    presenceCondition(placed.map(({ column }) => column)),
    lasting,
  ]);
  const text = `SELECT ${select.join(", ")} FROM ${state.table.samples} PREWHERE ${condition}`;
  const { bytes } = await engine.query({ id: randomUUID(), text, signal });
  if (bytes.byteLength % (4 * rowWords) !== 0) throw new RangeError(`a result of ${bytes.byteLength} bytes is no whole number of rows`);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** Where rows of another series or hour begin than that of the row before. */
function runStarts(places: Uint32Array, buckets: Uint32Array): number[] {
  const starts: number[] = [];
  for (let i = 0; i < places.length; i++) {
    if (i === 0 || places[i] !== places[i - 1] || buckets[i] !== buckets[i - 1]) starts.push(i);
  }
  return starts;
}

function numbersTo(end: number): Uint32Array {
  const numbers = new Uint32Array(end);
  for (let i = 0; i < end; i++) numbers[i] = i;
  return numbers;
}

/** Numbers of the encoded rows that are not stored and come for the first time. */
function newRows({ words, rowWords, rows }: EncodedBlock, stored: Uint32Array): Uint32Array {
  if (stored.length === 0 && isRising(words, rowWords)) return numbersTo(rows);
  const set = new RowSet(rows + stored.length / rowWords, rowWords);
  const old = set.source(stored);
  for (let at = 0; at < stored.length; at += rowWords) set.add(old, at);
  const own = set.source(words);
  const found = new Uint32Array(rows);
  let count = 0;
  for (let i = 0; i < rows; i++) if (set.add(own, i * rowWords)) found[count++] = i;
  return found.subarray(0, count);
}

/** No two rows are of the same series and instant, as far as that can be told at a glance: the series of an hour come each in order of time. */
function isRising(words: Uint32Array, rowWords: number): boolean {
  for (let at = rowWords; at < words.length; at += rowWords) {
    const before = at - rowWords;
    if (words[at] !== words[before] || words[at + 1] !== words[before + 1] || words[at + 2] !== words[before + 2]) continue;
    const isLater = words[at + 4]! > words[before + 4]! || (words[at + 4] === words[before + 4] && words[at + 3]! > words[before + 3]!);
    if (!isLater) return false;
  }
  return true;
}

function bytesOf({ words, rowWords, rows }: EncodedBlock, wanted: Uint32Array): Uint8Array {
  let kept = words;
  if (wanted.length < rows) {
    kept = new Uint32Array(wanted.length * rowWords);
    for (const [place, i] of wanted.entries()) kept.set(words.subarray(i * rowWords, (i + 1) * rowWords), place * rowWords);
  }
  return new Uint8Array(kept.buffer, kept.byteOffset, kept.byteLength);
}

/** Hours that the series table does not have yet, and series whose row would expire before these rows do. */
function newRanges(fresh: Uint32Array, { buckets, places }: EncodedBlock, series: readonly Series[], nowBucket: number): SeriesRange[] {
  const first = new Uint32Array(series.length).fill(NO_BUCKET);
  const last = new Uint32Array(series.length);
  const freshPlaces = pick(places, fresh);
  const freshBuckets = pick(buckets, fresh);
  for (const i of runStarts(freshPlaces, freshBuckets)) {
    const place = freshPlaces[i]!;
    const bucket = freshBuckets[i]!;
    if (bucket < first[place]!) first[place] = bucket;
    if (bucket > last[place]!) last[place] = bucket;
  }
  const ranges: SeriesRange[] = [];
  for (const [place, one] of series.entries()) {
    const [firstBucket, lastBucket] = [first[place]!, last[place]!];
    if (firstBucket > lastBucket) continue;
    const isKnown = firstBucket >= one.firstBucket && lastBucket <= one.lastBucket;
    if (!isKnown || one.importedBucket + SERIES_REFRESH_BUCKETS <= nowBucket) ranges.push({ series: one, firstBucket, lastBucket });
  }
  return ranges;
}

/** Presence bits of the rows. */
function countValues({ words, rowWords }: EncodedBlock, rows: Uint32Array, presenceWords: number): number {
  let values = 0;
  for (let word = 0; word < presenceWords; word++) {
    // Most rows have the same columns as the one before.
    let [bits, count] = [0, 0];
    for (let i = 0; i < rows.length; i++) {
      const own = words[rows[i]! * rowWords + KEY_WORDS + word]!;
      if (own !== bits) [bits, count] = [own, bitsIn(own)];
      values += count;
    }
  }
  return values;
}

function bitsIn(word: number): number {
  let count = 0;
  for (let bits = word; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}
