import { fieldSetIdentity, fieldValue, highwayHash64, STORE_TABLE_SERIES, type FieldSet } from "../core/index.ts";

/** One incarnation: fields and the start time of its counters. */
export interface Series {
  readonly id: bigint;
  readonly entry: FieldsEntry;
  /** 0 for gauges that came without counters. */
  readonly startTimeNs: bigint;
  /** Hour buckets that may hold its samples, as the series table has them; `firstBucket > lastBucket` before the row is stored. */
  firstBucket: number;
  lastBucket: number;
  /** Hour of the last import of samples, 0 for none: they are kept from then on, whatever their own time. */
  importedBucket: number;
}

/** All incarnations of one set of open fields. */
export interface FieldsEntry {
  readonly fields: FieldSet;
  readonly byStartTime: Map<bigint, Series>;
}

const ID_BITS = 48n;
const NO_BUCKET = 0xffffffff;

/**
 * The series of one table, shared by writer and reader. Ids need no coordination between processes: the upper 16 bits are a hash of the
 * clustering field, so that what is alike lies together, the rest a hash of fields and start time.
 */
export class SeriesRegistry {
  readonly #clusteringField: string | null;
  readonly #entries = new Map<string, FieldsEntry>();
  readonly #byId = new Map<bigint, Series>();
  #sortedIds: BigUint64Array | null = null;

  constructor(clusteringField: string | null) {
    this.#clusteringField = clusteringField;
  }

  get size(): number {
    return this.#byId.size;
  }

  entries(): Iterable<FieldsEntry> {
    return this.#entries.values();
  }

  byId(id: bigint): Series | undefined {
    return this.#byId.get(id);
  }

  /** Every known id in rising order. */
  sortedIds(): BigUint64Array {
    this.#sortedIds ??= BigUint64Array.from(this.#byId.keys()).sort();
    return this.#sortedIds;
  }

  /** The entry of these open fields; `fields` is kept. */
  entryOf(fields: FieldSet): FieldsEntry {
    const identity = fieldSetIdentity(fields);
    let entry = this.#entries.get(identity);
    if (entry === undefined) this.#entries.set(identity, (entry = { fields, byStartTime: new Map() }));
    return entry;
  }

  /** The series of an entry and start time, made where it is new, or the reason why it can't be. */
  seriesOf(entry: FieldsEntry, startTimeNs: bigint): Series | "collision" | "too_many" {
    const known = entry.byStartTime.get(startTimeNs);
    if (known !== undefined) return known;
    if (this.#byId.size >= STORE_TABLE_SERIES) return "too_many";
    return this.#add(seriesId(entry.fields, startTimeNs, this.#clusteringField), entry, startTimeNs) ?? "collision";
  }

  /** Takes over a stored row. Returns null where another series has its id. */
  restore(id: bigint, fields: FieldSet, startTimeNs: bigint, firstBucket: number, lastBucket: number, importedBucket = 0): Series | null {
    const entry = this.entryOf(fields);
    const series = entry.byStartTime.get(startTimeNs) ?? this.#add(id, entry, startTimeNs);
    if (series === null || series.id !== id) return null;
    series.firstBucket = Math.min(series.firstBucket, firstBucket);
    series.lastBucket = Math.max(series.lastBucket, lastBucket);
    series.importedBucket = Math.max(series.importedBucket, importedBucket);
    return series;
  }

  /** Forgets series whose last sample, and last import, lies before the bucket. Returns how many. */
  forgetBefore(bucket: number): number {
    let forgotten = 0;
    for (const [identity, entry] of this.#entries) {
      for (const [startTimeNs, series] of entry.byStartTime) {
        if (series.firstBucket > series.lastBucket || series.lastBucket >= bucket || series.importedBucket >= bucket) continue;
        entry.byStartTime.delete(startTimeNs);
        this.#byId.delete(series.id);
        forgotten += 1;
      }
      if (entry.byStartTime.size === 0) this.#entries.delete(identity);
    }
    if (forgotten > 0) this.#sortedIds = null;
    return forgotten;
  }

  #add(id: bigint, entry: FieldsEntry, startTimeNs: bigint): Series | null {
    if (this.#byId.has(id)) return null;
    const series: Series = { id, entry, startTimeNs, firstBucket: NO_BUCKET, lastBucket: 0, importedBucket: 0 };
    this.#byId.set(id, series);
    entry.byStartTime.set(startTimeNs, series);
    this.#sortedIds = null;
    return series;
  }
}

/** The id of a series. Stored rows hold it, so it must never change. */
export function seriesId(fields: FieldSet, startTimeNs: bigint, clusteringField: string | null): bigint {
  const hash = highwayHash64(Buffer.from(`${fieldSetIdentity(fields)}${startTimeNs}`));
  if (clusteringField === null) return hash;
  const cluster = highwayHash64(Buffer.from(String(fieldValue(fields, clusteringField)?.value ?? "")));
  return (BigInt.asUintN(64 - Number(ID_BITS), cluster) << ID_BITS) | BigInt.asUintN(Number(ID_BITS), hash);
}
