import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { silentLogger } from "../../src/runtime/index.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import { checkGrants } from "../../src/store/grants-check.ts";
import { isAboutAccess, setupStatements } from "../../src/store/setup.ts";
import { freshDirectory } from "../support/store-at.ts";
import { timeseries } from "../support/zone-schema.ts";

const directory = freshDirectory();
afterAll(() => directory.remove());

const setup = {
  schemas: [timeseries("bunker:fuel", "u64", [["barge_id", "string"]], [])],
  customerNames: ["barge:cargo"],
  retentionDays: 30,
  cluster: false,
  stockOximeter: false,
};

describe("the check of grants", () => {
  it("finds nothing where the wall stands", async () => {
    const engine = await openEmbeddedEngine(join(directory.path, "whole"), silentLogger, setup.customerNames);
    for (const statement of setupStatements(setup)) if (!isAboutAccess(statement)) await engine.run(statement);
    const attempts = await checkGrants(engine, setup.customerNames);
    expect(attempts.filter(({ outcome }) => outcome === "leak")).toEqual([]);
    expect(attempts.length).toBeGreaterThan(90);
    await engine.close();
  });

  it("finds a misrouted name that no row policy catches", async () => {
    // Every name of `oximeter` is shown here, as on a server without policies.
    const engine = await openEmbeddedEngine(join(directory.path, "open"), silentLogger, ["barge:cargo", "bunker:fuel"]);
    for (const statement of setupStatements(setup)) if (!isAboutAccess(statement)) await engine.run(statement);
    await engine.run(
      "INSERT INTO oximeter.timeseries_schema SELECT 'bunker:fuel', ['barge_id'], ['String'], ['Target'], 'U64', now64(9, 'UTC')",
    );
    const attempts = await checkGrants(engine, setup.customerNames);
    expect(attempts.filter(({ outcome }) => outcome === "leak").map(({ statement }) => statement)).toEqual([
      "SELECT DISTINCT timeseries_name FROM oximeter.timeseries_schema",
    ]);
    await engine.close();
  });
});
