import { ZonemeterError } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import { ask } from "./ask.ts";
import type { Engine } from "./engine.ts";
import { fieldSqlType } from "./field-type.ts";
import { columnName, type WideDesign } from "./layout.ts";
import { identifier, stringLiteral } from "./literal.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";
import {
  createDatabase,
  createSamplesTable,
  createSeriesTable,
  DATABASE,
  IMPORTED_AT,
  importedAtDefinition,
  presenceColumns,
  presenceDefinition,
  presenceName,
  samplesTable,
  samplesTtl,
  seriesColumnType,
  seriesTable,
  seriesTableName,
  seriesTtl,
  valueDefinition,
} from "./statements.ts";
import { valueTypeOf } from "./value-type.ts";
import { placeTable, type WideTable } from "./wide-table.ts";

/** What the engine has of one table. */
interface StoredTable {
  /** Name and type, in table order. */
  readonly columns: ReadonlyMap<string, string>;
  /** The table's definition behind its columns, as the engine prints it. */
  readonly definition: string;
}

/**
 * Makes what is missing: tables, columns of new metrics and states, target fields, another retention. Never changes the type of a column and
 * never drops one. Throws ZonemeterError `config` where a column has another type than the schema says now, or a table over a cluster lacks one.
 */
export async function installTables(
  engine: Engine,
  designs: readonly WideDesign[],
  retentionDays: number | null,
  logger: Logger,
): Promise<WideTable[]> {
  await engine.run(createDatabase());
  const stored = await readStoredTables(engine);
  const tables: WideTable[] = [];
  for (const design of designs) {
    const change = async (statement: string): Promise<void> => {
      const spread = [...stored].find(([name, table]) => isSpread(table) && statement.startsWith(`ALTER TABLE ${samplesTable({ name })} `));
      if (spread !== undefined) refuseSpread(spread[0], statement);
      logger.debug({ table: design.name, statement }, "changing the store's layout");
      await engine.run(statement);
    };
    const series = stored.get(seriesTableName(design));
    if (series === undefined) await change(createSeriesTable(design, retentionDays));
    else await completeSeriesTable(design, series, retentionDays, change);
    const samples = stored.get(design.name);
    if (samples === undefined) await change(createSamplesTable(design, retentionDays));
    const valueNames =
      samples === undefined ? design.columns.map(({ name }) => name) : await completeSamplesTable(design, samples, retentionDays, change);
    tables.push(placeTable(design, valueNames));
  }
  return tables;
}

async function readStoredTables(engine: Engine): Promise<Map<string, StoredTable>> {
  const inDatabase = `database = ${stringLiteral(DATABASE)}`;
  const columns = new Map<string, Map<string, string>>();
  const columnRows = new RowBinaryReader(
    await ask(engine, `SELECT table, name, type FROM system.columns WHERE ${inDatabase} ORDER BY table, position`),
  );
  while (!columnRows.atEnd) {
    const table = columnRows.string();
    const known = columns.get(table) ?? new Map<string, string>();
    columns.set(table, known.set(columnRows.string(), columnRows.string()));
  }
  const tables = new Map<string, StoredTable>();
  const tableRows = new RowBinaryReader(await ask(engine, `SELECT name, engine_full FROM system.tables WHERE ${inDatabase}`));
  while (!tableRows.atEnd) {
    const name = tableRows.string();
    tables.set(name, { columns: columns.get(name) ?? new Map(), definition: tableRows.string() });
  }
  return tables;
}

/** All tables of the designs are there. */
export async function hasTables(engine: Engine, designs: readonly WideDesign[]): Promise<boolean> {
  const stored = await readStoredTables(engine);
  return designs.every((design) => stored.has(design.name) && stored.has(seriesTableName(design)));
}

/** There are tables of samples, and none of them has an expiry. */
export async function keepsForEver(engine: Engine): Promise<boolean> {
  const tables = [...(await readStoredTables(engine)).values()];
  return tables.length > 0 && tables.every(({ definition }) => ttlOf(definition) === null);
}

type Change = (statement: string) => Promise<void>;

/** Returns the value columns in table order, which gives each its presence bit. */
async function completeSamplesTable(
  design: WideDesign,
  stored: StoredTable,
  retentionDays: number | null,
  change: Change,
): Promise<string[]> {
  const table = samplesTable(design);
  const valueNames = [...stored.columns.keys()].filter((name) => !/^(b|sid|ts|present_\d+|imported_at)$/.test(name));
  await addImportedAt(table, stored, "samples", change);
  for (const column of design.columns) {
    const type = stored.columns.get(column.name);
    if (type === undefined) {
      // The presence column comes first: a row written without it would lose the new column's values.
      const word = presenceColumns(valueNames.length + 1) - 1;
      if (!stored.columns.has(presenceName(word)))
        await change(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${presenceDefinition(word)}`);
      await change(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${valueDefinition(column)}`);
      valueNames.push(column.name);
    } else refuseOtherType(`Metric "${column.label}" of target "${design.targetName}"`, type, valueTypeOf(column.datumType).sqlType);
  }
  await setRetention(table, stored, retentionDays === null ? null : samplesTtl(retentionDays), change);
  return valueNames;
}

/** Series stored before a target field was added have the type's zero value in it. */
async function completeSeriesTable(design: WideDesign, stored: StoredTable, retentionDays: number | null, change: Change): Promise<void> {
  const table = seriesTable(design);
  await addImportedAt(table, stored, "series", change);
  for (const field of design.openFields) {
    const name = columnName(field.name);
    const type = stored.columns.get(name);
    const wanted = seriesColumnType(fieldSqlType(field.type));
    if (type === undefined) await change(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${identifier(name)} ${wanted}`);
    else refuseOtherType(`Field "${field.name}" of target "${design.targetName}"`, type, wanted);
  }
  await setRetention(table, stored, retentionDays === null ? null : seriesTtl(retentionDays), change);
}

async function addImportedAt(table: string, stored: StoredTable, of: "samples" | "series", change: Change): Promise<void> {
  if (!stored.columns.has(IMPORTED_AT)) await change(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${importedAtDefinition(of)}`);
}

async function setRetention(table: string, stored: StoredTable, ttl: string | null, change: Change): Promise<void> {
  // That of tables over the nodes of a cluster is the nodes' own.
  if (isSpread(stored)) return;
  const has = ttlOf(stored.definition);
  if (has === ttl || (has !== null && ttl !== null && withoutBlanks(has) === withoutBlanks(ttl))) return;
  await change(ttl === null ? `ALTER TABLE ${table} REMOVE TTL` : `ALTER TABLE ${table} MODIFY TTL ${ttl}`);
}

/** A table over those of a cluster's nodes, which it does not change with itself. */
function isSpread({ definition }: StoredTable): boolean {
  return definition.startsWith("Distributed");
}

function refuseSpread(name: string, statement: string): never {
  throw new ZonemeterError(
    "config",
    `Table ${DATABASE}.${name} is spread over a cluster and lacks what the schemas have now: run there, for ${name}_local on every node first, ${statement}`,
    { kind: "layout" },
  );
}

function ttlOf(definition: string): string | null {
  return / TTL (.*?)(?: SETTINGS |$)/.exec(definition)?.[1] ?? null;
}

/** The engine prints expressions with its own brackets and blanks. */
function withoutBlanks(expression: string): string {
  return expression.replaceAll(/[\s()]/g, "");
}

function refuseOtherType(what: string, stored: string, wanted: string): void {
  if (stored === wanted) return;
  const plain = (type: string): string => /^SimpleAggregateFunction\(any, (.*)\)$/.exec(type)?.[1] ?? type;
  throw new ZonemeterError(
    "config",
    `${what} is stored as ${plain(stored)}, but its schema now needs ${plain(wanted)}: give it another name, or start with an empty data directory.`,
    { kind: "column_type" },
  );
}
