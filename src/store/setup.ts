import type { TimeseriesSchema } from "../core/index.ts";
import { deriveLayout, type WideDesign } from "./layout.ts";
import { identifier, tableName } from "./literal.ts";
import {
  CLUSTER,
  createNarrowDatabase,
  createNarrowTable,
  createReplicatedNarrowTable,
  NARROW_TABLES,
  NARROW_VERSION,
  PUBLIC_DATABASE,
  PUBLIC_RETENTION_DAYS,
  type NarrowDatabase,
} from "./narrow-tables.ts";
import { CUSTOMER_ROLE, customerRows, GRANTS, namedTables, OPERATOR_ROLE, ROLES, WRITER_ROLE } from "./roles.ts";
import { createSamplesTable, createSeriesTable, DATABASE, seriesTableName } from "./statements.ts";

export interface SetupOptions {
  readonly schemas: Iterable<TimeseriesSchema>;
  /** Every timeseries that customers may see. */
  readonly customerNames: readonly string[];
  readonly retentionDays: number;
  /** Replicated tables on every node of the cluster, and distributed ones over them. */
  readonly cluster: boolean;
  /** Oxide's own collector writes into `oximeter`: what is for operators alone is copied out of there as it comes. */
  readonly stockOximeter: boolean;
}

/**
 * All that a server has to have, as statements in the order in which they depend on each other. Each may run again and changes nothing then, so a
 * setup that was cut short is finished by the next. None changes a table that is there.
 */
export function setupStatements(options: SetupOptions): string[] {
  return [...tables(options), ...(options.stockOximeter ? copies(options) : []), ...access(options)];
}

function tables({ cluster, retentionDays, schemas }: SetupOptions): string[] {
  const databases: NarrowDatabase[] = [
    { name: PUBLIC_DATABASE, retentionDays: PUBLIC_RETENTION_DAYS, deduplicates: false },
    { name: DATABASE, retentionDays, deduplicates: true },
  ];
  const narrow = databases.flatMap((database) => [
    `${createNarrowDatabase(database)}${onCluster(cluster)}`,
    ...NARROW_TABLES.flatMap((table) => (cluster ? createReplicatedNarrowTable(table, database) : [createNarrowTable(table, database)])),
    versionRow(database),
  ]);
  const { tables: designs } = deriveLayout([...schemas].filter(({ visibility }) => visibility === "operator_only"));
  return [...narrow, ...designs.flatMap((design) => wideTables(design, retentionDays, cluster))];
}

function versionRow({ name }: NarrowDatabase): string {
  const version = tableName(name, "version");
  return `INSERT INTO ${version} (value, timestamp) SELECT ${NARROW_VERSION}, now64(9, 'UTC') WHERE (SELECT count() FROM ${version}) = 0`;
}

function wideTables(design: WideDesign, retentionDays: number, cluster: boolean): string[] {
  const series = createSeriesTable(design, retentionDays);
  const samples = createSamplesTable(design, retentionDays);
  if (!cluster) return [series, samples];
  return [...replicated(series, seriesTableName(design)), ...replicated(samples, design.name)];
}

/** A table's own statement as the one for every node, and the table over all nodes. The rows of a series are on one shard. */
function replicated(statement: string, name: string): string[] {
  const local = `${name}_local`;
  const own = statement
    .replace(`${tableName(DATABASE, name)} (`, () => `${tableName(DATABASE, local)}${onCluster(true)} (`)
    .replace(
      /ENGINE = (\w*MergeTree)/,
      (_all, engine: string) => `ENGINE = Replicated${engine}('/clickhouse/tables/{shard}/${DATABASE}/${local}', '{replica}')`,
    )
    .replace("non_replicated_deduplication_window", "replicated_deduplication_window");
  return [
    own,
    `CREATE TABLE IF NOT EXISTS ${tableName(DATABASE, name)}${onCluster(true)} AS ${tableName(DATABASE, local)} ENGINE = Distributed('${CLUSTER}', '${DATABASE}', '${local}', sid)`,
  ];
}

/** Views that copy what customers must not see as upstream's collector inserts it. They are in our database; upstream's tables stay as they are. */
function copies({ cluster, customerNames }: SetupOptions): string[] {
  return NARROW_TABLES.filter(({ named }) => named).map((table) => {
    const source = cluster ? `${table.name}_local` : table.name;
    const columns = table.columns.map(({ name }) => identifier(name)).join(", ");
    return [
      `CREATE MATERIALIZED VIEW IF NOT EXISTS ${tableName(DATABASE, `copy_${table.name}`)}${onCluster(cluster)} TO ${tableName(DATABASE, table.name)}`,
      `AS SELECT ${columns} FROM ${tableName(PUBLIC_DATABASE, source)} WHERE NOT (${customerRows(customerNames)})`,
    ].join(" ");
  });
}

/**
 * Roles, their rights, and the rows of `oximeter` that customers get. Others keep all rows: a table that has a policy would hide them from
 * those whom no policy names, depending on the server's configuration.
 */
function access({ cluster, customerNames }: SetupOptions): string[] {
  const on = onCluster(cluster);
  return [
    ...ROLES.map((role) => `CREATE ROLE IF NOT EXISTS ${role}${on}`),
    ...GRANTS.map(({ database, rights, role }) => `GRANT${on} ${rights} ON ${identifier(database)}.* TO ${role}`),
    ...namedTables(cluster).flatMap((name) => {
      const table = tableName(PUBLIC_DATABASE, name);
      const policy = (suffix: string, rows: string, to: string): string =>
        `CREATE ROW POLICY OR REPLACE zonemeter_${suffix}${on} ON ${table} FOR SELECT USING ${rows} AS PERMISSIVE TO ${to}`;
      return [
        policy("customers", customerRows(customerNames), CUSTOMER_ROLE),
        policy("insiders", "1", `${WRITER_ROLE}, ${OPERATOR_ROLE}`),
        policy("others", "1", `ALL EXCEPT ${CUSTOMER_ROLE}`),
      ];
    }),
  ];
}

function onCluster(cluster: boolean): string {
  return cluster ? ` ON CLUSTER ${CLUSTER}` : "";
}

/** Whether a statement is about roles, which the embedded engine has from files. */
export function isAboutAccess(statement: string): boolean {
  return /^(CREATE ROLE|CREATE ROW POLICY|GRANT)\b/.test(statement);
}
