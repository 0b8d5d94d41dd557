import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import type { Engine } from "../../src/store/engine.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { isAboutAccess, setupStatements, type SetupOptions } from "../../src/store/setup.ts";
import { freshDirectory } from "../support/store-at.ts";
import { timeseries } from "../support/zone-schema.ts";

const OPTIONS: SetupOptions = {
  schemas: [
    timeseries("bunker:fuel", "u64", [["barge_id", "string"]], [["state", "string", ["in", "out"]]]),
    timeseries("barge:cargo", "u64", [["barge_id", "string"]], [], { visibility: "customer" }),
  ],
  customerNames: ["barge:cargo", "buoy:it's"],
  retentionDays: 30,
  cluster: false,
  stockOximeter: false,
};
const KINDS = { single: OPTIONS, cluster: { ...OPTIONS, cluster: true }, stock: { ...OPTIONS, stockOximeter: true } } as const;

describe("the setup of a server", () => {
  const directory = freshDirectory();
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEmbeddedEngine(directory.path, silentLogger);
  });

  afterAll(async () => {
    await engine.close();
    directory.remove();
  });

  it.each(Object.keys(KINDS) as (keyof typeof KINDS)[])("of kind %s is what it was, and every statement of it is one", async (kind) => {
    const statements = setupStatements(KINDS[kind]);
    // Run with UPDATE_GOLDEN=1 to write them anew, then read what changed.
    const golden = new URL(`golden/${kind}.sql`, import.meta.url);
    const text = `${statements.join(";\n")};\n`;
    if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, "utf8"));
    for (const statement of statements) await ask(engine, `SELECT formatQuery($zonemeter$${statement}$zonemeter$)`);
  });

  it("changes no table that is there", () => {
    for (const statement of Object.values(KINDS).flatMap(setupStatements)) {
      expect(statement).toMatch(
        /^(CREATE (DATABASE|TABLE|MATERIALIZED VIEW|ROLE) IF NOT EXISTS|CREATE ROW POLICY OR REPLACE|GRANT|INSERT INTO `?oximeter(_internal)?`?\.`version`) /,
      );
    }
  });

  const state = async (): Promise<string> => {
    const text =
      "SELECT arrayStringConcat(groupArray(create_table_query), '\\n') FROM (SELECT create_table_query FROM system.tables WHERE database LIKE 'oximeter%' ORDER BY database, name)";
    const versions = new RowBinaryReader(
      await ask(engine, "SELECT (SELECT count() FROM oximeter.version) + 100 * (SELECT count() FROM oximeter_internal.version)"),
    );
    return `${new RowBinaryReader(await ask(engine, text)).string()} ${versions.u64()}`;
  };

  it("ends in the same state when it is run twice, or cut short after any step and run again", async () => {
    const steps = setupStatements(KINDS.stock).filter((statement) => !isAboutAccess(statement));
    const wipe = async (): Promise<void> => {
      for (const database of ["oximeter", "oximeter_internal"]) await engine.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
    };
    for (const step of steps) await engine.run(step);
    const whole = (await state()).replaceAll(/UUID '[^']*'/g, "");
    expect(whole).toContain("copy_measurements_u64");
    for (const step of steps) await engine.run(step);
    expect((await state()).replaceAll(/UUID '[^']*'/g, "")).toBe(whole);
    // Every cut is looked at by text, some in the engine: each step needs only earlier ones, and is harmless when it comes again.
    for (const cut of [1, 2, Math.floor(steps.length / 3), Math.floor(steps.length / 2), steps.length - 1]) {
      await wipe();
      for (const step of [...steps.slice(0, cut), ...steps]) await engine.run(step);
      expect((await state()).replaceAll(/UUID '[^']*'/g, "")).toBe(whole);
    }
  });

  it("copies what is for operators alone out of what upstream's collector writes, and leaves the rest", async () => {
    await engine.run(
      "INSERT INTO oximeter.measurements_u64 SELECT name, 1, now64(9, 'UTC'), 5 FROM (SELECT arrayJoin(['barge:cargo', 'bunker:fuel', 'anything:new']) AS name)",
    );
    const names = new RowBinaryReader(
      await ask(engine, "SELECT arrayStringConcat(arraySort(groupArray(timeseries_name)), ',') FROM oximeter_internal.measurements_u64"),
    );
    expect(names.string()).toBe("anything:new,bunker:fuel");
  });
});
