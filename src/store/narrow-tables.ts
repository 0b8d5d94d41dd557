import { STORE_DEDUPLICATION_WINDOW } from "../core/index.ts";
import { identifier, integerLiteral, tableName } from "./literal.ts";
import {
  DATUM_TYPE_ENUM,
  FIELD_SOURCE_ENUM,
  FIELD_TYPE_ENUM,
  fieldsTableName,
  isDated,
  measurementColumns,
  measurementsTableName,
  NARROW_DATUM_TYPES,
  NARROW_FIELD_TYPES,
  narrowFieldSqlType,
} from "./narrow-types.ts";

/** Upstream's database: what customers may see, where its own tools read it. */
export const PUBLIC_DATABASE = "oximeter";

/** The only version of the layout that this knows. Upstream has frozen it. */
export const NARROW_VERSION = 14;

/** Days that upstream keeps everything. */
export const PUBLIC_RETENTION_DAYS = 30;

const TIME = "DateTime64(9, 'UTC')";

export interface NarrowTable {
  readonly name: string;
  /** Name and type of every column that is written, in table order. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly engine: "MergeTree" | "ReplacingMergeTree";
  readonly orderBy: string;
  /** Where the days of retention count from; null where rows stay. */
  readonly expiresFrom: string | null;
  /** Written by the engine, never by an insert. */
  readonly materialized: string | null;
  /** Whether rows carry a timeseries name. */
  readonly named: boolean;
}

/** Upstream's 41 tables, `version` last: a layout that has its row is complete. */
export const NARROW_TABLES: readonly NarrowTable[] = [
  ...NARROW_FIELD_TYPES.map((type): NarrowTable => ({
    name: fieldsTableName(type),
    columns: [...keyColumns(), { name: "field_name", type: "String" }, { name: "field_value", type: narrowFieldSqlType(type) }],
    engine: "ReplacingMergeTree",
    orderBy: "timeseries_name, field_name, field_value, timeseries_key",
    expiresFrom: "last_updated_at",
    materialized: "last_updated_at DateTime MATERIALIZED now()",
    named: true,
  })),
  ...NARROW_DATUM_TYPES.map((type): NarrowTable => {
    const times = isDated(type) ? ["start_time", "timestamp"] : ["timestamp"];
    return {
      name: measurementsTableName(type),
      columns: [...keyColumns(), ...times.map((name) => ({ name, type: TIME })), ...measurementColumns(type)],
      engine: "MergeTree",
      orderBy: ["timeseries_name", "timeseries_key", ...times].join(", "),
      expiresFrom: "toDateTime(timestamp)",
      materialized: null,
      named: true,
    };
  }),
  {
    name: "timeseries_schema",
    columns: [
      { name: "timeseries_name", type: "String" },
      { name: "fields.name", type: "Array(String)" },
      { name: "fields.type", type: `Array(${FIELD_TYPE_ENUM})` },
      { name: "fields.source", type: `Array(${FIELD_SOURCE_ENUM})` },
      { name: "datum_type", type: DATUM_TYPE_ENUM },
      { name: "created", type: TIME },
    ],
    engine: "MergeTree",
    orderBy: "timeseries_name, fields.name",
    expiresFrom: null,
    materialized: null,
    named: true,
  },
  {
    name: "version",
    columns: [
      { name: "value", type: "UInt64" },
      { name: "timestamp", type: TIME },
    ],
    engine: "MergeTree",
    orderBy: "value, timestamp",
    expiresFrom: null,
    materialized: null,
    named: false,
  },
];

function keyColumns(): { readonly name: string; readonly type: string }[] {
  return [
    { name: "timeseries_name", type: "String" },
    { name: "timeseries_key", type: "UInt64" },
  ];
}

/** One database in upstream's layout. */
export interface NarrowDatabase {
  readonly name: string;
  /** Null keeps rows for ever. */
  readonly retentionDays: number | null;
  /** Ours may remember insert tokens; upstream's tables have no such setting. */
  readonly deduplicates: boolean;
}

/** What a cluster makes of a table: a replicated one on every node, and one over all of them that readers and writers use. */
export const CLUSTER = "oximeter_cluster";

/** Columns and all behind them, without the engine's own part. */
function columnsOf(table: NarrowTable): string {
  // Upstream writes the three arrays of a schema row as one nested column, which is the same table.
  const columns = table.columns.map(({ name, type }) => `${identifier(name)} ${type}`);
  return [...columns, ...(table.materialized === null ? [] : [table.materialized])].join(", ");
}

function behindColumns(table: NarrowTable, database: NarrowDatabase): string {
  const { retentionDays } = database;
  const ttl = table.expiresFrom === null || retentionDays === null ? "" : ` TTL ${narrowTtl(table.expiresFrom, retentionDays)}`;
  return ` ORDER BY (${table.orderBy})${ttl}`;
}

export function narrowTtl(expiresFrom: string, days: number): string {
  return `${expiresFrom} + toIntervalDay(${integerLiteral(days)})`;
}

export function createNarrowDatabase(database: Pick<NarrowDatabase, "name">): string {
  return `CREATE DATABASE IF NOT EXISTS ${identifier(database.name)}`;
}

export function createNarrowTable(table: NarrowTable, database: NarrowDatabase): string {
  const remembers = database.deduplicates && table.expiresFrom === "toDateTime(timestamp)";
  const settings = remembers ? ` SETTINGS non_replicated_deduplication_window = ${STORE_DEDUPLICATION_WINDOW}` : "";
  return `CREATE TABLE IF NOT EXISTS ${tableName(database.name, table.name)} (${columnsOf(table)}) ENGINE = ${table.engine}()${behindColumns(table, database)}${settings}`;
}

export function insertNarrowVersion(database: Pick<NarrowDatabase, "name">): string {
  return `INSERT INTO ${tableName(database.name, "version")} (value, timestamp) VALUES (${NARROW_VERSION}, now64(9, 'UTC'))`;
}

/** The two statements of a table on a cluster. By default a table is spread by its target's name, as upstream spreads it. */
export function createReplicatedNarrowTable(table: NarrowTable, database: NarrowDatabase): string[] {
  const onCluster = `ON CLUSTER ${CLUSTER}`;
  const path = `'/clickhouse/tables/{shard}/${database.name === PUBLIC_DATABASE ? "" : `${database.name}/`}`;
  if (!table.named) {
    return [
      `CREATE TABLE IF NOT EXISTS ${tableName(database.name, table.name)} ${onCluster} (${columnsOf(table)}) ENGINE = Replicated${table.engine}(${path}${table.name}', '{replica}')${behindColumns(table, database)}`,
    ];
  }
  const local = `${table.name}_local`;
  return [
    `CREATE TABLE IF NOT EXISTS ${tableName(database.name, local)} ${onCluster} (${columnsOf(table)}) ENGINE = Replicated${table.engine}(${path}${local}', '{replica}')${behindColumns(table, database)}`,
    `CREATE TABLE IF NOT EXISTS ${tableName(database.name, table.name)} ${onCluster} (${columnsOf(table)}) ENGINE = Distributed('${CLUSTER}', '${database.name}', '${local}', xxHash64(splitByChar(':', timeseries_name)[1]))`,
  ];
}
