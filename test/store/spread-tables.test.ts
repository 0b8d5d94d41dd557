import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLogger } from "../../src/runtime/index.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import type { Engine } from "../../src/store/engine.ts";
import { installTables } from "../../src/store/install-tables.ts";
import { deriveLayout } from "../../src/store/layout.ts";
import { freshDirectory } from "../support/store-at.ts";
import { timeseries } from "../support/zone-schema.ts";

const first = deriveLayout([timeseries("thing:count", "u64", [["name", "string"]], [])]).tables;
const second = deriveLayout([
  timeseries("thing:count", "u64", [["name", "string"]], []),
  timeseries("thing:more", "u64", [["name", "string"]], []),
]).tables;

const directory = freshDirectory();
let engine: Engine;
/** Says of its tables that they lie over those of a cluster's nodes. */
let spread: Engine;
const statements: string[] = [];

beforeAll(async () => {
  engine = await openEmbeddedEngine(directory.path, silentLogger);
  await installTables(engine, first, 30, silentLogger);
  spread = {
    ...engine,
    run: async (statement) => {
      statements.push(statement);
      await engine.run(statement);
    },
    query: (query) => {
      const text = query.text.replace("engine_full FROM", "concat('Distributed(oximeter_cluster, ', name, '_local)') FROM");
      return engine.query({ ...query, text });
    },
  };
});

afterAll(async () => {
  await engine.close();
  directory.remove();
});

it("leaves the retention of tables over a cluster alone", async () => {
  const tables = await installTables(spread, first, 60, silentLogger);
  expect(tables.map(({ columns }) => columns.map(({ label }) => label))).toEqual([["count"]]);
  expect(statements.filter((statement) => statement.startsWith("ALTER"))).toEqual([]);
});

it("says which statement the nodes of a cluster need for a new metric, and changes nothing", async () => {
  statements.length = 0;
  await expect(installTables(spread, second, 30, silentLogger)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(
      /thing_\w+ is spread over a cluster .* thing_\w+_local on every node first, ALTER TABLE .* ADD COLUMN IF NOT EXISTS `more`/,
    ) as string,
  });
  expect(statements.filter((statement) => statement.startsWith("ALTER"))).toEqual([]);
});
