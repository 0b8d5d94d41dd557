import { pick } from "./encode-block.ts";

/**
 * Rows by hour bucket, then by series, those of one series and hour as they came: in order of the table's key where each series comes in order of
 * time. The engine sorts again by itself, but what is in order already costs it a quarter less.
 */
export function orderRows(rows: Uint32Array, bucketOfRow: Uint32Array, seriesOfRow: Uint32Array, ids: BigUint64Array): Uint32Array {
  const bySeries = countingSort(rows, pick(ranksOf(ids), pick(seriesOfRow, rows)));
  return countingSort(bySeries, fromZero(pick(bucketOfRow, bySeries)));
}

/** Rank of each id; a series that came from two files has two places and one id. */
function ranksOf(ids: BigUint64Array): Uint32Array {
  const rankOf = new Map([...new Set(ids.slice().sort())].map((id, rank) => [id, rank]));
  return Uint32Array.from(ids, (id) => rankOf.get(id)!);
}

/** Stable. `keys[i]` is the key of `rows[i]`. */
function countingSort(rows: Uint32Array, keys: Uint32Array): Uint32Array {
  const places = new Uint32Array(largest(keys) + 2);
  count(keys, places);
  for (let key = 1; key < places.length; key++) places[key]! += places[key - 1]!;
  return put(rows, keys, places);
}

/** Counts each key at the place behind it. */
function count(keys: Uint32Array, places: Uint32Array): void {
  for (let i = 0; i < keys.length; i++) places[keys[i]! + 1]! += 1;
}

function put(rows: Uint32Array, keys: Uint32Array, places: Uint32Array): Uint32Array {
  const sorted = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const place = places[keys[i]!]!;
    sorted[place] = rows[i]!;
    places[keys[i]!] = place + 1;
  }
  return sorted;
}

function fromZero(values: Uint32Array): Uint32Array {
  let smallest = 0xffff_ffff;
  for (let i = 0; i < values.length; i++) if (values[i]! < smallest) smallest = values[i]!;
  for (let i = 0; i < values.length; i++) values[i]! -= smallest;
  return values;
}

function largest(values: Uint32Array): number {
  let found = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > found) found = values[i]!;
  return found;
}
