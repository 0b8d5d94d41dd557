import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NIL_UUID } from "../../src/core/index.ts";
import { createReplaySource } from "../../src/sources/replay.ts";
import { snapshotObject } from "../../src/sources/snapshot-line.ts";
import type { Reading, Snapshot } from "../../src/sources/source.ts";
import { ndjsonLine } from "../../src/wire/index.ts";
import { Random } from "../support/random.ts";

const START = 1_804_241_700_000_000_000n;
let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "snapshot-lines-"));
});
afterEach(() => rm(dir, { recursive: true }));

const reading = (metric: string, value: bigint | number, labels: Record<string, string> = {}): Reading => ({ metric, labels, value });

function group(path: string, timestampNs: bigint, readings: readonly Reading[], startTimeNs = START - 1n): Snapshot {
  const subject = { kind: "zone", zoneName: path, zoneType: "", zoneId: NIL_UUID, incarnation: `${path}@b/7/0`, startTimeNs } as const;
  return { source: "cgroup", subject, sled: null, timestampNs, readings };
}

const printed = (snapshots: readonly Snapshot[]): string => snapshots.map((each) => ndjsonLine(snapshotObject(each))).join("");

async function play(text: string, name = "node-1.ndjson") {
  const path = join(dir, name);
  await writeFile(path, text);
  const source = createReplaySource({ files: [path] });
  const snapshots: Snapshot[] = [];
  const sizes: number[] = [];
  for (;;) {
    const report = await source.read(new AbortController().signal);
    snapshots.push(...report.snapshots);
    sizes.push(report.snapshots.length);
    if (report.ended) break;
  }
  await source.close();
  return { snapshots, sizes, losses: source.losses() };
}

/** A whole number is exact as bigint whether it was counted as one or not. */
const comparable = (snapshot: Snapshot): unknown => ({
  ...snapshot,
  sled: null,
  readings: snapshot.readings.map((each) => ({
    ...each,
    value: typeof each.value === "number" && Number.isSafeInteger(each.value) ? BigInt(each.value) : each.value,
  })),
});

describe("what sample printed", () => {
  test("comes back as it was: to the last digit, with labels, reasons, incarnations and starts", async () => {
    const snapshots: Snapshot[] = [
      {
        source: "cgroup",
        subject: { kind: "sled", startTimeNs: START - 5n },
        sled: null,
        timestampNs: START,
        readings: [reading("cpus_online", 2n)],
      },
      group("/a.slice/ü b\\x2d.service", START + 1n, [
        reading("cpu_nsec", 2n ** 64n - 1n, { state: "user" }),
        reading("cpu_nsec", 2n ** 53n + 1n, { state: "sys" }),
        reading("cpu_cap", 0.1),
        { metric: "memory_peak", labels: {}, value: null, reason: 'it "is" not there' },
      ]),
      {
        source: "zonestat",
        subject: { kind: "zone", zoneName: "web", zoneType: "", zoneId: NIL_UUID, incarnation: "web", startTimeNs: 0n },
        sled: null,
        timestampNs: START + 2n,
        readings: [reading("cpu_used", 1)],
      },
    ];
    const text = printed(snapshots);
    const played = await play(text);
    expect(played.snapshots.map(comparable)).toEqual(snapshots.map(comparable));
    expect(played.snapshots[0]!.sled).toMatchObject({ sledSerial: "node-1" });
    expect(printed(played.snapshots.map((each) => ({ ...each, sled: null })))).toBe(text);
    expect(played.losses.findings()).toEqual([]);
    // Printed again it names the sled, which then counts in place of the file's name.
    const again = await play(printed(played.snapshots), "other.ndjson");
    expect(again.snapshots).toEqual(played.snapshots);
  });

  test("any values of 64 bits and doubles", async () => {
    const seed = Date.now() % 2 ** 31;
    const random = new Random(seed);
    const values = Array.from({ length: 500 }, () => {
      const bits = (BigInt(Math.floor(random.next() * 2 ** 32)) << 32n) | BigInt(Math.floor(random.next() * 2 ** 32));
      return random.next() < 0.5 ? bits >> BigInt(Math.floor(random.next() * 64)) : random.next() * 10 ** (random.below(35) - 20);
    });
    const snapshots = [
      group(
        "/x",
        START,
        values.map((value) => reading("cpu_nsec", value)),
      ),
    ];
    expect((await play(printed(snapshots))).snapshots.map(comparable), `seed ${seed}`).toEqual(snapshots.map(comparable));
  });

  test("zones of one instant are one time, groups read one after another are one each", async () => {
    const at = (path: string, ns: bigint): Snapshot => group(path, START + ns, [reading("processes", 1n)]);
    expect((await play(printed([at("/a", 1n), at("/b", 1n), at("/c", 2n), at("/d", 3n)]))).sizes).toEqual([2, 1, 1]);
  });

  test("stamps of a subject that do not rise are left out, and counted", async () => {
    const at = (path: string, ns: bigint): Snapshot => group(path, START + ns, [reading("processes", 1n)]);
    const { snapshots, losses } = await play(printed([at("/a", 5n), at("/b", 4n), at("/a", 5n), at("/a", 4n), at("/b", 6n)]));
    expect(snapshots.map(({ timestampNs }) => timestampNs - START)).toEqual([5n, 4n, 6n]);
    expect(losses.rows.sorted()).toEqual([["the time is not later than the one before", 2]]);
  });
});

describe("a damaged line", () => {
  const whole = printed([group("/a", START, [reading("processes", 1n)])]);
  test.each([
    ["is no JSON", whole.replace(/.$/m, ""), /JSON|Expected/],
    ["has no source", whole.replace('"source":"cgroup"', '"source":"replay"'), /source/],
    ["has no timestamp", whole.replace(/"timestamp":"[^"]*",/, ""), /timestamp/],
    ["has a timestamp that is none", whole.replace(/"timestamp":"2/, '"timestamp":"x'), /timestamp: is not a time/],
    ["has a number past 64 bits", whole.replace('"value":1', '"value":18446744073709551616'), /readings\.0/],
    ["has a text for a number", whole.replace('"value":1', '"value":"1"'), /readings\.0/],
    ["has no reason for no value", whole.replace('"value":1', '"value":null'), /readings\.0/],
    ["began after its time", whole.replace(/"start_time":"\d{4}/, '"start_time":"2099'), /began after/],
    ["has no start of its counters", whole.replace(/"start_time":"[^"]*"/, '"start_time":null'), /start_time is missing/],
    ["has another zone's id", whole.replace(NIL_UUID, NIL_UUID.replace("0", "1")), /zone_id/],
    [
      "has more readings than there are",
      printed([
        group(
          "/a",
          START,
          Array.from({ length: 1_001 }, () => reading("processes", 1n)),
        ),
      ]),
      /readings/,
    ],
  ])("that %s is dropped alone, counted and named", async (_what, line, why) => {
    expect(line).not.toBe(whole);
    const after = printed([group("/b", START + 1n, [reading("processes", 2n)])]);
    const { snapshots, losses } = await play(whole.replace("/a", "/before").replace("/a@", "/before@") + line + after);
    expect(snapshots.map(({ subject }) => (subject.kind === "zone" ? subject.zoneName : ""))).toEqual(["/before", "/b"]);
    const [found, ...others] = losses.findings();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "malformed-line", count: 1, first: { line: 2, text: expect.stringMatching(why) } });
    expect(found!.first.text).toContain("node-1.ndjson: ");
  });

  test("at the end without its end is dropped", async () => {
    const { snapshots, losses } = await play(whole + whole.slice(0, -1).replace("/a", "/b"));
    expect(snapshots).toHaveLength(1);
    expect(losses.findings()).toEqual([expect.objectContaining({ code: "truncated-line", count: 1 })]);
  });

  test("in their thousands are counted to the last one", async () => {
    const { losses } = await play(whole + '{"source":"x"}\n'.repeat(5_000));
    expect(losses.findings()).toEqual([expect.objectContaining({ code: "malformed-line", count: 5_000 })]);
  });
});
