import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import type { Engine } from "../../src/store/engine.ts";
import { installNarrow } from "../../src/store/narrow-install.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { freshDirectory } from "../support/store-at.ts";

const DATABASE = { name: "oximeter", retentionDays: 30, deduplicates: false };

describe("a database in upstream's layout", () => {
  const directory = freshDirectory();
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEmbeddedEngine(directory.path, silentLogger);
  });

  afterAll(async () => {
    await engine.close();
    directory.remove();
  });

  const text = async (query: string): Promise<string> => new RowBinaryReader(await ask(engine, query)).string();
  const definitions = (): Promise<string> =>
    text(
      "SELECT arrayStringConcat(groupArray(create_table_query), '\\n') FROM (SELECT create_table_query FROM system.tables WHERE database = 'oximeter' ORDER BY name)",
    );

  it("has 41 tables, and is left exactly as it is", async () => {
    await installNarrow(engine, DATABASE, silentLogger);
    expect(await text("SELECT toString(count()) FROM system.tables WHERE database = 'oximeter'")).toBe("41");
    await engine.run("ALTER TABLE oximeter.measurements_u64 MODIFY TTL toDateTime(timestamp) + toIntervalDay(7)");
    const before = await definitions();
    await installNarrow(engine, DATABASE, silentLogger);
    expect(await definitions()).toBe(before);
    expect(await text("SELECT toString(count()) FROM oximeter.version")).toBe("1");
  });

  it("is refused where a table is missing or another", async () => {
    await engine.run("RENAME TABLE oximeter.fields_u8 TO oximeter.aside");
    await expect(installNarrow(engine, DATABASE, silentLogger)).rejects.toMatchObject({ code: "config", kind: "layout_table" });
    await engine.run("RENAME TABLE oximeter.aside TO oximeter.fields_u8");
    await engine.run("ALTER TABLE oximeter.measurements_i8 MODIFY COLUMN datum Nullable(Int16)");
    await expect(installNarrow(engine, DATABASE, silentLogger)).rejects.toMatchObject({ code: "config", kind: "layout_column" });
  });

  it.each([13n, 15n])("is refused with version %i", async (version) => {
    await engine.run("TRUNCATE TABLE oximeter.version");
    await engine.run(`INSERT INTO oximeter.version (value, timestamp) VALUES (${version}, now64(9, 'UTC'))`);
    await expect(installNarrow(engine, DATABASE, silentLogger)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(
        new RegExp(`^Database "oximeter" has version ${version} of its layout, and this works with version 14: `),
      ) as string,
    });
  });
});
