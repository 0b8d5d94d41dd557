import { fieldSet, fieldValue, NS_PER_SECOND, type Field } from "../core/index.ts";
import { ask } from "./ask.ts";
import type { Engine, EngineColumn } from "./engine.ts";
import { fieldSqlType, readField, writeField } from "./field-type.ts";
import { columnName, type WideDesign } from "./layout.ts";
import { identifier, integerLiteral } from "./literal.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";
import { RowBinaryWriter } from "./row-binary-writer.ts";
import { SeriesRegistry, type Series } from "./series-registry.ts";
import { IMPORTED_AT, seriesTable } from "./statements.ts";
import { bucketOf } from "./time-buckets.ts";

/** Hour buckets that a series' samples are about to lie in. */
export interface SeriesRange {
  readonly series: Series;
  readonly firstBucket: number;
  readonly lastBucket: number;
}

const ROW_BYTES = 256;

/**
 * Stores the rows of series that are new or get samples beyond their known hours, then takes the hours over into the registry. `importedAtS` is the
 * Unix time of an import, 0 for samples that come in live.
 */
export async function storeSeries(engine: Engine, design: WideDesign, ranges: readonly SeriesRange[], importedAtS = 0): Promise<void> {
  if (ranges.length === 0) return;
  const writer = new RowBinaryWriter(ranges.length * ROW_BYTES);
  for (const { series, firstBucket, lastBucket } of ranges) {
    writer.u64(series.id);
    writer.i64(series.startTimeNs);
    writer.u32(firstBucket);
    writer.u32(lastBucket);
    writer.u32(importedAtS);
    for (const field of design.openFields) writeField(writer, fieldValue(series.entry.fields, field.name)!);
  }
  await engine.insert({ table: seriesTable(design), columns: seriesColumns(design), rows: writer.bytes(), token: null });
  const importedBucket = importedBucketOf(importedAtS);
  for (const { series, firstBucket, lastBucket } of ranges) {
    series.firstBucket = Math.min(series.firstBucket, firstBucket);
    series.lastBucket = Math.max(series.lastBucket, lastBucket);
    series.importedBucket = Math.max(series.importedBucket, importedBucket);
  }
}

/**
 * Reads the series of a table whose samples reach a bucket, in order of their ids, into a registry that may know some of them. `conflicts` counts rows whose id belongs to
 * another series.
 */
export async function loadSeries(
  engine: Engine,
  design: WideDesign,
  registry: SeriesRegistry = new SeriesRegistry(design.clusteringField),
  sinceBucket = 0,
): Promise<{ registry: SeriesRegistry; conflicts: number }> {
  const names = seriesColumns(design)
    .map((column) => identifier(column.name))
    .join(", ");
  const reader = new RowBinaryReader(
    await ask(engine, `SELECT ${names} FROM ${seriesTable(design)} WHERE last_b >= ${integerLiteral(sinceBucket)} ORDER BY sid`),
  );
  let conflicts = 0;
  while (!reader.atEnd) {
    const id = reader.u64();
    const startTimeNs = reader.i64();
    const firstBucket = reader.u32();
    const lastBucket = reader.u32();
    const importedBucket = importedBucketOf(reader.u32());
    const fields: Field[] = design.openFields.map((field) => ({ name: field.name, value: readField(reader, field.type) }));
    if (registry.restore(id, fieldSet(fields), startTimeNs, firstBucket, lastBucket, importedBucket) === null) conflicts += 1;
  }
  return { registry, conflicts };
}

function seriesColumns(design: WideDesign): EngineColumn[] {
  return [
    { name: "sid", type: "UInt64" },
    { name: "start_time", type: "DateTime64(9, 'UTC')" },
    { name: "first_b", type: "UInt32" },
    { name: "last_b", type: "UInt32" },
    { name: IMPORTED_AT, type: "DateTime('UTC')" },
    ...design.openFields.map((field) => ({ name: columnName(field.name), type: fieldSqlType(field.type) })),
  ];
}

function importedBucketOf(importedAtS: number): number {
  return bucketOf(BigInt(importedAtS) * NS_PER_SECOND);
}
