/**
 * Rows by hour bucket, then by series, those of one series and hour as they came: in order of the table's key where each series comes in order of
 * time. The engine sorts again by itself, but what is in order already costs it a quarter less.
 */
export function orderRows(rows: Uint32Array, bucketOfRow: Uint32Array, seriesOfRow: Uint32Array, ids: BigUint64Array): Uint32Array {
  const bySeries = countingSort(rows, keysOf(rows, seriesOfRow, ranksOf(ids)), ids.length);
  const buckets = keysOf(bySeries, bucketOfRow, null);
  const first = lowest(buckets);
  for (let i = 0; i < buckets.length; i++) buckets[i]! -= first;
  return countingSort(bySeries, buckets, highest(buckets) + 1);
}

/** Rank of each id; a series that came from two files has two places and one id. */
function ranksOf(ids: BigUint64Array): Uint32Array {
  const rankOf = new Map([...new Set(ids.slice().sort())].map((id, rank) => [id, rank]));
  return Uint32Array.from(ids, (id) => rankOf.get(id)!);
}

function keysOf(rows: Uint32Array, valueOfRow: Uint32Array, ranks: Uint32Array | null): Uint32Array {
  const keys = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) keys[i] = valueOfRow[rows[i]!]!;
  if (ranks !== null) for (let i = 0; i < keys.length; i++) keys[i] = ranks[keys[i]!]!;
  return keys;
}

/** Stable. `keys[i]`, below `size`, is the key of `rows[i]`. */
function countingSort(rows: Uint32Array, keys: Uint32Array, size: number): Uint32Array {
  const places = new Uint32Array(size + 1);
  for (let i = 0; i < keys.length; i++) places[keys[i]! + 1]! += 1;
  for (let key = 0; key < size; key++) places[key + 1]! += places[key]!;
  const sorted = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const key = keys[i]!;
    const place = places[key]!;
    sorted[place] = rows[i]!;
    places[key] = place + 1;
  }
  return sorted;
}

function lowest(values: Uint32Array): number {
  let low = values.length === 0 ? 0 : 0xffff_ffff;
  for (let i = 0; i < values.length; i++) if (values[i]! < low) low = values[i]!;
  return low;
}

function highest(values: Uint32Array): number {
  let high = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > high) high = values[i]!;
  return high;
}
