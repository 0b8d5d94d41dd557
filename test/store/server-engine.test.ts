import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import type { Engine } from "../../src/store/engine.ts";
import { openServerStore } from "../../src/store/index.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { RowBinaryWriter } from "../../src/store/row-binary-writer.ts";
import { openServerEngine } from "../../src/store/server-engine.ts";
import { startClickHouseShim, type ClickHouseShim } from "../support/clickhouse-shim.ts";
import { freshDirectory, NOW_NS, selectRows } from "../support/store-at.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";
import { ZONE_SCHEMAS } from "../support/zone-schema.ts";

const never = new AbortController().signal;
const ENDLESS = "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)";

describe("the engine of a server", () => {
  const directory = freshDirectory();
  let shim: ClickHouseShim;
  let engine: Engine;

  beforeAll(async () => {
    shim = await startClickHouseShim(join(directory.path, "engine"), ["barge:cargo"]);
    engine = await openServerEngine({ url: shim.url, logger: silentLogger });
    await engine.run("CREATE DATABASE oximeter");
    await engine.run("CREATE DATABASE oximeter_internal");
    for (const database of ["oximeter", "oximeter_internal"])
      await engine.run(
        `CREATE TABLE ${database}.timeseries_schema (timeseries_name String, n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 10`,
      );
  });

  afterAll(async () => {
    await engine.close();
    await shim.close();
    directory.remove();
  });

  const insert = (database: string, names: readonly string[], token: string | null): Promise<void> => {
    const writer = new RowBinaryWriter(100);
    for (const [n, name] of names.entries()) {
      writer.string(name);
      writer.u64(BigInt(n));
    }
    const columns = [
      { name: "timeseries_name", type: "String" },
      { name: "n", type: "UInt64" },
    ];
    return engine.insert({ table: `${database}.timeseries_schema`, columns, rows: writer.bytes(), token });
  };
  const count = async (database: string, of: Pick<Engine, "query"> = engine): Promise<bigint> => {
    const { bytes } = await of.query({
      id: `count ${Math.random()}`,
      text: `SELECT count() FROM ${database}.timeseries_schema`,
      signal: never,
    });
    return new RowBinaryReader(bytes).u64();
  };

  it("stores rows once for each token", async () => {
    await insert("oximeter_internal", ["a:b", "c:d"], "one's \\ token");
    await insert("oximeter_internal", ["a:b", "c:d"], "one's \\ token");
    expect(await count("oximeter_internal")).toBe(2n);
    await insert("oximeter_internal", ["a:b"], "another");
    await insert("oximeter_internal", ["a:b"], null);
    expect(await count("oximeter_internal")).toBe(4n);
  });

  it("asks for customers in their role", async () => {
    await insert("oximeter", ["barge:cargo", "bunker:fuel"], null);
    expect(await count("oximeter")).toBe(2n);
    expect(await count("oximeter", engine.forCustomers)).toBe(1n);
    await expect(count("oximeter_internal", engine.forCustomers)).rejects.toMatchObject({ code: "internal", kind: "access_denied" });
    await expect(engine.forCustomers.query({ id: "two", text: "SELECT 1); SELECT (2", signal: never })).rejects.toMatchObject({
      kind: "access_denied",
    });
  });

  it("tells what a statement read", async () => {
    const { read, elapsedMs } = await engine.query({ id: "reads", text: "SELECT number FROM numbers(1000)", signal: never });
    expect(read?.rows).toBe(1_000n);
    expect(elapsedMs).toBeGreaterThan(0);
  });

  it.each([
    ["SELECT nonsense", "internal"],
    ["SELECT * FROM nowhere.nothing", "unavailable"],
    ["SELECT throwIf(number = 5) FROM numbers(10)", "unavailable"],
    ["SELECT groupArray(number) FROM numbers(1000000000) SETTINGS max_memory_usage = 10000000", "limit"],
  ])("maps the fault of %s", async (text, code) => {
    await expect(ask(engine, text)).rejects.toMatchObject({ name: "ZonemeterError", code });
  });

  it("ends a statement whose asker has gone", async () => {
    const gone = new AbortController();
    const running = engine.query({ id: "endless", text: ENDLESS, signal: gone.signal });
    while (!shim.statements.some((text) => text.startsWith(ENDLESS))) await new Promise((resolve) => setImmediate(resolve));
    gone.abort(new Error("the asker has gone"));
    await expect(running).rejects.toThrow("the asker has gone");
    // The shim's one session for reading is free again only when the statement has ended.
    while (!shim.statements.some((text) => text.startsWith("KILL QUERY"))) await new Promise((resolve) => setImmediate(resolve));
    await engine.kill("endless");
    expect(await count("oximeter")).toBe(2n);
  });

  it("sees what other processes have stored of new timeseries and series", async () => {
    const open = () =>
      openServerStore({ url: shim.url, schemas: ZONE_SCHEMAS, logger: silentLogger, clock: new ManualClock(NOW_NS), retentionDays: null });
    // A database without the layout is refused before anything is touched; a fresh one is made.
    await expect(open()).rejects.toMatchObject({ code: "config", kind: "layout_column" });
    engine = await openServerEngine({ url: shim.url, logger: silentLogger });
    for (const database of ["oximeter", "oximeter_internal"]) await engine.run(`DROP DATABASE ${database}`);
    const writer = await open();
    const reader = (await open()) as Awaited<ReturnType<typeof open>> & { refresh(): Promise<void> };
    await writer.insert(zoneSnapshot({ startTimeNs: NOW_NS - 60_000_000_000n, timestampNs: NOW_NS, values: { memory_resident: 7n } }), "w");
    await writer.insert(
      [
        {
          ...zoneSnapshot({ timestampNs: NOW_NS, values: { memory_resident: 7n } })[0]!,
          timeseriesName: "zone_resource:fresh",
          metric: { name: "fresh", fields: [] },
        },
      ],
      "f",
    );
    expect(await selectRows(reader, "zone_resource:memory_resident")).toEqual([]);
    expect(reader.catalogue.get("zone_resource:fresh")).toBeUndefined();
    await reader.refresh();
    expect(await selectRows(reader, "zone_resource:memory_resident")).toMatchObject([{ value: 7n }]);
    expect(await selectRows(reader, "zone_resource:fresh", { schemas: [reader.catalogue.get("zone_resource:fresh")!] })).toMatchObject([
      { value: 7n },
    ]);
    await Promise.all([writer.close(), reader.close()]);
  });
});

describe("a server that can't be used", () => {
  it("is said to be so in one sentence, without its password", async () => {
    const refuse = createServer((_request, response) => {
      response.statusCode = 403;
      response.setHeader("X-ClickHouse-Exception-Code", "516");
      response.end("Code: 516. DB::Exception: someone: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)");
    });
    const seen: (string | undefined)[] = [];
    refuse.on("request", (request) => seen.push(request.headers.authorization));
    await new Promise<void>((resolve) => refuse.listen(0, "127.0.0.1", resolve));
    const { port } = refuse.address() as AddressInfo;
    const opened = openServerEngine({ url: `http://some%20one:s%2Fecret@127.0.0.1:${port}`, logger: silentLogger });
    await expect(opened).rejects.toMatchObject({
      code: "unavailable",
      message: `The engine of ClickHouse server http://127.0.0.1:${port} failed: someone: Authentication failed: password is incorrect.`,
    });
    expect(seen).toEqual([`Basic ${Buffer.from("some one:s/ecret").toString("base64")}`]);
    refuse.closeAllConnections();
    await new Promise((resolve) => refuse.close(resolve));
    await expect(openServerEngine({ url: `http://127.0.0.1:${port}`, logger: silentLogger })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it.each(["ftp://x", "nowhere", ""])("nor is one at %j", async (url) => {
    await expect(openServerEngine({ url, logger: silentLogger })).rejects.toMatchObject({ code: "config" });
  });
});
