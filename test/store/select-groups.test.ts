import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Catalogue, type Sample } from "../../src/core/index.ts";
import { execute, parse, plan, type GroupSelection, type OxqlData, type QueryOutcome, type WindowData } from "../../src/oxql/index.ts";
import type { Store } from "../../src/store/index.ts";
import { expectAlike } from "../support/alike-outcomes.ts";
import { Random } from "../support/random.ts";
import { freshDirectory, NOW_NS, openStoreAt } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";
import { ZONE_SCHEMAS } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const CATALOGUE = new Catalogue(ZONE_SCHEMAS);
const TYPES = ["ntp", "nexus", "crucible"];

/** Zones over five hours, some of them for a part of it, with restarts, missed samples, and counts near the end of 64 bits. */
function fleet(random: Random): Sample[] {
  const snapshots: Sample[][] = [];
  for (let zone = 0; zone < 9; zone++) {
    const at = { zone, sled: zone % 3, type: TYPES[zone % 3]! };
    let startTimeNs = NOW_NS - 900n * MINUTE;
    let [user, sys] = [2n ** 63n - BigInt(random.below(1e12)), BigInt(random.below(1e15))];
    let timestampNs = NOW_NS - BigInt(random.pick([300, 300, 100, 20])) * MINUTE + BigInt(random.below(1e9));
    const untilNs = NOW_NS - BigInt(random.pick([-5, -5, 0, 70])) * MINUTE;
    while (timestampNs < untilNs) {
      user += BigInt(random.below(1e10));
      sys += BigInt(random.below(1e9));
      const counters = { "cpu_nsec(state=user)": user, "cpu_nsec(state=sys)": sys };
      const gauges = { memory_resident: BigInt(random.below(2 ** 42)) };
      const now = { ...at, startTimeNs, timestampNs };
      if (random.chance(0.8)) snapshots.push(zoneSnapshot({ ...now, values: { ...counters, ...gauges } }));
      else snapshots.push(zoneSnapshot({ ...now, values: gauges }), zoneSnapshot({ ...now, values: counters }));
      timestampNs += BigInt(1 + random.below(40)) * SECOND + BigInt(random.below(1e9));
      if (random.chance(0.01)) timestampNs += BigInt(random.below(6)) * MINUTE;
      if (random.chance(0.005)) {
        startTimeNs = timestampNs - (random.chance(0.3) ? 0n : BigInt(random.below(1e9)));
        [user, sys] = [BigInt(random.below(1e9)), 0n];
      }
    }
  }
  return snapshots.flat();
}

/** So many zones that their gauges are read hour by hour, each with a few samples. */
function crowd(random: Random): Sample[] {
  return Array.from({ length: 2_900 }, (_, zone) =>
    Array.from({ length: 5 }, (_, hour) => {
      const timestampNs = NOW_NS - BigInt(hour) * 60n * MINUTE - BigInt(random.below(600)) * SECOND;
      const values = { memory_resident: BigInt(random.below(2 ** 42)) };
      return zoneSnapshot({ zone: 100 + zone, sled: zone % 7, type: "crowd", startTimeNs: NOW_NS - 900n * MINUTE, timestampNs, values });
    }),
  ).flat(2);
}

function randomQuery(random: Random): string {
  const endSeconds = random.below(7_200);
  const range = `timestamp > @now() - ${endSeconds + random.pick([600, 3_600, 10_002, 20_000])}s && timestamp <= @now() - ${endSeconds}s`;
  const counter = random.chance(0.6);
  const filters = [
    "zone_type != 'crowd'",
    ...(random.chance(0.9) ? [range] : [`timestamp > @now() - ${endSeconds + 900}s`]),
    ...(counter && random.chance(0.4) ? ["state == 'user'"] : []),
    ...(random.chance(0.3) ? [random.pick(["zone_type == 'ntp'", "zone_type != 'nexus'", "zone_type in ['ntp', 'nexus']"])] : []),
  ];
  const name = counter ? "cpu_nsec" : "memory_resident";
  const period = random.pick(["20s", "1m", "90s", "5m", "1h"]);
  const fields = random.pick([
    "[]",
    "[zone_type]",
    "[zone_name]",
    "[sled_serial, zone_type]",
    ...(counter ? ["[state]", "[state, sled_id]"] : []),
  ]);
  const reducer = random.pick(["sum", "mean", "min", "max", "count"]);
  const behind = random.pick(["", "", " | top 2", " | filter datum > 1.5", " | map datum * 2"]);
  const align = counter ? `rate(${period})` : `mean_within(${period})`;
  return `get zone_resource:${name} | filter ${filters.join(" && ")} | align ${align} | group_by ${fields}, ${reducer}${behind}`;
}

describe("timeseries reduced in the store", () => {
  const seed = Number(process.hrtime.bigint() % 1_000_000_007n);
  const random = new Random(seed);
  const directory = freshDirectory();
  let store: Store & WindowData;
  let selections: (GroupSelection | null)[] = [];

  beforeAll(async () => {
    store = await openStoreAt(directory.path);
    const samples = fleet(random);
    await store.insert(samples, "all");
    await store.insert(samples.slice(500, 900), "some again");
    await store.insert(crowd(random), "crowd");
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  const outcome = async (text: string, data: OxqlData, limits = {}): Promise<QueryOutcome> => {
    const query = parse(text, { nowNs: NOW_NS });
    plan(query, CATALOGUE);
    return execute(query, {
      catalogue: CATALOGUE,
      data,
      nowNs: NOW_NS,
      signal: new AbortController().signal,
      limits: { groupWindows: 0, ...limits },
    });
  };
  const fromSamples: OxqlData = { select: (request, signal) => store.select(request, signal) };
  const fromGroups: OxqlData = {
    ...fromSamples,
    selectWindows: (request, signal) => store.selectWindows(request, signal),
    selectGroups: async (request, signal) => {
      const selection = await store.selectGroups(request, signal);
      selections.push(selection);
      return selection;
    },
  };

  it(`are what they are after one by one (seed ${seed})`, async () => {
    for (let question = 0; question < 40; question++) {
      const text = randomQuery(random);
      const plain = await outcome(text, fromSamples).catch((error: unknown) => error as Error);
      const reduced = await outcome(text, fromGroups).catch((error: unknown) => error as Error);
      if (plain instanceof Error) expect(reduced instanceof Error ? reduced.message : reduced, text).toBe(plain.message);
      else expectAlike(reduced, plain, `seed ${seed}: ${text}`);
    }
    // Some are refused before anything is read.
    expect(selections.length).toBeGreaterThan(30);
    // The rest has gaps that align refuses, or a range that begins where samples are missing.
    expect(selections.filter((selection) => selection !== null).length).toBeGreaterThan(12);
  });

  it("come from several statements where one would hold too many samples", async () => {
    selections = [];
    const text =
      "get zone_resource:memory_resident | filter timestamp > @now() - 5h && timestamp <= @now() | align mean_within(10m) | group_by [sled_serial], sum";
    const reduced = await outcome(text, fromGroups);
    expectAlike(reduced, await outcome(text, fromSamples), text);
    expect(selections[0]!.statements.length).toBeGreaterThan(3);
  });

  it("count as rows by window and group, however many timeseries there are", async () => {
    const range = "filter zone_type == 'crowd' && timestamp > @now() - 5h && timestamp <= @now()";
    const text = `get zone_resource:memory_resident | ${range} | align mean_within(1h) | group_by [zone_type], mean`;
    const reduced = await outcome(text, fromGroups);
    expect(reduced.rowsFetched).toBe(5);
    expect(reduced.tables[0]!.timeseries.map(({ points }) => points.timestampsNs.length)).toEqual([5]);
    await outcome(text, fromGroups, { maxRows: 5 });
    await expect(outcome(text, fromGroups, { maxRows: 4 })).rejects.toMatchObject({ kind: "row_limit" });
    await expect(outcome(text, fromSamples, { maxRows: 2_900 })).rejects.toMatchObject({ kind: "row_limit" });
  });

  it("are reduced from the windows of each where those are few", async () => {
    const range = "filter zone_type == 'crowd' && timestamp > @now() - 5h && timestamp <= @now()";
    const text = `get zone_resource:memory_resident | ${range} | align mean_within(1h) | group_by [zone_type], sum`;
    // 2,900 zones in five hours.
    for (const [groupWindows, reduced] of [
      [14_500, true],
      [30_000, false],
    ] as const) {
      selections = [];
      expect((await outcome(text, fromGroups, { groupWindows })).rowsFetched).toBe(reduced ? 5 : 14_500);
      expect(selections.map((selection) => selection !== null)).toEqual([reduced]);
    }
  });

  it("are left to the samples where a quantile is asked for, or a mean of deltas", async () => {
    selections = [];
    const range = "filter zone_type == 'ntp' && timestamp > @now() - 1h";
    await outcome(`get zone_resource:cpu_nsec | ${range} | align rate(5m) | group_by [zone_type], p90`, fromGroups);
    await outcome(`get zone_resource:cpu_nsec | ${range} | align mean_within(5m) | group_by [zone_type], sum`, fromGroups);
    await outcome(`get zone_resource:cpu_nsec | ${range} | align rate(5m) | filter datum > 1.0 | group_by [zone_type], sum`, fromGroups);
    expect(selections).toEqual([]);
  });
});
