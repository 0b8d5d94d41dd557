import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePortBase } from "../support/free-port-base.ts";
import { ZonemeterProcess, type Finished } from "../support/zonemeter-process.ts";

let folder: string;
let metadata: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zonemeter-empty-definitions-"));
  metadata = join(folder, "engine", "metadata");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens the store and closes it again; null for a store that cannot be opened. */
async function open(): Promise<Finished & { readonly ready: boolean }> {
  const api = new ZonemeterProcess(["api"], { ZONEMETER_STORE_DATA_DIR: folder, ZONEMETER_UP_PORT_BASE: String(await freePortBase()) });
  const ready = await api.line("ready ").then(
    () => true,
    () => false,
  );
  api.kill("SIGTERM");
  return { ...(await api.finished), ready };
}

/** Leaves a database as a start that was cut short would: with these tables, and not complete. */
function keepOnly(database: string, tables: readonly string[]): void {
  const definitions = realpathSync(join(metadata, database));
  for (const file of readdirSync(definitions)) if (!tables.includes(file)) rmSync(join(definitions, file));
}

describe("a definition that a full disk left empty", () => {
  it("of a database without tables is made anew", async () => {
    expect((await open()).ready).toBe(true);
    keepOnly("oximeter_internal", []);
    truncateSync(join(metadata, "oximeter_internal.sql"));
    const again = await open();
    expect(again.stderr).toContain("a definition that a full disk left empty was removed");
    expect([again.ready, again.code]).toEqual([true, 0]);
    expect(readdirSync(join(metadata, "oximeter_internal"))).toContain("version.sql");
    expect((await open()).stderr).not.toContain("a definition");
  });

  it("of a table without rows is made anew, in a database that was not complete", async () => {
    expect((await open()).ready).toBe(true);
    keepOnly("oximeter", ["fields_bool.sql", "fields_i8.sql"]);
    truncateSync(join(metadata, "oximeter", "fields_i8.sql"));
    const again = await open();
    expect(again.stderr).toContain("fields_i8.sql");
    expect([again.ready, again.code]).toEqual([true, 0]);
  });

  it.each([
    ["of a table with rows", "oximeter/version.sql"],
    ["of a database with tables", "oximeter_internal.sql"],
  ])("%s is left alone, and told with what to do", async (_what, name) => {
    expect((await open()).ready).toBe(true);
    const file = join(metadata, name);
    truncateSync(file);
    const again = await open();
    expect(again.stderr.split("\n").filter((line) => line.startsWith("zonemeter: "))).toEqual([
      `zonemeter: The engine's file "${file}" is empty, and there are rows that need it: put it back from a backup, or move the data directory away to start anew.`,
    ]);
    expect([again.ready, again.code, existsSync(file)]).toEqual([false, 3, true]);
  });
});
