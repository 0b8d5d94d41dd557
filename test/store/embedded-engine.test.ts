import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { loadChdb } from "../../src/store/chdb-module.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import type { Engine } from "../../src/store/engine.ts";
import { identifier, integerLiteral, stringLiteral, tableName, timestampLiteral } from "../../src/store/literal.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { RowBinaryWriter } from "../../src/store/row-binary-writer.ts";
import { freshDirectory } from "../support/store-at.ts";
import { until } from "../support/until.ts";

const AWKWARD = [
  "",
  "'",
  "''",
  "\\",
  "\\'",
  "\\\\'",
  "a\0b",
  "\0",
  "\n\r\t\b",
  "`",
  '"',
  "-- x",
  "/* x */",
  "{p:String}",
  "?",
  "日本 🦀",
  "'; SELECT 1; --",
  "\u2028",
  "\x1a",
  "x".repeat(5_000),
];

/** Would run for hours. */
const ENDLESS = "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)";

describe("the embedded engine", () => {
  const directory = freshDirectory();
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEmbeddedEngine(directory.path, silentLogger);
  });

  afterAll(async () => {
    await engine.close();
    directory.remove();
  });

  const endless = (id: string, signal: AbortSignal): Promise<unknown> =>
    engine.query({ id, text: ENDLESS, signal }).catch((error: unknown) => error);
  // A session keeps the entry of a statement that was ended until its next one.
  const running = async (): Promise<bigint> =>
    new RowBinaryReader(
      await ask(
        engine,
        "SELECT count() FROM system.processes WHERE is_cancelled = 0 AND query LIKE '%sipHash64(number)%' AND query NOT LIKE '%system.processes%'",
      ),
    ).u64();
  const isRunning = async (count: bigint): Promise<true | undefined> => ((await running()) === count ? true : undefined);

  it("takes any text as a literal", async () => {
    const texts = AWKWARD.map(stringLiteral);
    const reader = new RowBinaryReader(await ask(engine, `SELECT ${texts.join(", ")}`));
    for (const text of AWKWARD) expect(reader.string()).toBe(text);
    expect(reader.atEnd).toBe(true);
  });

  it("takes any text as a name", async () => {
    for (const name of AWKWARD.filter((text) => text !== "" && !text.includes("\0") && text.length < 100)) {
      await engine.run(`CREATE TABLE ${tableName("default", "names")} (${identifier(name)} UInt8) ENGINE = Memory`);
      const reader = new RowBinaryReader(await ask(engine, "SELECT name FROM system.columns WHERE table = 'names'"));
      expect(reader.string()).toBe(name);
      await engine.run(`DROP TABLE ${tableName("default", "names")}`);
    }
  });

  it("takes integers and times of 64 bits", async () => {
    const integers = [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
    const times = [0n, 1n, 1_796_040_000_123_456_789n, 9_223_372_035_999_999_999n];
    const reader = new RowBinaryReader(
      await ask(
        engine,
        `SELECT ${[...integers.map((value) => `toInt64(${integerLiteral(value)})`), ...times.map(timestampLiteral), `toUInt64(${integerLiteral(2n ** 64n - 1n)})`].join(", ")}`,
      ),
    );
    for (const value of [...integers, ...times]) expect(reader.i64()).toBe(value);
    expect(reader.u64()).toBe(2n ** 64n - 1n);
    expect(() => integerLiteral(2n ** 64n)).toThrow(RangeError);
    expect(() => integerLiteral(-(2n ** 63n) - 1n)).toThrow(RangeError);
    expect(() => integerLiteral(1.5)).toThrow(RangeError);
  });

  it("says what a statement reads, which may be more than it gives", async () => {
    await engine.run("CREATE TABLE default.many ENGINE = MergeTree ORDER BY n AS SELECT number AS n FROM numbers(100000)");
    const text = "SELECT max(n) FROM default.many WHERE n % 7 = 3";
    const read = await engine.measure({ id: "measured", text, signal: new AbortController().signal });
    expect(read).toEqual({ rows: 100_000n, bytes: 800_000n });
    await engine.run("DROP TABLE default.many");
  });

  it("stores rows once for each token", async () => {
    await engine.run(
      "CREATE TABLE default.plain (n UInt64, text String) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100",
    );
    const insert = async (values: readonly bigint[], token: string | null): Promise<void> => {
      const writer = new RowBinaryWriter(0);
      for (const value of values) {
        writer.u64(value);
        writer.string("é".repeat(Number(value)));
      }
      await engine.insert({
        table: "default.plain",
        columns: [
          { name: "n", type: "UInt64" },
          { name: "text", type: "String" },
        ],
        rows: writer.bytes(),
        token,
      });
    };
    const stored = async (): Promise<bigint[]> => {
      const reader = new RowBinaryReader(await ask(engine, "SELECT n FROM default.plain WHERE lengthUTF8(text) = n ORDER BY n"));
      const values: bigint[] = [];
      while (!reader.atEnd) values.push(reader.u64());
      return values;
    };
    await insert([1n, 200n], "it's one");
    await insert([1n, 200n], "it's one");
    await insert([3n], "two");
    expect(await stored()).toEqual([1n, 3n, 200n]);
    await insert([3n], null);
    await insert([3n], null);
    expect(await stored()).toEqual([1n, 3n, 3n, 3n, 200n]);
  });

  it("ends statements whose signal fires, running or waiting", async () => {
    const controller = new AbortController();
    const reason = new Error("nobody wants to know");
    const statements = Array.from({ length: 5 }, (_, i) => endless(`abort ${i}`, controller.signal));
    controller.abort(reason);
    expect(await Promise.all(statements)).toEqual(Array.from({ length: 5 }, () => reason));
    await until("the end of all statements", 20_000, () => isRunning(0n));
    expect(await endless("late", controller.signal)).toBe(reason);
  });

  it("kills a statement by its id", async () => {
    const statement = endless("it's to be killed", new AbortController().signal);
    await until("the statement", 20_000, () => isRunning(1n));
    await engine.kill("another");
    await engine.kill("it's to be killed");
    expect(await statement).toMatchObject({ code: "unavailable", kind: "deadline" });
  });

  it("inserts while reads keep all their sessions busy", async () => {
    const controller = new AbortController();
    const statements = [endless("busy 1", controller.signal), endless("busy 2", controller.signal)];
    const writer = new RowBinaryWriter(0);
    writer.u64(5n);
    await engine.insert({ table: "default.plain", columns: [{ name: "n", type: "UInt64" }], rows: writer.bytes(), token: "while busy" });
    await engine.run("TRUNCATE TABLE default.plain");
    controller.abort(new Error("enough"));
    await Promise.all(statements);
  });

  it("refuses more waiting statements than its queue holds", async () => {
    const controllers = Array.from({ length: 258 }, () => new AbortController());
    const statements = controllers.map(({ signal }, i) => endless(`queue ${i}`, signal));
    await expect(engine.query({ id: "one too many", text: "SELECT 1", signal: new AbortController().signal })).rejects.toMatchObject({
      code: "unavailable",
      kind: "busy",
    });
    for (const controller of controllers) controller.abort(new Error("enough"));
    await Promise.all(statements);
  });

  it("answers a statement that needs too much memory with its own error", async () => {
    const error = await ask(engine, "SELECT length(groupArray(number)) FROM numbers(200000000)").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "limit", kind: "memory" });
    expect(new RowBinaryReader(await ask(engine, "SELECT toUInt8(1)")).u8()).toBe(1);
  });

  it("takes text it does not understand for a defect of ours", async () => {
    const error = await ask(engine, "SELEKT 1").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ZonemeterError);
    expect(error).toMatchObject({ code: "internal" });
    expect((error as Error).message).not.toContain("\n");
  });

  it("ends what runs when it is closed, and then refuses", async () => {
    const statement = endless("until the end", new AbortController().signal);
    await until("the statement", 20_000, () => isRunning(1n));
    await engine.close();
    expect(await statement).toMatchObject({ code: "unavailable" });
    await expect(ask(engine, "SELECT 1")).rejects.toMatchObject({ code: "unavailable", message: "The store is closed." });
    await engine.close();
    engine = await openEmbeddedEngine(directory.path, silentLogger);
    expect(new RowBinaryReader(await ask(engine, "SELECT count() FROM default.plain")).u64()).toBe(0n);
  });
});

describe("a platform without the embedded engine", () => {
  const missing = (code: string): Promise<unknown> =>
    loadChdb(() => Promise.reject(Object.assign(new Error("many\nlines"), { code }))).catch((error: unknown) => error);

  it("is told in one sentence", async () => {
    const platform = `${process.platform}-${process.arch}`;
    for (const [code, sentence] of [
      ["CHDB_PLATFORM", `has no build for ${platform}`],
      ["ERR_MODULE_NOT_FOUND", `is not installed here, which is ${platform}`],
      ["ERR_DLOPEN_FAILED", `does not load on ${platform} (many lines)`],
    ] as const) {
      const error = await missing(code);
      expect(error).toMatchObject({ code: "unavailable", exitCode: 3 });
      expect((error as Error).message).toBe(
        `The embedded ClickHouse (npm package chdb) ${sentence}: name a ClickHouse server as the store, or use a platform that has a build.`,
      );
    }
  });
});
