import { ZonemeterError } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import { ask } from "./ask.ts";
import type { Engine } from "./engine.ts";
import { integerLiteral, stringLiteral, tableName } from "./literal.ts";
import {
  createNarrowDatabase,
  createNarrowTable,
  insertNarrowVersion,
  NARROW_TABLES,
  NARROW_VERSION,
  narrowTtl,
  type NarrowDatabase,
} from "./narrow-tables.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";

/**
 * Makes a database in upstream's layout where there is none, finishes one whose making was cut short, and checks one that is there. Where a
 * database says that it is complete nothing is ever changed, but the retention of one of ours. Throws ZonemeterError `config` for another
 * version, or columns that are not those of the layout.
 */
export async function installNarrow(engine: Engine, database: NarrowDatabase, logger: Logger): Promise<void> {
  const stored = await readColumns(engine, database);
  const version = stored.has("version") ? await readVersion(engine, database) : 0n;
  if (version !== 0n && version !== BigInt(NARROW_VERSION)) {
    throw new ZonemeterError(
      "config",
      `Database "${database.name}" has version ${version} of its layout, and this works with version ${NARROW_VERSION}: bring it there with the tools that made it, or name another server.`,
      { kind: "layout_version" },
    );
  }
  checkColumns(database, stored, version !== 0n);
  if (version === 0n) {
    logger.info({ database: database.name }, "making a database in upstream's layout");
    await engine.run(createNarrowDatabase(database));
    for (const table of NARROW_TABLES) if (!stored.has(table.name)) await engine.run(createNarrowTable(table, database));
    await engine.run(insertNarrowVersion(database));
  } else if (database.deduplicates) await keepRetention(engine, database, logger);
}

async function readVersion(engine: Engine, { name }: NarrowDatabase): Promise<bigint> {
  return new RowBinaryReader(await ask(engine, `SELECT max(value) FROM ${tableName(name, "version")}`)).u64();
}

async function readColumns(engine: Engine, { name }: NarrowDatabase): Promise<Map<string, Map<string, string>>> {
  const text = `SELECT table, name, type FROM system.columns WHERE database = ${stringLiteral(name)} ORDER BY table, position`;
  const reader = new RowBinaryReader(await ask(engine, text));
  const tables = new Map<string, Map<string, string>>();
  while (!reader.atEnd) {
    const table = reader.string();
    const columns = tables.get(table) ?? new Map<string, string>();
    tables.set(table, columns.set(reader.string(), reader.string()));
  }
  return tables;
}

function checkColumns(database: NarrowDatabase, stored: ReadonlyMap<string, ReadonlyMap<string, string>>, complete: boolean): void {
  for (const table of NARROW_TABLES) {
    const columns = stored.get(table.name);
    if (columns === undefined) {
      if (complete)
        throw new ZonemeterError(
          "config",
          `Database "${database.name}" says that it has version ${NARROW_VERSION}, and lacks table "${table.name}": restore it, or name another server.`,
          { kind: "layout_table" },
        );
      continue;
    }
    const wrong = table.columns.find(({ name, type }) => columns.get(name) !== type);
    if (wrong === undefined) continue;
    throw new ZonemeterError(
      "config",
      `Column "${wrong.name}" of "${database.name}.${table.name}" is ${columns.get(wrong.name) ?? "missing"}, where version ${NARROW_VERSION} has ${wrong.type}: name a server with that layout.`,
      { kind: "layout_column" },
    );
  }
}

/** As upstream changes it: whatever is there already expires when its part is merged next. */
async function keepRetention(engine: Engine, database: NarrowDatabase, logger: Logger): Promise<void> {
  const text = `SELECT name, engine_full FROM system.tables WHERE database = ${stringLiteral(database.name)} AND engine LIKE '%MergeTree'`;
  const reader = new RowBinaryReader(await ask(engine, text));
  while (!reader.atEnd) {
    const name = reader.string();
    const has = / TTL (.*?)(?: SETTINGS |$)/.exec(reader.string())?.[1] ?? null;
    const table = NARROW_TABLES.find((one) => one.name === name && one.expiresFrom !== null);
    if (table === undefined) continue;
    const days = has === null ? null : Number(/toIntervalDay\((\d+)\)/.exec(has)?.[1]);
    if (days === database.retentionDays) continue;
    const change =
      database.retentionDays === null
        ? "REMOVE TTL"
        : `MODIFY TTL ${narrowTtl(table.expiresFrom!, Number(integerLiteral(database.retentionDays)))}`;
    logger.info({ table: name, change }, "changing the store's retention");
    await engine.run(`ALTER TABLE ${tableName(database.name, name)} ${change} SETTINGS materialize_ttl_after_modify = 0`);
  }
}
