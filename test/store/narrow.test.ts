import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  fieldSet,
  systemClock,
  timeseriesKey,
  type Datum,
  type DatumType,
  type Field,
  type Histogram,
  type Sample,
  type TimeseriesSchema,
} from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import type { Engine } from "../../src/store/engine.ts";
import { RoutedStore } from "../../src/store/routed-store.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { fieldIs, freshDirectory, selectRows, timeIs } from "../support/store-at.ts";
import { timeseries } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
// Upstream's tables expire rows by the machine's clock.
const NOW = (systemClock.wallNs() / SECOND) * SECOND;
const at = (seconds: number): bigint => NOW - 3_600n * SECOND + BigInt(seconds) * SECOND;

const FERRY_ID = "fe44fe44-0000-4000-8000-000000000007";
const SCHEMAS: readonly TimeseriesSchema[] = [
  timeseries("ferry:trips", "cumulative_u64", [["ferry_id", "uuid"]], [["pier", "string"]], { visibility: "customer" }),
  timeseries("ferry:draught", "f64", [["ferry_id", "uuid"]], [], { visibility: "customer" }),
  timeseries("engine_room:heat", "u64", [["ferry_id", "uuid"]], []),
  timeseries("engine_room:knocks", "histogram_u8", [["ferry_id", "uuid"]], [["cylinder", "u8"]]),
];
const NAMED_FOR_CUSTOMERS = "buoy:swell";

function sample(
  name: string,
  timestampNs: bigint,
  datum: Datum,
  metricFields: readonly Field[] = [],
  targetFields: readonly Field[] = ferry,
): Sample {
  const [target, metric] = name.split(":") as [string, string];
  return {
    timeseriesName: name,
    timeseriesVersion: 1,
    target: { name: target, fields: fieldSet(targetFields) },
    metric: { name: metric, fields: fieldSet(metricFields) },
    timestampNs,
    datum,
  };
}

const ferry: readonly Field[] = [{ name: "ferry_id", value: { type: "uuid", value: FERRY_ID } }];
const pier = (value: string): Field[] => [{ name: "pier", value: { type: "string", value } }];
const cylinder = (value: bigint): Field[] => [{ name: "cylinder", value: { type: "u8", value } }];

const quantile = (p: number) => ({
  p,
  markerHeights: [0.5, 1, 1.5, 2, 2.5],
  markerPositions: [1n, 2n, 3n, 4n, 5n],
  desiredMarkerPositions: [1, 2, 3, 4, 5],
});
const KNOCKS: Histogram = {
  edges: [0n, 10n, 200n],
  counts: [3n, 0n, (1n << 63n) + 5n],
  min: 1n,
  max: 255n,
  sumOfSamples: -7n,
  squaredMean: 2.25,
  p50: quantile(0.5),
  p90: quantile(0.9),
  p99: quantile(0.99),
};

describe("timeseries in upstream's layout", () => {
  const directory = freshDirectory();
  let engine: Engine;
  let store: RoutedStore;

  beforeAll(async () => {
    engine = await openEmbeddedEngine(directory.path, silentLogger, [NAMED_FOR_CUSTOMERS, "ferry:trips", "ferry:draught"]);
    store = await RoutedStore.open({
      engine,
      schemas: SCHEMAS,
      customerNames: [NAMED_FOR_CUSTOMERS],
      logger: silentLogger,
      clock: systemClock,
      retentionDays: 30,
    });
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  const count = async (table: string, name: string): Promise<bigint> =>
    new RowBinaryReader(await ask(engine, `SELECT count() FROM ${table} WHERE timeseries_name = '${name}'`)).u64();
  const known = (name: string): TimeseriesSchema => store.catalogue.get(name)!;
  const rows = (name: string, asked: Parameters<typeof selectRows>[2] = {}): ReturnType<typeof selectRows> =>
    selectRows(store, name, { ...asked, schemas: [known(name)] });

  it("keeps what customers may see in `oximeter`, under upstream's keys, and nothing of it elsewhere", async () => {
    const trips = (seconds: number, value: bigint): Sample =>
      sample("ferry:trips", at(seconds), { type: "cumulative_u64", startTimeNs: at(0), value }, pier("north"));
    const report = await store.insert(
      [trips(10, 1n), trips(20, 3n), sample("ferry:draught", at(10), { type: "f64", value: 2.5 })],
      "ferry 1",
    );
    expect(report).toEqual({ stored: 3, refused: new Map(), messages: [] });
    const reader = new RowBinaryReader(
      await ask(
        engine,
        "SELECT timeseries_key, start_time, timestamp, assumeNotNull(datum) FROM oximeter.measurements_cumulativeu64 ORDER BY timestamp",
      ),
    );
    const key = timeseriesKey("ferry:trips", fieldSet(ferry), fieldSet(pier("north")), "cumulative_u64");
    expect([reader.u64(), reader.i64(), reader.i64(), reader.u64()]).toEqual([key, at(0), at(10), 1n]);
    expect(await count("oximeter.fields_uuid", "ferry:trips")).toBe(1n);
    expect(await count("oximeter.fields_string", "ferry:trips")).toBe(1n);
    expect(await count("oximeter.timeseries_schema", "ferry:trips")).toBe(1n);
    for (const table of ["measurements_cumulativeu64", "fields_uuid", "timeseries_schema"])
      expect(await count(`oximeter_internal.${table}`, "ferry:trips")).toBe(0n);
    expect(await rows("ferry:trips", { where: [fieldIs("pier", "==", "north")] })).toMatchObject([
      { startTimeNs: at(0), timestampNs: at(10), value: 1n },
      { startTimeNs: at(0), timestampNs: at(20), value: 3n },
    ]);
    expect(await rows("ferry:draught")).toMatchObject([{ startTimeNs: null, timestampNs: at(10), value: 2.5 }]);
  });

  it("keeps field rows from piling up, and readers count a row that is stored twice once", async () => {
    const again = sample("ferry:trips", at(20), { type: "cumulative_u64", startTimeNs: at(0), value: 3n }, pier("north"));
    await store.insert([again], "ferry 2");
    expect(await count("oximeter.measurements_cumulativeu64", "ferry:trips")).toBe(3n);
    expect(await count("oximeter.fields_uuid", "ferry:trips")).toBe(1n);
    expect(await rows("ferry:trips")).toHaveLength(2);
    expect(await rows("ferry:trips", { limit: { end: "last", count: 2 } })).toHaveLength(2);
  });

  it("hides names that nothing declares, and learns their schema from the first sample", async () => {
    const bilge = (value: bigint, seconds: number): Sample => sample("bilge:level", at(seconds), { type: "i16", value });
    expect((await store.insert([bilge(-5n, 10)], "bilge 1")).stored).toBe(1);
    expect(store.catalogue.get("bilge:level")).toMatchObject({
      visibility: "operator_only",
      datumType: "i16",
      fields: [{ name: "ferry_id", type: "uuid", source: "target" }],
    });
    expect(store.catalogue.forCustomers().get("bilge:level")).toBeUndefined();
    expect(await count("oximeter_internal.timeseries_schema", "bilge:level")).toBe(1n);
    expect(await count("oximeter.timeseries_schema", "bilge:level")).toBe(0n);
    expect(await rows("bilge:level")).toMatchObject([{ timestampNs: at(10), value: -5n }]);
    const other = await store.insert([sample("bilge:level", at(20), { type: "u64", value: 1n }), bilge(7n, 30)], "bilge 2");
    expect(other.refused).toEqual(new Map([["schema_mismatch", 1]]));
    expect((await rows("bilge:level")).map(({ value }) => value)).toEqual([-5n, 7n]);
  });

  it("shows customers a name that is named for them once it has samples", async () => {
    const customers = store.catalogue.forCustomers();
    expect(customers.get(NAMED_FOR_CUSTOMERS)).toBeUndefined();
    await store.insert([sample(NAMED_FOR_CUSTOMERS, at(5), { type: "string", value: "high" })], "buoy 1");
    expect(customers.names()).toEqual(["buoy:swell", "ferry:draught", "ferry:trips"]);
    expect(await rows(NAMED_FOR_CUSTOMERS)).toMatchObject([{ timestampNs: at(5), value: "high" }]);
    expect(await count("oximeter_internal.measurements_string", NAMED_FOR_CUSTOMERS)).toBe(0n);
  });

  it("gives histograms back whole, tells missing ones, and looks back to the last that is there", async () => {
    const knocks = (seconds: number, datum: Datum, number = 1n): Sample =>
      sample("engine_room:knocks", at(seconds), datum, cylinder(number));
    const whole: Datum = { type: "histogram_u8", startTimeNs: at(0), value: KNOCKS };
    const none: Datum = { type: "missing", datumType: "histogram_u8", startTimeNs: at(0) };
    await store.insert([knocks(10, whole), knocks(20, none), knocks(30, whole), knocks(30, whole, 2n)], "knocks 1");
    const { edges, ...rest } = KNOCKS;
    const distribution = { bins: edges, ...rest };
    expect(
      (await rows("engine_room:knocks", { where: [fieldIs("cylinder", "==", { type: "integer", value: 1n, text: "1" } as never)] })).map(
        ({ value }) => value,
      ),
    ).toEqual([distribution, null, distribution]);
    const back = await rows("engine_room:knocks", { times: [timeIs(">", at(25))], lookBack: true });
    expect(back.map(({ timestampNs }) => timestampNs)).toEqual([at(10), at(30), at(30)]);
    const nothing = { ...KNOCKS, edges: [], counts: [] };
    const report = await store.insert([knocks(40, { type: "histogram_u8", startTimeNs: at(0), value: nothing })], "knocks 2");
    expect(report.refused).toEqual(new Map([["schema_mismatch", 1]]));
  });

  it("puts samples without a value between those of a wide timeseries", async () => {
    const heat = (seconds: number, value: bigint | null): Sample =>
      sample(
        "engine_room:heat",
        at(seconds),
        value === null ? { type: "missing", datumType: "u64", startTimeNs: null } : { type: "u64", value },
      );
    expect((await store.insert([heat(10, 70n), heat(30, 72n)], "heat 1")).stored).toBe(2);
    expect((await store.insert([heat(20, null), heat(30, null)], "heat 2")).stored).toBe(2);
    const { series } = await store.select(
      { schema: known("engine_room:heat"), alternatives: [], limit: null, lookBack: false, maxRows: 10 },
      new AbortController().signal,
    );
    expect(series).toHaveLength(1);
    expect([...series[0]!.timestampsNs]).toEqual([at(10), at(20), at(30)]);
    expect([...series[0]!.values.present!]).toEqual([1, 0, 1]);
    expect(await rows("engine_room:heat", { limit: { end: "last", count: 2 } })).toMatchObject([
      { timestampNs: at(20) },
      { timestampNs: at(30), value: 72n },
    ]);
  });

  const VALUES: readonly (readonly [DatumType, unknown])[] = [
    ["bool", true],
    ["i8", -128n],
    ["u8", 255n],
    ["i16", -32_768n],
    ["u16", 65_535n],
    ["i32", -(1n << 31n)],
    ["u32", (1n << 32n) - 1n],
    ["i64", -(1n << 63n)],
    ["u64", (1n << 64n) - 1n],
    ["f32", 0.25],
    ["f64", -1e300],
    ["string", "a'b\\\0ü"],
    ["cumulative_i64", (1n << 63n) - 1n],
    ["cumulative_u64", (1n << 53n) + 1n],
    ["cumulative_f32", 1.5],
    ["cumulative_f64", 1e-300],
  ];

  it("keeps every type of value and field exactly", async () => {
    const fields: Field[] = [
      { name: "a", value: { type: "ip_addr", value: "10.0.0.1" } },
      { name: "b", value: { type: "ip_addr", value: "fd00::1:0:0:2" } },
      { name: "c", value: { type: "i64", value: -(1n << 63n) } },
      { name: "d", value: { type: "u64", value: (1n << 64n) - 1n } },
      { name: "e", value: { type: "bool", value: true } },
      { name: "f", value: { type: "string", value: "'\\\0\n" } },
      { name: "g", value: { type: "uuid", value: FERRY_ID } },
      { name: "h", value: { type: "i8", value: -1n } },
      { name: "i", value: { type: "u16", value: 65_535n } },
    ];
    const name = (type: DatumType): string => `any_type:${type}`;
    const samples = VALUES.map(([type, value]) =>
      sample(name(type), at(1), { type, value, ...(type.startsWith("cumulative") ? { startTimeNs: at(0) } : {}) } as Datum, [], fields),
    );
    expect((await store.insert(samples, "types")).stored).toBe(VALUES.length);
    for (const [type, value] of VALUES) {
      const { series } = await store.select(
        { schema: known(name(type)), alternatives: [], limit: null, lookBack: false, maxRows: 10 },
        new AbortController().signal,
      );
      expect(series, type).toMatchObject([{ fields: fieldSet(fields) }]);
      expect(series[0]!.values.values[0], type).toBe(value);
    }
  });
});
