import { STORE_DEDUPLICATION_WINDOW } from "../core/index.ts";
import { fieldSqlType } from "./field-type.ts";
import { columnName, type ColumnDesign, type WideDesign } from "./layout.ts";
import { identifier, integerLiteral, tableName } from "./literal.ts";
import { valueTypeOf } from "./value-type.ts";

/** Where everything lives that customers must not see; their engine role has no right here. */
export const DATABASE = "oximeter_internal";

/** Bits of one presence column: 64-bit ones took 0.3 to 0.45 bytes a row where these take 0.02. */
export const PRESENCE_BITS = 32;

/**
 * Column that says when a row was imported; rows that came in live have the epoch. Retention counts from it where it is later than the row's
 * own time, so that an import may be of any age.
 */
export const IMPORTED_AT = "imported_at";

/** Days for which the row of a series outlives its last sample: samples go by whole days. */
const SERIES_EXTRA_DAYS = 2;

export function samplesTable(design: Pick<WideDesign, "name">): string {
  return tableName(DATABASE, design.name);
}

export function seriesTable(design: Pick<WideDesign, "name">): string {
  return tableName(DATABASE, seriesTableName(design));
}

export function seriesTableName(design: Pick<WideDesign, "name">): string {
  return `${design.name}_series`;
}

export function createDatabase(): string {
  return `CREATE DATABASE IF NOT EXISTS ${identifier(DATABASE)}`;
}

/**
 * A row: hour bucket, series id, instant, which columns hold a value, and the values. The bucket comes first in the key so that a range of time
 * is a range of rows; a function of `ts` there prunes as well but was up to three times slower.
 */
export function createSamplesTable(design: WideDesign, retentionDays: number | null): string {
  const presence = Array.from({ length: presenceColumns(design.columns.length) }, (_, word) => presenceDefinition(word));
  const columns = [
    "b UInt32 CODEC(Delta, ZSTD(1))",
    "sid UInt64 CODEC(Delta, ZSTD(1))",
    "ts DateTime64(9, 'UTC') CODEC(GCD, Delta, T64('bit'), ZSTD(1))",
    ...presence,
    importedAtDefinition("samples"),
    ...design.columns.map(valueDefinition),
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${samplesTable(design)} (${columns.join(", ")})`,
    "ENGINE = MergeTree PARTITION BY toYYYYMMDD(ts) ORDER BY (b, sid, ts)",
    retentionDays === null ? "" : `TTL ${samplesTtl(retentionDays)}`,
    "SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1,",
    // Merged parts are kept for eight minutes by default, at fourfold the space of a young table; the system has written the new part by then.
    "old_parts_lifetime = 60,",
    `non_replicated_deduplication_window = ${STORE_DEDUPLICATION_WINDOW}`,
  ].join(" ");
}

/**
 * A row: series id, fields, start time (the epoch for none), first and last hour bucket that may hold samples. The range is written before
 * the first sample beyond it, and merges join rows of one series.
 */
export function createSeriesTable(design: WideDesign, retentionDays: number | null): string {
  const columns = [
    "sid UInt64",
    `start_time ${seriesColumnType("DateTime64(9, 'UTC')")}`,
    "first_b SimpleAggregateFunction(min, UInt32)",
    "last_b SimpleAggregateFunction(max, UInt32)",
    importedAtDefinition("series"),
    ...design.openFields.map((field) => `${identifier(columnName(field.name))} ${seriesColumnType(fieldSqlType(field.type))}`),
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${seriesTable(design)} (${columns.join(", ")})`,
    "ENGINE = AggregatingMergeTree ORDER BY sid",
    retentionDays === null ? "" : `TTL ${seriesTtl(retentionDays)}`,
    "SETTINGS index_granularity = 1024",
  ].join(" ");
}

/** All rows of a series have the same identity, so a merge may keep any. */
export function seriesColumnType(sqlType: string): string {
  return `SimpleAggregateFunction(any, ${sqlType})`;
}

export function samplesTtl(retentionDays: number): string {
  return `greatest(toDateTime(ts), ${IMPORTED_AT}) + toIntervalDay(${integerLiteral(retentionDays)})`;
}

export function seriesTtl(retentionDays: number): string {
  return `greatest(toDateTime(last_b * 3600), ${IMPORTED_AT}) + toIntervalDay(${integerLiteral(retentionDays + SERIES_EXTRA_DAYS)})`;
}

export function importedAtDefinition(of: "samples" | "series"): string {
  const type = "DateTime('UTC')";
  return `${IMPORTED_AT} ${of === "samples" ? `${type} CODEC(ZSTD(1))` : `SimpleAggregateFunction(max, ${type})`}`;
}

export function presenceColumns(columns: number): number {
  return Math.max(1, Math.ceil(columns / PRESENCE_BITS));
}

export function presenceName(word: number): string {
  return `present_${word}`;
}

export function presenceDefinition(word: number): string {
  return `${presenceName(word)} UInt32 CODEC(ZSTD(1))`;
}

export function valueDefinition(column: ColumnDesign): string {
  const { sqlType, codec } = valueTypeOf(column.datumType);
  return `${identifier(column.name)} ${sqlType} CODEC(${codec})`;
}
