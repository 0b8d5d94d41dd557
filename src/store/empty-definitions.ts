import { existsSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ZonemeterError } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";

/** What the folder of a table holds beside its rows. */
const NO_ROWS = /^(detached|deduplication_logs|format_version\.txt|mutation_\d+\.txt)$/;

/**
 * A disk that is full while the engine makes a database or a table can leave its definition empty, for which the engine refuses the whole
 * directory. Where it defines nothing that holds rows, the file is taken away, and the table is made anew as any that is missing. Throws
 * ZonemeterError `unavailable` where there are rows: their definition was lost later, and without it a new one would not find them.
 */
export function removeEmptyDefinitions(enginePath: string, logger: Logger): void {
  const metadata = join(enginePath, "metadata");
  for (const database of definitionsIn(metadata)) {
    const tables = definitionsIn(join(metadata, database));
    const empty = tables.filter((table) => isEmpty(join(metadata, database, `${table}.sql`)));
    for (const table of empty) {
      const rows = join(enginePath, "data", database, table);
      remove(join(metadata, database, `${table}.sql`), rows, hasRows(rows), logger);
    }
    const definition = join(metadata, `${database}.sql`);
    if (isEmpty(definition)) remove(definition, join(metadata, database), tables.length > empty.length, logger);
  }
}

/** `link` leads to the folder that the definition names; the engine keeps an old one where a new definition names another. */
function remove(file: string, link: string, isNeeded: boolean, logger: Logger): void {
  if (isNeeded) {
    throw new ZonemeterError(
      "unavailable",
      `The engine's file "${file}" is empty, and there are rows that need it: put it back from a backup, or move the data directory away to start anew.`,
    );
  }
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(link);
  rmSync(file);
  logger.warn({ file }, "a definition that a full disk left empty was removed; it is of nothing that holds rows, and is made anew");
}

/** Names of what the files of a folder define. */
function definitionsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.slice(0, -".sql".length));
}

function isEmpty(file: string): boolean {
  return statSync(file).size === 0;
}

function hasRows(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => !NO_ROWS.test(name));
}
