import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Catalogue, type Sample } from "../../src/core/index.ts";
import { execute, parse, plan, type OxqlData, type QueryOutcome, type WindowData } from "../../src/oxql/index.ts";
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

/** Zones over five hours: restarts, lone gauges, snapshots that fall apart, counts near the end of 64 bits, counters that fall. */
function randomSnapshots(random: Random): Sample[][] {
  const snapshots: Sample[][] = [];
  for (let zone = 0; zone < 8; zone++) {
    const at = { zone, sled: zone % 3, type: TYPES[zone % 3]! };
    const everySeconds = random.pick([5, 10, 60, 400]);
    let startTimeNs = NOW_NS - 900n * MINUTE;
    let [user, sys] = [2n ** 63n - BigInt(random.below(1e12)), BigInt(random.below(1e15))];
    let timestampNs = NOW_NS - 300n * MINUTE + BigInt(random.below(1e9));
    while (timestampNs < NOW_NS + 5n * MINUTE) {
      user += BigInt(random.below(1e11));
      sys += BigInt(random.below(1e10)) - (random.chance(0.02) ? 10n ** 9n : 0n);
      const counters = {
        "cpu_nsec(state=user)": user,
        "cpu_nsec(state=sys)": sys,
        ...(random.chance(0.9) ? { "cpu_nsec(state=waitrq)": user / 50n } : {}),
      };
      const gauges = { memory_resident: BigInt(random.below(2 ** 42)), ...(random.chance(0.5) ? { cpu_used: random.next() } : {}) };
      const now = { ...at, startTimeNs, timestampNs };
      const shape = random.below(10);
      if (shape < 6) snapshots.push(zoneSnapshot({ ...now, values: { ...counters, ...gauges } }));
      else if (shape < 8) snapshots.push(zoneSnapshot({ ...now, values: counters }), zoneSnapshot({ ...now, values: gauges }));
      else if (shape < 9)
        snapshots.push(
          zoneSnapshot({ ...now, values: { "cpu_nsec(state=user)": user } }),
          zoneSnapshot({ ...now, values: { "cpu_nsec(state=sys)": sys } }),
        );
      else snapshots.push(zoneSnapshot({ ...now, values: gauges }));
      timestampNs += BigInt(1 + random.below(2 * everySeconds)) * SECOND + BigInt(random.below(1e9));
      if (random.chance(0.01)) timestampNs += BigInt(random.below(40)) * MINUTE;
      if (random.chance(0.02)) {
        startTimeNs = timestampNs - (random.chance(0.3) ? 0n : BigInt(random.below(1e9)));
        [user, sys] = [BigInt(random.below(1e9)), 0n];
      }
    }
  }
  return snapshots;
}

/** So many zones, seen once each, that what counts samples is asked for hour by hour. */
function crowd(random: Random): Sample[] {
  return Array.from({ length: 2_900 }, (_, zone) => {
    const timestampNs = NOW_NS - BigInt(random.below(300 * 60)) * SECOND;
    const values = { memory_resident: BigInt(random.below(2 ** 42)), "cpu_nsec(state=user)": BigInt(random.below(1e15)) };
    return zoneSnapshot({ zone: 100 + zone, sled: 1, type: "crowd", startTimeNs: NOW_NS - 900n * MINUTE, timestampNs, values });
  }).flat();
}

/** A query that begins with a get, filters and an align. */
function randomQuery(random: Random, always: string): string {
  const endNs = NOW_NS - BigInt(random.below(7_200)) * SECOND;
  const at = (agoSeconds: number): string =>
    `@${new Date(Number((endNs - BigInt(agoSeconds) * SECOND) / 1_000_000n)).toISOString().slice(0, -1)}`;
  const span = random.pick([600, 3_600, 7_200, 10_002]);
  const period = random.pick(["7s", "60s", "1m", "90s", "5m", "1h", "1d"]);
  const counter = random.chance(0.6);
  const filters = [
    always,
    random.pick([
      `timestamp > ${at(span)} && timestamp <= ${at(0)}`,
      `timestamp >= ${at(span)}`,
      `timestamp < ${at(0)} && timestamp > ${at(span)}`,
    ]),
    ...(counter && random.chance(0.7) ? ["state != 'waitrq'"] : []),
    ...(random.chance(0.5)
      ? [random.pick(["zone_type == 'ntp'", "zone_type != 'nexus'", "zone_type ~= 'c|x'", "zone_type in ['ntp', 'nexus']"])]
      : []),
    ...(random.chance(0.1) ? [`(zone_type == 'ntp' || timestamp > ${at(span / 2)})`] : []),
    ...(random.chance(0.1) ? [`timestamp != ${at(span / 3)}`] : []),
  ];
  const name = counter ? "zone_resource:cpu_nsec" : random.pick(["zone_resource:memory_resident", "zone_resource:cpu_used"]);
  const method = counter && random.chance(0.7) ? "rate" : "mean_within";
  const behind = random.pick([
    "",
    ` | filter timestamp > ${at(span / 2)}`,
    ` | group_by [zone_type], ${random.pick(["sum", "mean", "min", "max", "count", "p90"])}`,
    ` | group_by ${random.pick(["[]", "[zone_name]", "[sled_serial, zone_type]", ...(counter ? ["[state]", "[zone_type, state]"] : [])])}, sum`,
    " | group_by [zone_name], mean | top 3",
  ]);
  const filter = random.chance(0.3) ? filters.map((one) => ` | filter ${one}`).join("") : ` | filter ${filters.join(" && ")}`;
  return `get ${name}${filter} | align ${method}(${period})${behind}`;
}

describe("samples put together by window", () => {
  const seed = Number(process.hrtime.bigint() % 1_000_000_007n);
  const random = new Random(seed);
  const directory = freshDirectory();
  let store: Store & WindowData;
  let asked = 0;
  let answered = 0;

  beforeAll(async () => {
    store = await openStoreAt(directory.path);
    const snapshots = randomSnapshots(random);
    await store.insert(snapshots.flat(), "all");
    await store.insert(crowd(random), "crowd");
    await store.insert(snapshots.slice(0, 400).flat(), "some again");
    await store.insert(
      snapshots
        .slice(200, 300)
        .flat()
        .map((sample) =>
          "value" in sample.datum && typeof sample.datum.value === "bigint" ? withValue(sample, sample.datum.value / 2n) : sample,
        ),
      "some again with smaller values",
    );
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  const outcome = async (text: string, data: OxqlData): Promise<QueryOutcome> => {
    const query = parse(text, { nowNs: NOW_NS });
    plan(query, CATALOGUE);
    return execute(query, { catalogue: CATALOGUE, data, nowNs: NOW_NS, signal: new AbortController().signal });
  };

  const fromSamples: OxqlData = { select: (request, signal) => store.select(request, signal) };
  const fromWindows: OxqlData = {
    select: (request, signal) => store.select(request, signal),
    selectWindows: async (request, signal) => {
      asked += 1;
      const selection = await store.selectWindows(request, signal);
      if (selection !== null) answered += 1;
      return selection;
    },
    selectGroups: (request, signal) => store.selectGroups(request, signal),
  };

  it(`give what the samples give (seed ${seed})`, async () => {
    let refused = 0;
    for (let question = 0; question < 60; question++) {
      const text = randomQuery(random, "zone_type != 'crowd'");
      const plain = await outcome(text, fromSamples).catch((error: unknown) => error as Error);
      const put = await outcome(text, fromWindows).catch((error: unknown) => error as Error);
      if (plain instanceof Error) {
        refused += 1;
        expect(put instanceof Error ? put.message : put, text).toBe(plain.message);
      } else expectAlike(put, plain, `seed ${seed}: ${text}`);
    }
    expect(refused).toBeLessThan(30);
    // Of doubles and of ranges with holes the store gives none, and of queries that begin otherwise it is not asked.
    expect(answered).toBeGreaterThan(15);
    const [askedBefore, answeredBefore] = [asked, answered];
    const holed = "filter timestamp > @now() - 2h && timestamp <= @now() && timestamp != @now() - 1h";
    await outcome(`get zone_resource:cpu_nsec | ${holed} | align rate(1h)`, fromWindows).catch(() => null);
    expect([asked, answered]).toEqual([askedBefore + 1, answeredBefore]);
  });

  it(`are the same in parts (seed ${seed})`, async () => {
    for (let question = 0; question < 8; question++) {
      const text = randomQuery(random, 'zone_id != "00000000-0000-0000-0000-000000000000"').replace("1d", "30m");
      const plain = await outcome(text, fromSamples).catch((error: unknown) => error as Error);
      const put = await outcome(text, fromWindows).catch((error: unknown) => error as Error);
      if (plain instanceof Error) expect(put instanceof Error ? put.message : put, text).toBe(plain.message);
      else expectAlike(put, plain, `seed ${seed}: ${text}`);
    }
    const text = "get zone_resource:cpu_nsec | filter timestamp > @now() - 5h && timestamp <= @now() | align mean_within(7m)";
    const put = await outcome(text, fromWindows);
    expectAlike(put, await outcome(text, fromSamples), text);
    expect(put.statements.filter(({ text: sql }) => sql.includes("count")).length).toBeGreaterThan(3);
  });

  it("are fetched in place of the samples, and count as rows", async () => {
    const text =
      "get zone_resource:cpu_nsec | filter state == 'user' && zone_type != 'crowd' && timestamp > @now() - 5h && timestamp <= @now() | align rate(1h)";
    const plain = await outcome(text, fromSamples);
    const put = await outcome(text, fromWindows);
    expect(put.rowsFetched * 5).toBeLessThan(plain.rowsFetched);
    expect(put.rowsFetched).toBeGreaterThan(8);
    const query = parse(text, { nowNs: NOW_NS });
    const limited = { catalogue: CATALOGUE, data: fromWindows, nowNs: NOW_NS, signal: new AbortController().signal };
    await expect(execute(query, { ...limited, limits: { maxRows: put.rowsFetched - 1 } })).rejects.toMatchObject({ kind: "row_limit" });
    await execute(query, { ...limited, limits: { maxRows: put.rowsFetched } });
  });

  it("are not asked for where the query looks at samples before it aligns", async () => {
    const before = asked;
    const range = "timestamp > @now() - 1h";
    for (const text of [
      `get zone_resource:memory_resident | filter ${range} && datum > 5 | align mean_within(1m)`,
      `get zone_resource:memory_resident | filter ${range} | last 5 | align mean_within(1m)`,
      `get zone_resource:memory_resident | filter ${range} | align interpolate(10m)`,
      `get zone_resource:cpu_nsec | filter ${range} && start_time > @now() - 1d | align rate(1h)`,
      `get zone_resource:cpu_used | filter ${range} | align mean_within(10m)`,
    ])
      await outcome(text, fromWindows);
    expect(asked).toBe(before);
  });
});

function withValue(sample: Sample, value: bigint): Sample {
  return { ...sample, datum: { ...sample.datum, value } as Sample["datum"] };
}

/** Equal but for the rounding of sums that were added up in another order. */
