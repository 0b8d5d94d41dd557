import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldSet, systemClock, type Datum, type Sample } from "../../src/core/index.ts";
import type { Store } from "../../src/store/index.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { freshDirectory, openStoreAt, selectRows } from "../support/store-at.ts";
import { sampleOf, zoneSnapshot } from "../support/zone-samples.ts";
import { schemaOf, sledFields, timeseries, ZONE_SCHEMAS } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;
// Samples expire, and the engine has only the machine's clock for that.
const NOW_NS = systemClock.wallNs();

const good = zoneSnapshot({ startTimeNs: NOW_NS - DAY, timestampNs: NOW_NS, values: { "cpu_nsec(state=user)": 5n, memory_resident: 7n } });
const counter = good[0]!;
const gauge = good[1]!;
const schemas = [
  ...ZONE_SCHEMAS,
  timeseries("zone_resource:latency", "histogram_f64", [], []),
  timeseries("zone_resource:blob", "bytes", [], []),
  timeseries("virtual_machine:vcpu_usage", "cumulative_u64", [], [], { visibility: "customer" }),
];

/** What is wrong with each sample, the reason, and what the sentence must name. */
const CASES: readonly (readonly [what: string, sample: Sample, reason: string, sentence: RegExp])[] = [
  ["a metric's name that is not the timeseries'", { ...gauge, timeseriesName: "zone_resource:nothing" }, "schema_mismatch", /other names/],
  ["a name that is none", { ...gauge, timeseriesName: "Zone:nothing" }, "unstorable", /"Zone:nothing" has a name that is none/],
  [
    "a number for a histogram",
    { ...gauge, timeseriesName: "zone_resource:latency" },
    "schema_mismatch",
    /type u64 where its schema has histogram_f64/,
  ],
  ["a number for bytes", { ...gauge, timeseriesName: "zone_resource:blob" }, "schema_mismatch", /type u64 where its schema has bytes/],
  [
    "a gauge for customers' counter",
    { ...gauge, timeseriesName: "virtual_machine:vcpu_usage" },
    "schema_mismatch",
    /type u64 where its schema has cumulative_u64/,
  ],
  [
    "missing, of another type",
    { ...gauge, datum: { type: "missing", datumType: "i64", startTimeNs: null } },
    "schema_mismatch",
    /type i64 where its schema has u64/,
  ],
  ["another datum type", { ...gauge, datum: { type: "i64", value: 7n } }, "schema_mismatch", /type i64 where its schema has u64/],
  [
    "a gauge for a counter",
    { ...counter, datum: { type: "u64", value: 7n } },
    "schema_mismatch",
    /type u64 where its schema has cumulative_u64/,
  ],
  ["too large a value", { ...gauge, datum: { type: "u64", value: 1n << 64n } }, "schema_mismatch", /do not fit u64/],
  ["below zero", { ...gauge, datum: { type: "u64", value: -1n } }, "schema_mismatch", /do not fit u64/],
  ["no number", { ...gauge, datum: { type: "u64", value: "7" } as unknown as Datum }, "schema_mismatch", /do not fit u64/],
  [
    "a state that is not listed",
    withField(counter, "state", "idle"),
    "schema_mismatch",
    /"state" with a value that its schema does not list/,
  ],
  [
    "a field of another type",
    {
      ...gauge,
      metric: {
        ...gauge.metric,
        fields: fieldSet([
          ...gauge.metric.fields.filter((field) => field.name !== "source"),
          { name: "source", value: { type: "u8", value: 1n } },
        ]),
      },
    },
    "schema_mismatch",
    /"source" of type u8 where its schema has string/,
  ],
  [
    "a bad uuid",
    {
      ...gauge,
      metric: {
        ...gauge.metric,
        fields: fieldSet([
          ...gauge.metric.fields.filter((field) => field.name !== "zone_id"),
          { name: "zone_id", value: { type: "uuid", value: "x" } },
        ]),
      },
    },
    "schema_mismatch",
    /"zone_id" with text or numbers that are no uuid/,
  ],
  [
    "a field missing",
    { ...gauge, metric: { ...gauge.metric, fields: gauge.metric.fields.filter((field) => field.name !== "zone_id") } },
    "schema_mismatch",
    /without metric field "zone_id"/,
  ],
  [
    "a target field missing",
    { ...gauge, target: { ...gauge.target, fields: sledFields(0).slice(1) } },
    "schema_mismatch",
    /without target field "rack_id"/,
  ],
  [
    "a field too many",
    {
      ...gauge,
      metric: { ...gauge.metric, fields: fieldSet([...gauge.metric.fields, { name: "more", value: { type: "bool", value: true } }]) },
    },
    "schema_mismatch",
    /"more", which its schema does not have/,
  ],
  [
    "a field twice",
    { ...gauge, metric: { ...gauge.metric, fields: [...gauge.metric.fields, gauge.metric.fields[0]!] } },
    "schema_mismatch",
    /one metric field twice/,
  ],
  ["another target's name", { ...gauge, target: { ...gauge.target, name: "sled_resource" } }, "schema_mismatch", /other names/],
  ["a time long ago", { ...gauge, timestampNs: NOW_NS - 30n * DAY - 1n }, "expired", /older than the store keeps/],
  ["a time to come", { ...gauge, timestampNs: NOW_NS + DAY + 1n }, "future", /times to come/],
  [
    "a start after its time",
    { ...counter, datum: { type: "cumulative_u64", startTimeNs: NOW_NS + 1n, value: 1n } },
    "schema_mismatch",
    /before their own start time/,
  ],
];

function withField(sample: Sample, name: string, value: string): Sample {
  const fields = sample.metric.fields.map((field) => (field.name === name ? { name, value: { type: "string" as const, value } } : field));
  return { ...sample, metric: { ...sample.metric, fields } };
}

describe("samples that are refused", () => {
  const directory = freshDirectory();
  let store: Store;

  beforeAll(async () => {
    store = await openStoreAt(directory.path, { schemas, clock: new ManualClock(NOW_NS), retentionDays: 30 });
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  it.each(CASES)("%s", async (what, sample, reason, sentence) => {
    const report = await store.insert([sample], what);
    expect(report).toMatchObject({ stored: 0, refused: new Map([[reason, 1]]) });
    expect(report.messages).toHaveLength(1);
    expect(report.messages[0]).toMatch(sentence);
  });

  it("do not keep the others of their batch out", async () => {
    const bad = CASES.map(([, sample]) => sample);
    const before = good.map((sample) => ({ ...sample, timestampNs: NOW_NS - 29n * DAY }) as Sample).slice(1);
    const report = await store.insert([...bad, ...good, ...bad, ...before], "mixed");
    expect(report.stored).toBe(3);
    expect([...report.refused.values()].reduce((sum, count) => sum + count, 0)).toBe(2 * bad.length);
    expect(await selectRows(store, "zone_resource:cpu_nsec")).toMatchObject([{ timestampNs: NOW_NS, value: 5n }]);
    expect(await selectRows(store, "zone_resource:memory_resident")).toMatchObject([
      { timestampNs: NOW_NS - 29n * DAY },
      { timestampNs: NOW_NS },
    ]);
  });

  it("are named in few sentences however many causes there are", async () => {
    const samples = Array.from({ length: 500 }, (_, i) => ({ ...gauge, timeseriesName: `zone_resource:unknown_${i}` }));
    const report = await store.insert(samples, "many");
    expect(report.refused).toEqual(new Map([["schema_mismatch", 500]]));
    expect(report.messages).toHaveLength(20);
  });

  it("make no timeseries known", async () => {
    expect(store.catalogue.names()).toEqual(schemas.map((schema) => schema.timeseriesName).sort());
    expect(await selectRows(store, "virtual_machine:vcpu_usage", { schemas })).toEqual([]);
    const nowhere = selectRows(store, "zone_resource:nothing", { schemas: [timeseries("zone_resource:nothing", "u64", [], [])] });
    await expect(nowhere).rejects.toMatchObject({ code: "not_found" });
  });

  it("are those of a series whose id is taken", async () => {
    // UTF-8 knows no lone surrogates, so these two names have the same bytes and with them the same id.
    const target = { name: "sled_resource", fields: sledFields(0) };
    const named = (source: string): Sample =>
      sampleOf(
        schemaOf("sled_resource:cpus_online"),
        target,
        fieldSet([{ name: "source", value: { type: "string", value: source } }]),
        NOW_NS,
        0n,
        128n,
      );
    const report = await store.insert([named("\ud800"), named("\ud801")], "same id");
    expect(report).toMatchObject({
      stored: 1,
      refused: new Map([["unstorable", 1]]),
      messages: [expect.stringContaining("same id") as string],
    });
  });
});
