import { describe, expect, test } from "vitest";
import { fieldValue, PRODUCER_SUBJECTS, type Datum, type Sample } from "../../src/core/index.ts";
import { SnapshotSamples } from "../../src/producer/snapshot-samples.ts";
import { samplesOf } from "../../src/producer/sample-group.ts";
import { SourceAuthority } from "../../src/producer/source-authority.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import type { Reading, Snapshot, SourceName } from "../../src/sources/index.ts";
import { readWithLosslessJson } from "../support/lossless-producer-results.ts";
import { recordingLogger } from "../support/logs.ts";
import { producerBody } from "../support/producer-body.ts";
import { SLED, zoneSnapshot } from "../support/scripted-source.ts";

const catalogue = loadCatalogue();
const NOW = 1_790_000_000_000_000_001n;

function setUp(order: readonly string[] = ["kstat", "zonestat"], compareSources = false) {
  const { logger, lines } = recordingLogger();
  return {
    lines,
    converter: new SnapshotSamples({ catalogue, sled: SLED, authority: new SourceAuthority(order, compareSources), logger }),
  };
}

const reading = (metric: string, value: bigint | number, labels: Record<string, string> = {}): Reading => ({ metric, labels, value });

test("a zone's snapshot becomes samples of zone_resource as the schema declares them, every integer exact", () => {
  const { converter } = setUp();
  const readings = [
    reading("cpu_nsec", 2n ** 64n - 1n, { state: "user" }),
    reading("cpu_nsec", 0n, { state: "sys" }),
    reading("cpu_cap", 3n),
    reading("load_average", 0.25, { window: "1m" }),
    reading("memory_resident", 2n ** 53n + 1n),
  ];
  const { group, ...counts } = converter.convert(zoneSnapshot(7, NOW, 0n, { readings }), "kstat");
  expect(counts).toEqual({ missing: 0, notInSchema: 0, outOfRange: 0 });
  const samples = samplesOf(group!);
  const startTimeNs = 1_700_000_000_000_000_000n;
  expect(samples.map(({ timeseriesName, datum }): [string, Datum] => [timeseriesName, datum])).toEqual([
    ["zone_resource:cpu_nsec", { type: "cumulative_u64", startTimeNs, value: 18446744073709551615n }],
    ["zone_resource:cpu_nsec", { type: "cumulative_u64", startTimeNs, value: 0n }],
    ["zone_resource:cpu_cap", { type: "f64", value: 3 }],
    ["zone_resource:load_average", { type: "f64", value: 0.25 }],
    ["zone_resource:memory_resident", { type: "u64", value: 9007199254740993n }],
  ]);
  const [first, second] = samples;
  expect(first!.timestampNs).toBe(NOW);
  expect(first!.target).toEqual({
    name: "zone_resource",
    fields: [
      { name: "rack_id", value: { type: "uuid", value: SLED.rackId } },
      { name: "sled_id", value: { type: "uuid", value: SLED.sledId } },
      { name: "sled_model", value: { type: "string", value: "913-0000019" } },
      { name: "sled_revision", value: { type: "u32", value: 6n } },
      { name: "sled_serial", value: { type: "string", value: "BRM42220001" } },
    ],
  });
  expect(first!.metric).toEqual({
    name: "cpu_nsec",
    fields: [
      { name: "source", value: { type: "string", value: "kstat" } },
      { name: "state", value: { type: "string", value: "user" } },
      { name: "zone_id", value: { type: "uuid", value: "4d6c0a1e-7b1f-4d52-9f3e-0a1b2c3d0007" } },
      { name: "zone_name", value: { type: "string", value: "oxz_nexus_4d6c0a1e-7b1f-4d52-9f3e-0a1b2c3d0007" } },
      { name: "zone_type", value: { type: "string", value: "nexus" } },
    ],
  });
  expect(second!.target).toBe(first!.target);
  const sent = readWithLosslessJson(producerBody([{ status: "ok", samples }]).toString());
  expect(sent).toEqual([{ status: "ok", samples }]);
});

test("the same subject gets the same objects next time, another incarnation and another sled their own", () => {
  const { converter } = setUp();
  const first = samplesOf(converter.convert(zoneSnapshot(1, NOW, 1n), "kstat").group!)[0]!;
  const next = samplesOf(converter.convert(zoneSnapshot(1, NOW + 1n, 2n), "kstat").group!)[0]!;
  expect(next.target).toBe(first.target);
  expect(next.metric).toBe(first.metric);
  const elsewhere = zoneSnapshot(1, NOW, 1n, {
    sled: { ...SLED, sledId: "33333333-3333-4333-8333-333333333333", sledRevision: 4294967295 },
  });
  const other = samplesOf(converter.convert(elsewhere, "kstat").group!)[0]!;
  expect(fieldValue(other.target.fields, "sled_id")).toEqual({ type: "uuid", value: "33333333-3333-4333-8333-333333333333" });
  expect(fieldValue(other.target.fields, "sled_revision")).toEqual({ type: "u32", value: 4294967295n });
});

test("a sled's snapshot becomes samples of sled_resource", () => {
  const { converter } = setUp();
  const snapshot: Snapshot = {
    source: "kstat",
    subject: { kind: "sled", startTimeNs: 5n },
    sled: null,
    timestampNs: NOW,
    readings: [reading("cpus_online", 128n)],
  };
  const [sample] = samplesOf(converter.convert(snapshot, "kstat").group!);
  expect(sample).toMatchObject({
    timeseriesName: "sled_resource:cpus_online",
    target: { name: "sled_resource" },
    datum: { type: "u64", value: 128n },
  });
  expect(sample!.metric.fields).toEqual([{ name: "source", value: { type: "string", value: "kstat" } }]);
});

test("what was not measured makes no sample, what the schema lacks or cannot hold is counted and told once", () => {
  const { converter, lines } = setUp();
  const readings: Reading[] = [
    { metric: "memory_resident", labels: {}, value: null, reason: "no such statistic" },
    reading("tea_temperature", 60n),
    reading("cpu_nsec", 1n),
    reading("cpu_nsec", 1n, { state: "user", mood: "good" }),
    reading("cpu_nsec", -1n, { state: "user" }),
    reading("cpu_nsec", 1.5, { state: "sys" }),
    reading("cpu_used", Number.NaN),
    reading("swap_reserved", 2n ** 64n),
    reading("swap_reserved", 4096),
  ];
  for (let i = 0; i < 3; i++) {
    const { group, ...counts } = converter.convert(zoneSnapshot(1, NOW, 0n, { readings }), "kstat");
    expect(counts).toEqual({ missing: 0, notInSchema: 3, outOfRange: 4 });
    expect(samplesOf(group!).map(({ datum }) => datum)).toEqual([{ type: "u64", value: 4096n }]);
  }
  expect(lines.filter(({ level }) => level === "warn")).toHaveLength(7);
  expect(lines[0]).toMatchObject({ fields: { metric: "tea_temperature", source: "kstat" } });
});

describe("one source speaks for a metric of a sled", () => {
  const swap = (converter: SnapshotSamples, source: SourceName, value: bigint | null, zone = 1): bigint | null => {
    const own: Reading =
      value === null ? { metric: "swap_reserved", labels: {}, value, reason: "not there" } : reading("swap_reserved", value);
    const { group } = converter.convert(
      zoneSnapshot(zone, NOW, 0n, { source, readings: [own, reading(source === "kstat" ? "cpu_cap" : "cpu_used", 1)] }),
      source,
    );
    const sample = samplesOf(group!).find(({ timeseriesName }) => timeseriesName === "zone_resource:swap_reserved");
    return sample === undefined ? null : (sample.datum as { value: bigint }).value;
  };

  test("the first of the list that has it, for every zone and also where it lacks one value", () => {
    const { converter } = setUp();
    expect(swap(converter, "zonestat", 1n)).toBe(1n);
    expect(swap(converter, "kstat", 2n)).toBe(2n);
    expect(swap(converter, "zonestat", 3n)).toBeNull();
    expect(swap(converter, "kstat", null, 2)).toBeNull();
    expect(swap(converter, "zonestat", 4n, 2)).toBeNull();
  });

  test("a source that has never had a value leaves the metric to the next", () => {
    const { converter } = setUp();
    expect(swap(converter, "kstat", null)).toBeNull();
    expect(swap(converter, "zonestat", 1n)).toBe(1n);
  });

  test("a sled does not decide for another", () => {
    const { converter } = setUp();
    swap(converter, "kstat", 1n);
    const elsewhere = zoneSnapshot(1, NOW, 0n, {
      source: "zonestat",
      sled: { ...SLED, sledId: SLED.rackId },
      readings: [reading("swap_reserved", 1n)],
    });
    expect(converter.convert(elsewhere, "replay").group).not.toBeNull();
  });

  test("unless sources are to be compared", () => {
    const { converter } = setUp(["kstat", "zonestat"], true);
    expect(swap(converter, "kstat", 1n)).toBe(1n);
    expect(swap(converter, "zonestat", 2n)).toBe(2n);
  });
});

test("a statistic is missing only once it has been read before", () => {
  const { converter } = setUp();
  const withResident = (value: bigint | null): Reading =>
    value === null ? { metric: "memory_resident", labels: {}, value, reason: "it could not be read" } : reading("memory_resident", value);
  const missing = [null, 4096n, null, null, 8192n].map(
    (value) =>
      converter.convert(zoneSnapshot(1, NOW, 0n, { readings: [withResident(value), reading("swap_reserved", 1n)] }), "kstat").missing,
  );
  expect(missing).toEqual([0, 0, 1, 1, 0]);
});

test("a subject that a live source no longer shows is forgotten, and one that it shows keeps its objects, however many there are", () => {
  const { converter } = setUp();
  const count = PRODUCER_SUBJECTS + 1;
  const read = (zones: number): Sample[] => {
    const samples = Array.from(
      { length: zones },
      (_, zone) => samplesOf(converter.convert(zoneSnapshot(zone, NOW, 1n), "kstat").group!)[0]!,
    );
    converter.endRead("kstat", zones);
    return samples;
  };
  read(count);
  const known = read(count);
  const again = read(count);
  expect(again.every(({ metric }, zone) => metric === known[zone]!.metric)).toBe(true);
  read(1);
  const back = read(2);
  expect(back[0]!.metric).toBe(known[0]!.metric);
  expect(back[1]!.metric).not.toBe(known[1]!.metric);
});
