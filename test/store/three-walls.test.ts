import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Catalogue,
  fieldSet,
  systemClock,
  timeseriesKey,
  type Principal,
  type Sample,
  type TimeseriesSchema,
} from "../../src/core/index.ts";
import type { OxqlData } from "../../src/oxql/index.ts";
import { QueryService } from "../../src/query/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import type { Engine } from "../../src/store/engine.ts";
import { NarrowReader } from "../../src/store/narrow-reader.ts";
import { RoutedStore } from "../../src/store/routed-store.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { freshDirectory } from "../support/store-at.ts";
import { timeseries } from "../support/zone-schema.ts";

const NOW = systemClock.wallNs();
const VISIBLE = timeseries("barge:cargo", "u64", [["barge_id", "string"]], [], { visibility: "customer" });
const HIDDEN = timeseries("bunker:fuel", "u64", [["barge_id", "string"]], []);
/** Hidden and narrow, so that both layouts of the hidden database are tried. */
const HIDDEN_NARROW = timeseries("bunker:spills", "histogram_f64", [["barge_id", "string"]], []);
const PERSON: Principal = { name: "fleet viewer", kind: "fleet_viewer" };
const never = new AbortController().signal;

function fuel(name: string, value: bigint): Sample {
  const [target, metric] = name.split(":") as [string, string];
  const fields = fieldSet([{ name: "barge_id", value: { type: "string", value: "b1" } }]);
  return {
    timeseriesName: name,
    timeseriesVersion: 1,
    target: { name: target, fields },
    metric: { name: metric, fields: [] },
    timestampNs: NOW - 1_000_000_000n,
    datum: { type: "u64", value },
  };
}

describe("the walls between customers and what operators alone may see", () => {
  const directory = freshDirectory();
  let engine: Engine;
  let store: RoutedStore;

  beforeAll(async () => {
    engine = await openEmbeddedEngine(directory.path, silentLogger, [VISIBLE.timeseriesName]);
    store = await RoutedStore.open({
      engine,
      schemas: [VISIBLE, HIDDEN, HIDDEN_NARROW],
      customerNames: [],
      logger: silentLogger,
      clock: systemClock,
      retentionDays: 30,
    });
    await store.insert([fuel("barge:cargo", 7n), fuel("bunker:fuel", 1_234_567n)], "cargo");
    // What a defect, or another's collector, might bring about: a hidden name among what customers may see.
    await misroute("bunker:fuel", 7_654_321n);
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  async function misroute(name: string, value: bigint): Promise<void> {
    const key = timeseriesKey(name, fieldSet([{ name: "barge_id", value: { type: "string", value: "b1" } }]), [], "u64");
    const at = `fromUnixTimestamp64Nano(toInt64(${NOW}), 'UTC')`;
    for (const text of [
      `oximeter.timeseries_schema SELECT '${name}', ['barge_id'], ['String'], ['Target'], 'U64', ${at}`,
      `oximeter.fields_string SELECT '${name}', ${key}, 'barge_id', 'b1'`,
      `oximeter.measurements_u64 SELECT '${name}', ${key}, ${at}, ${value}`,
    ])
      await engine.run(`INSERT INTO ${text}`);
  }

  const query = (catalogue: Catalogue, data: OxqlData, audience: "customer" | "operator", name: string): Promise<string> =>
    new QueryService({ audience, catalogue, store: data, clock: systemClock, logger: silentLogger })
      .run({ text: `get ${name} | last 5`, principal: PERSON, project: null, requestId: "r", signal: never })
      .then(({ tables }) =>
        JSON.stringify(tables, (_key, value: unknown) =>
          typeof value === "bigint" ? String(value) : ArrayBuffer.isView(value) ? Array.from(value as unknown as bigint[], String) : value,
        ),
      )
      .catch((error: unknown) => `refused: ${(error as { kind?: string }).kind}: ${(error as Error).message}`);
  const denied = (answer: string): void => {
    expect(answer).not.toMatch(/1234567|7654321/);
    expect(answer).toMatch(/^refused: |"timeseries":\[\]/);
  };
  /** A store whose routing knows no customers, over the engine as customers have it: the storage's wall alone. */
  const misledReaders = (): OxqlData[] =>
    ["oximeter_internal", "oximeter"].map((database) => new NarrowReader(engine.forCustomers, database));

  it("let customers have what is theirs, and operators everything", async () => {
    const customers = store.catalogue.forCustomers();
    expect(await query(customers, store.forCustomers(), "customer", "barge:cargo")).toContain('["7"]');
    expect(await query(store.catalogue, store, "operator", "bunker:fuel")).toContain('["1234567"]');
  });

  it("stand together", async () => {
    for (const name of ["bunker:fuel", "bunker:spills"])
      denied(await query(store.catalogue.forCustomers(), store.forCustomers(), "customer", name));
  });

  it("hold where the catalogue's alone is left: the operator's data, no wall before it", async () => {
    denied(await query(store.catalogue.forCustomers(), store, "operator", "bunker:fuel"));
  });

  it("hold where the plan's alone is left: a catalogue that turned wrong, the operator's data", async () => {
    const turned = { ...HIDDEN, visibility: "customer" } as { -readonly [K in keyof TimeseriesSchema]: TimeseriesSchema[K] };
    const service = new QueryService({
      audience: "customer",
      catalogue: new Catalogue([turned]),
      store,
      clock: systemClock,
      logger: silentLogger,
    });
    turned.visibility = "operator_only";
    const answer = service.run({ text: "get bunker:fuel | last 5", principal: PERSON, project: null, requestId: "r", signal: never });
    await expect(answer).rejects.toMatchObject({ kind: "unknown_timeseries" });
  });

  it("hold where the storage's alone is left: every name in the catalogue, no wall before it, and a reader that looks in either database", async () => {
    for (const data of [store.forCustomers(), ...misledReaders()]) {
      denied(await query(store.catalogue, data, "operator", "bunker:fuel"));
      denied(await query(store.catalogue, data, "operator", "bunker:spills"));
    }
  });

  const asCustomer = (text: string): Promise<Uint8Array> =>
    engine.forCustomers.query({ id: `wall ${text}`.slice(0, 60), text, signal: never }).then(({ bytes }) => bytes);

  it("hide rows that came to the wrong database, in every one of its tables", async () => {
    for (const table of ["timeseries_schema", "fields_string", "measurements_u64"]) {
      const reader = new RowBinaryReader(await asCustomer(`SELECT timeseries_name FROM oximeter.${table}`));
      expect(reader.string()).toBe("barge:cargo");
      expect(reader.atEnd).toBe(true);
      expect(new RowBinaryReader(await ask(engine, `SELECT uniq(timeseries_name) FROM oximeter.${table}`)).u64()).toBe(2n);
    }
  });

  it.each([
    "SELECT * FROM oximeter_internal.measurements_u64",
    "SELECT count() FROM oximeter_internal.timeseries_schema",
    "SELECT sid FROM oximeter_internal.bunker_ef46db3751d8e999",
    "SELECT 1) UNION ALL (SELECT timeseries_key FROM oximeter_internal.measurements_u64",
    "SET ROLE zonemeter_operator",
    "SELECT 1 -- )",
    "SELECT '\\'); SET ROLE zonemeter_operator; SELECT (1",
    "SELECT $x$) $x$",
    "SELECT 1 /* ) */",
    "SELECT 1); SET ROLE zonemeter_operator; SELECT (1",
    "SELECT 1 SETTINGS log_comment = 'x'); SELECT * FROM (SELECT 2",
    "SELECT * FROM remote('127.0.0.1', oximeter_internal.measurements_u64)",
    "SELECT * FROM file('users.xml', 'LineAsString')",
  ])("refuse in the engine: %s", async (text) => {
    await expect(asCustomer(text)).rejects.toMatchObject({ code: "internal" });
    // Whatever it was, the session is still a customer's.
    const reader = new RowBinaryReader(await asCustomer("SELECT arrayStringConcat(currentRoles(), ',')"));
    expect(reader.string()).toBe("zonemeter_customer");
  });

  it("keep statements of others out of sight", async () => {
    const id = "statement of an operator";
    const ended = new AbortController();
    const running = engine
      .query({ id, text: "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)", signal: ended.signal })
      .catch(() => undefined);
    const seen = async (asked: Pick<Engine, "query">): Promise<bigint> =>
      new RowBinaryReader(
        (await asked.query({ id: "look", text: "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64%'", signal: never }))
          .bytes,
      ).u64();
    while ((await seen(engine)) < 2n) await new Promise((resolve) => setImmediate(resolve));
    expect(await seen(engine.forCustomers)).toBe(0n);
    ended.abort(new Error("enough"));
    await running;
  });
});
