import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fieldSet } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import { openImportStore, type RowBlock, type RowsReport, type RowStore, type Store } from "../../src/store/index.ts";
import { deriveLayout } from "../../src/store/layout.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { SeriesRegistry, type Series } from "../../src/store/series-registry.ts";
import { loadSeries, storeSeries } from "../../src/store/series-rows.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { freshDirectory, NOW_NS, openStoreAt, selectRows } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";
import { sledFields, ZONE_SCHEMAS, zoneFields } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;
const START = NOW_NS - 500n * DAY;

interface Row {
  readonly zone?: number;
  readonly timestampNs: bigint;
  readonly user?: bigint;
  readonly used?: number;
  readonly resident?: bigint;
}

/** Rows of propolis zones with one counter, one float and one whole number. */
function blockOf(rows: readonly Row[]): RowBlock {
  const zones = [...new Set(rows.map(({ zone = 1 }) => zone))];
  const present = (key: "user" | "used" | "resident"): Uint8Array => Uint8Array.from(rows, (row) => (row[key] === undefined ? 0 : 1));
  return {
    targetName: "zone_resource",
    count: rows.length,
    series: zones.map((zone) => ({ fields: fieldSet([...sledFields(0), ...zoneFields("propolis", zone, "kstat")]), startTimeNs: START })),
    seriesOf: Uint32Array.from(rows, ({ zone = 1 }) => zones.indexOf(zone)),
    timestampsNs: BigInt64Array.from(rows, ({ timestampNs }) => timestampNs),
    columns: [
      { label: "cpu_nsec(state=user)", values: BigUint64Array.from(rows, ({ user = 99n }) => user), present: present("user") },
      { label: "cpu_used", values: Float64Array.from(rows, ({ used = 99 }) => used), present: present("used") },
      { label: "memory_resident", values: BigUint64Array.from(rows, ({ resident = 99n }) => resident), present: present("resident") },
    ],
  };
}

const directory = freshDirectory();
let store: Store;

beforeEach(async () => {
  store = await openStoreAt(directory.path);
});

afterEach(async () => {
  await store.close();
  directory.remove();
});

const openForImport = (dryRun = false): Promise<RowStore> =>
  openImportStore({
    place: { dataDir: directory.path },
    schemas: ZONE_SCHEMAS.filter(({ targetName }) => targetName === "zone_resource"),
    logger: silentLogger,
    clock: new ManualClock(NOW_NS),
    retentionDays: 30,
    dryRun,
  });

/** Tables that the closed store has, as `name ENGINE = …`. */
async function tables(): Promise<string[]> {
  const engine = await openEmbeddedEngine(directory.path, silentLogger);
  const text = "SELECT concat(name, ' ENGINE = ', engine_full) FROM system.tables WHERE database LIKE 'oximeter%' ORDER BY name";
  const reader = new RowBinaryReader(await ask(engine, text));
  const lines: string[] = [];
  while (!reader.atEnd) lines.push(reader.string());
  await engine.close();
  return lines;
}

const insertRows = (rows: readonly Row[], dryRun = false): Promise<RowsReport> =>
  store.insertRows(blockOf(rows), { dryRun, signal: new AbortController().signal });
const selected = async (metric: string): Promise<[bigint, bigint | null, unknown][]> =>
  (await selectRows(store, `zone_resource:${metric}`)).map(({ timestampNs, startTimeNs, value }) => [timestampNs, startTimeNs, value]);

it("stores what samples would come to, and nothing in the place of what is absent", async () => {
  const at = NOW_NS - 400n * DAY;
  const report = await insertRows([
    { timestampNs: at, user: 2n ** 63n + 1n, used: 0.25 },
    { timestampNs: at + 10n * SECOND, user: 2n ** 63n + 5n, resident: 4_096n },
  ]);
  expect(report).toEqual({ stored: 2, known: 0, refused: new Map(), values: 4, firstNs: at, lastNs: at + 10n * SECOND });
  expect(await selected("cpu_nsec")).toEqual([
    [at, START, 2n ** 63n + 1n],
    [at + 10n * SECOND, START, 2n ** 63n + 5n],
  ]);
  expect(await selected("cpu_used")).toEqual([[at, null, 0.25]]);
  expect(await selected("memory_resident")).toEqual([[at + 10n * SECOND, null, 4_096n]]);
});

it("knows rows that came as samples, and samples know rows", async () => {
  const rows = Array.from({ length: 30 }, (_, i): Row => ({
    timestampNs: NOW_NS - BigInt(i) * 600n * SECOND,
    user: BigInt(i),
    resident: 4_096n,
  }));
  const samples = rows.map(({ timestampNs, user, resident }) =>
    zoneSnapshot({ startTimeNs: START, timestampNs, values: { "cpu_nsec(state=user)": user!, memory_resident: resident! } }),
  );
  await store.insert(samples.slice(0, 20).flat(), "live");
  expect(await insertRows(rows, true)).toMatchObject({ stored: 10, known: 20 });
  expect(await selected("cpu_nsec")).toHaveLength(20);
  expect(await insertRows(rows)).toMatchObject({ stored: 10, known: 20, values: 20 });
  await store.close();
  store = await openStoreAt(directory.path);
  expect(await insertRows([...rows, ...rows])).toMatchObject({ stored: 0, known: 60, values: 0 });
  expect(await selected("cpu_nsec")).toHaveLength(30);
});

it("keeps both of two values, of which the larger counts", async () => {
  const timestampNs = NOW_NS - 100n * DAY;
  for (const resident of [5n, 9n, 7n]) expect(await insertRows([{ timestampNs, resident }])).toMatchObject({ stored: 1 });
  expect(await insertRows([{ timestampNs, resident: 9n }])).toMatchObject({ known: 1 });
  expect(await selected("memory_resident")).toEqual([[timestampNs, null, 9n]]);
});

it("refuses rows of times to come where samples expire, and rows before their own start", async () => {
  await store.close();
  store = await openStoreAt(directory.path, { retentionDays: 30 });
  const report = await insertRows([
    { timestampNs: NOW_NS + 2n * DAY, user: 1n },
    { timestampNs: START, user: 1n },
    { timestampNs: -5n, user: 1n },
    { timestampNs: START + 1n, user: 1n },
  ]);
  expect(report).toEqual({
    stored: 1,
    known: 0,
    refused: new Map([
      ["future", 1],
      ["unstorable", 2],
    ]),
    values: 1,
    firstNs: START,
    lastNs: START + 1n,
  });
});

it("has its series in one order, however they came and lie, so that answers are the same to the last digit of a sum", async () => {
  await store.close();
  const engine = await openEmbeddedEngine(directory.path, silentLogger);
  await engine.run("SYSTEM STOP MERGES");
  const design = deriveLayout(ZONE_SCHEMAS).tables.find(({ targetName }) => targetName === "zone_resource")!;
  const written = new SeriesRegistry(design.clusteringField);
  for (const zone of [6, 3, 5, 1, 4, 2]) {
    const { fields, startTimeNs } = blockOf([{ zone, timestampNs: NOW_NS }]).series[0]!;
    const series = written.seriesOf(written.entryOf(fields), startTimeNs) as Series;
    await storeSeries(engine, design, [{ series, firstBucket: 7, lastBucket: 7 }]);
  }
  const { registry } = await loadSeries(engine, design);
  await engine.close();
  const ids = [...registry.entries()].flatMap(({ byStartTime }) => [...byStartTime.values()].map(({ id }) => id));
  expect(ids).toEqual([...written.sortedIds()]);
  store = await openStoreAt(directory.path);
});

it("stores again what came in live and is about to expire", async () => {
  const timestampNs = NOW_NS - 40n * DAY;
  await store.insert(zoneSnapshot({ startTimeNs: START, timestampNs, values: { "cpu_nsec(state=user)": 3n } }), "live");
  await store.close();
  store = await openStoreAt(directory.path, { retentionDays: 30 });
  expect(await insertRows([{ timestampNs, user: 3n }])).toMatchObject({ stored: 1, known: 0 });
  expect(await insertRows([{ timestampNs, user: 3n }])).toMatchObject({ stored: 0, known: 1 });
  expect(await selected("cpu_nsec")).toEqual([[timestampNs, START, 3n]]);
});

it("leaves a store without expiry without it, where that is asked for", async () => {
  await insertRows([{ timestampNs: NOW_NS - 400n * DAY, user: 1n }]);
  await store.close();
  const rows = await openForImport();
  const block = blockOf([{ timestampNs: NOW_NS - 90n * DAY, user: 1n }]);
  expect(await rows.insertRows(block, { signal: new AbortController().signal })).toMatchObject({ stored: 1 });
  await rows.close();
  expect((await tables()).filter((line) => line.startsWith("zone_resource") && line.includes(" TTL "))).toEqual([]);
  store = await openStoreAt(directory.path);
  expect(await selected("cpu_nsec")).toHaveLength(2);
});

it("makes only the tables that rows need, with an expiry, and none in a dry run", async () => {
  await store.close();
  rmSync(directory.path, { recursive: true });
  const block = blockOf([
    { timestampNs: NOW_NS - DAY, user: 1n },
    { timestampNs: NOW_NS + 2n * DAY, user: 2n },
  ]);
  const tried = async (): Promise<RowsReport> => {
    const rows = await openForImport(true);
    const report = await rows.insertRows(block, { dryRun: true, signal: new AbortController().signal });
    await rows.close();
    return report;
  };
  const expected = { stored: 1, known: 0, refused: new Map([["future", 1]]), values: 1, firstNs: NOW_NS - DAY, lastNs: NOW_NS - DAY };
  expect(await tried()).toEqual(expected);
  expect(await tables()).toEqual([]);
  await (await openForImport()).close();
  const made = await tables();
  expect(made.map((line) => line.replace(/_[0-9a-f]{8}/, "").split(" ")[0])).toEqual(["zone_resource", "zone_resource_series"]);
  expect(made.every((line) => line.includes("toIntervalDay(3"))).toBe(true);
  expect(await tried()).toEqual(expected);
  store = await openStoreAt(directory.path, { retentionDays: 30 });
});
