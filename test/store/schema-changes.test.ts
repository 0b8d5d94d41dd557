import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fieldSet, type Sample, type TimeseriesSchema } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import { fieldIs, freshDirectory, NOW_NS, openStoreAt, selectRows } from "../support/store-at.ts";
import { sampleOf } from "../support/zone-samples.ts";
import { timeseries } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const TARGET = [["name", "string"]] as const;

const first: readonly TimeseriesSchema[] = [
  timeseries("thing:count", "u64", TARGET, []),
  timeseries("thing:cpu", "cumulative_u64", TARGET, [["state", "string", ["user", "sys"]]]),
];

function thing(
  schemas: readonly TimeseriesSchema[],
  metric: string,
  at: bigint,
  value: bigint,
  state?: string,
  extra: readonly { name: string; value: { type: "string"; value: string } }[] = [],
): Sample {
  const target = { name: "thing", fields: fieldSet([{ name: "name", value: { type: "string", value: "one" } }, ...extra]) };
  const fields = state === undefined ? [] : fieldSet([{ name: "state", value: { type: "string", value: state } }]);
  return sampleOf(
    schemas.find(({ metricName }) => metricName === metric)!,
    target,
    fields,
    NOW_NS + at * SECOND,
    NOW_NS,
    value,
  );
}

describe("a store opened with other schemas than before", () => {
  let directory: ReturnType<typeof freshDirectory>;

  beforeEach(async () => {
    directory = freshDirectory();
    const store = await openStoreAt(directory.path, { schemas: first, retentionDays: 10_000 });
    await store.insert(
      [thing(first, "count", 1n, 10n), thing(first, "cpu", 1n, 20n, "user"), thing(first, "cpu", 1n, 30n, "sys")],
      "before",
    );
    await store.close();
  });

  afterEach(() => directory.remove());

  it("keeps what it has and takes new metrics and states", async () => {
    // Enough new metrics that presence needs a second column; names that sort before and between the old ones.
    const more = Array.from({ length: 40 }, (_, i) => timeseries(`thing:${String.fromCharCode(97 + (i % 26))}${i}`, "i64", TARGET, []));
    const second = [
      ...more,
      first[0]!,
      timeseries("thing:cpu", "cumulative_u64", TARGET, [["state", "string", ["waitrq", "user", "idle", "sys"]]]),
    ];
    let store = await openStoreAt(directory.path, { schemas: second });
    const samples = [
      thing(second, "count", 2n, 11n),
      ...["user", "sys", "idle", "waitrq"].map((state, i) => thing(second, "cpu", 2n, 40n + BigInt(i), state)),
      ...more.map(({ metricName }, i) => thing(second, metricName, 2n, BigInt(-i))),
    ];
    expect(await store.insert(samples, "after")).toMatchObject({ stored: samples.length });
    const check = async (): Promise<void> => {
      expect(await selectRows(store, "thing:count", { schemas: second })).toMatchObject([{ value: 10n }, { value: 11n }]);
      const cpu = await selectRows(store, "thing:cpu", { schemas: second });
      expect(cpu.map(({ series, value }) => [series.split(" ").at(-1), value])).toEqual([
        ["state=idle", 42n],
        ["state=sys", 30n],
        ["state=sys", 41n],
        ["state=user", 20n],
        ["state=user", 40n],
        ["state=waitrq", 43n],
      ]);
      for (const [i, { timeseriesName }] of more.entries())
        expect(await selectRows(store, timeseriesName, { schemas: second })).toMatchObject([{ value: BigInt(-i) }]);
    };
    await check();
    await store.close();
    store = await openStoreAt(directory.path, { schemas: [...second].reverse() });
    await check();
    await store.close();
    // An older release still finds its own.
    store = await openStoreAt(directory.path, { schemas: first });
    expect(await selectRows(store, "thing:cpu", { schemas: first, where: [fieldIs("state", "==", "sys")] })).toMatchObject([
      { value: 30n },
      { value: 41n },
    ]);
    await store.close();
  });

  it("takes a new target field, which earlier series have empty", async () => {
    const second = [timeseries("thing:count", "u64", [...TARGET, ["colour", "string"]], [])];
    const store = await openStoreAt(directory.path, { schemas: second });
    await store.insert(
      [thing(second, "count", 2n, 11n, undefined, [{ name: "colour", value: { type: "string", value: "red" } }])],
      "after",
    );
    expect(await selectRows(store, "thing:count", { schemas: second })).toMatchObject([
      { series: "colour= name=one", value: 10n },
      { series: "colour=red name=one", value: 11n },
    ]);
    await store.close();
  });

  it("refuses another type of a metric or a field", async () => {
    const metric = [timeseries("thing:count", "f64", TARGET, [])];
    await expect(openStoreAt(directory.path, { schemas: metric })).rejects.toMatchObject({
      code: "config",
      message:
        'Metric "count" of target "thing" is stored as UInt64, but its schema now needs Float64: give it another name, or start with an empty data directory.',
    });
    const field = [timeseries("thing:count", "u64", [["name", "uuid"]], [])];
    await expect(openStoreAt(directory.path, { schemas: field })).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/^Field "name" of target "thing" is stored as String, but its schema now needs UUID:/) as string,
    });
    // The refusal let go of the directory.
    const store = await openStoreAt(directory.path, { schemas: first });
    expect(await selectRows(store, "thing:count", { schemas: first })).toHaveLength(1);
    await store.close();
  });

  it("changes how long samples are kept", async () => {
    const lifetimes = async (): Promise<string[]> => {
      const engine = await openEmbeddedEngine(directory.path, silentLogger);
      const reader = new RowBinaryReader(
        await ask(
          engine,
          "SELECT extract(engine_full, 'toIntervalDay\\\\((\\\\d+)') FROM system.tables WHERE database = 'oximeter_internal' AND (name LIKE 'thing%' OR name = 'measurements_u64') ORDER BY name",
        ),
      );
      const days: string[] = [];
      while (!reader.atEnd) days.push(reader.string());
      await engine.close();
      return days;
    };
    expect(await lifetimes()).toEqual(["10000", "10000", "10002"]);
    for (const [retentionDays, days] of [
      [9_000, ["9000", "9000", "9002"]],
      [9_000, ["9000", "9000", "9002"]],
      [null, ["", "", ""]],
      [8_000, ["8000", "8000", "8002"]],
    ] as const) {
      const store = await openStoreAt(directory.path, { schemas: first, retentionDays });
      expect(await selectRows(store, "thing:count", { schemas: first })).toHaveLength(1);
      await store.close();
      expect(await lifetimes()).toEqual(days);
    }
  });
});

describe("a retention", () => {
  it.each([0, -1, 1.5, 10_001, Number.NaN])("of %s days is refused", async (retentionDays) => {
    const directory = freshDirectory();
    await expect(openStoreAt(directory.path, { retentionDays })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining(`${retentionDays} days`) as string,
    });
    directory.remove();
  });
});

describe("schemas that cannot be laid out", () => {
  it.each([
    [
      "too many states",
      [timeseries("thing:cpu", "u64", TARGET, [["state", "string", Array.from({ length: 513 }, (_, i) => `s${i}`)]])],
      /513 combinations/,
    ],
    ["too many columns", Array.from({ length: 513 }, (_, i) => timeseries(`thing:m${i}`, "u64", TARGET, [])), /needs 513 columns/],
    [
      "an enumerated value of another type",
      [timeseries("thing:cpu", "u64", TARGET, [["level", "u8", ["1", "256"]]])],
      /Value "256" of field "level"/,
    ],
    [
      "a field of two types",
      [timeseries("thing:a", "u64", TARGET, []), timeseries("thing:b", "u64", [["name", "uuid"]], [])],
      /"name" of target "thing" is (?:string|uuid) in one schema/,
    ],
    [
      "a target field that one metric lacks",
      [timeseries("thing:a", "u64", TARGET, []), timeseries("thing:b", "u64", [], [])],
      /lacks target field "name"/,
    ],
  ])("are refused: %s", async (_what, schemas, sentence) => {
    const directory = freshDirectory();
    await expect(openStoreAt(directory.path, { schemas })).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(sentence) as string,
    });
    directory.remove();
  });
});
