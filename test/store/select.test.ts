import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sample } from "../../src/core/index.ts";
import type { Store } from "../../src/store/index.ts";
import { fieldIs, freshDirectory, NOW_NS, openStoreAt, selectRows, timeIs } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";
import { schemaOf } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const HOUR = 3_600n * SECOND;
const TYPES = ["crucible", "dendrite", "nexus", "ntp"];
const ZONES = 300;

/** Zone number n is of type n % 4, boots n minutes before, and has samples every half hour for five hours; its values tell n and the half hour. */
function fleet(): Sample[] {
  const samples: Sample[] = [];
  for (let zone = 0; zone < ZONES; zone++) {
    for (let half = 0; half < 10; half++) {
      const timestampNs = NOW_NS - BigInt(9 - half) * 1_800n * SECOND;
      const value = BigInt(zone * 10 + half);
      samples.push(
        ...zoneSnapshot({
          type: TYPES[zone % 4]!,
          zone,
          startTimeNs: NOW_NS - 24n * HOUR,
          timestampNs,
          values: { "cpu_nsec(state=user)": value, memory_resident: value },
        }),
      );
    }
  }
  return samples;
}

describe("selecting from many series", () => {
  const directory = freshDirectory();
  let store: Store;

  beforeAll(async () => {
    store = await openStoreAt(directory.path);
    await store.insert(fleet(), "fleet");
    await store.insert(
      [
        // Restarted after a gap of two days; the first incarnation ran for ten days.
        ...zoneSnapshot({
          sled: 1,
          startTimeNs: NOW_NS - 20n * 24n * HOUR,
          timestampNs: NOW_NS - 12n * 24n * HOUR,
          values: { "cpu_nsec(state=user)": 100n },
        }),
        ...zoneSnapshot({
          sled: 1,
          startTimeNs: NOW_NS - 20n * 24n * HOUR,
          timestampNs: NOW_NS - 3n * HOUR - 48n * HOUR,
          values: { "cpu_nsec(state=user)": 200n },
        }),
        ...zoneSnapshot({
          sled: 1,
          startTimeNs: NOW_NS - 3n * HOUR,
          timestampNs: NOW_NS - 2n * HOUR,
          values: { "cpu_nsec(state=user)": 5n },
        }),
        ...zoneSnapshot({ sled: 1, startTimeNs: NOW_NS - 3n * HOUR, timestampNs: NOW_NS, values: { "cpu_nsec(state=user)": 9n } }),
      ],
      "restarted",
    );
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  const onSled = (sled: number): ReturnType<typeof fieldIs> => fieldIs("sled_serial", "==", `BRM4422${sled}`);
  const values = (rows: Awaited<ReturnType<typeof selectRows>>): unknown[] =>
    rows.map(({ value }) => value).sort((a, b) => Number(a) - Number(b));

  it("finds those of one type, of all but one, and a list", async () => {
    const numbers = Array.from({ length: ZONES }, (_, zone) => zone);
    const newest = { limit: null, times: [timeIs("==", NOW_NS)] };
    for (const [condition, matches] of [
      [fieldIs("zone_type", "==", "nexus"), (zone: number) => zone % 4 === 2],
      [fieldIs("zone_type", "!=", "nexus"), (zone: number) => zone % 4 !== 2],
      [fieldIs("zone_name", "~=", "[13579bdf]$"), (zone: number) => zone % 2 === 1],
      [fieldIs("zone_name", "~=", "7$"), (zone: number) => zone % 16 === 7],
    ] as const) {
      const rows = await selectRows(store, "zone_resource:memory_resident", { ...newest, where: [condition] });
      expect(values(rows)).toEqual(numbers.filter(matches).map((zone) => BigInt(zone * 10 + 9)));
    }
  });

  it("takes many alternatives of series and times", async () => {
    const names = Array.from(
      { length: 150 },
      (_, zone) => `oxz_${TYPES[zone % 4]!}_00000000-0000-4000-8000-${zone.toString(16).padStart(12, "0")}`,
    );
    const any = names.map((name, zone) => ({
      fields: [fieldIs("zone_name", "==", name)],
      times: [timeIs("==", NOW_NS - BigInt(zone % 10) * 1_800n * SECOND), timeIs("!=", NOW_NS + 1n + BigInt(zone))],
    }));
    const rows = await selectRows(store, "zone_resource:memory_resident", { any });
    expect(values(rows)).toEqual(names.map((_, zone) => BigInt(zone * 10 + 9 - (zone % 10))));
  });

  it("finds ends of every series without reading all", async () => {
    const last = await selectRows(store, "zone_resource:memory_resident", { limit: { end: "last", count: 1 } });
    expect(values(last)).toEqual(Array.from({ length: ZONES }, (_, zone) => BigInt(zone * 10 + 9)));
    const first = await selectRows(store, "zone_resource:memory_resident", {
      limit: { end: "first", count: 2 },
      times: [timeIs(">=", NOW_NS - 3n * HOUR)],
    });
    expect(values(first)).toEqual(Array.from({ length: ZONES }, (_, zone) => [BigInt(zone * 10 + 3), BigInt(zone * 10 + 4)]).flat());
  });

  it("looks back over any gap, but not into another incarnation", async () => {
    const since = async (fromNs: bigint): Promise<unknown[]> =>
      (await selectRows(store, "zone_resource:cpu_nsec", { where: [onSled(1)], times: [timeIs(">=", fromNs)], lookBack: true })).map(
        ({ value }) => value,
      );
    expect(await since(NOW_NS - 2n * HOUR)).toEqual([5n, 9n]);
    expect(await since(NOW_NS)).toEqual([5n, 9n]);
    expect(await since(NOW_NS - 55n * HOUR)).toEqual([100n, 200n, 5n, 9n]);
    expect(await since(NOW_NS + 1n)).toEqual([]);
    const several = [NOW_NS - 51n * HOUR, NOW_NS].map((at) => ({ fields: [onSled(1)], times: [timeIs("==", at)] }));
    expect((await selectRows(store, "zone_resource:cpu_nsec", { any: several, lookBack: true })).map(({ value }) => value)).toEqual([
      100n,
      200n,
      5n,
      9n,
    ]);
  });

  it("looks back from several ranges of one series, each over a gap", async () => {
    const at = (ago: bigint, value: bigint): Sample[] =>
      zoneSnapshot({ sled: 4, startTimeNs: NOW_NS - 90n * HOUR, timestampNs: NOW_NS - ago, values: { "cpu_nsec(state=user)": value } });
    await store.insert(
      [80n, 60n, 40n, 20n, 0n].flatMap((hours, i) => at(hours * HOUR, BigInt(i))),
      "gaps",
    );
    const any = [60n, 20n].map((hours) => ({ fields: [onSled(4)], times: [timeIs("==", NOW_NS - hours * HOUR)] }));
    for (const limit of [null, { end: "first", count: 9 } as const, { end: "last", count: 9 } as const]) {
      expect((await selectRows(store, "zone_resource:cpu_nsec", { any, limit, lookBack: true })).map(({ value }) => value)).toEqual([
        0n,
        1n,
        2n,
        3n,
      ]);
    }
  });

  it("counts the last samples over all incarnations", async () => {
    const last = async (count: number, lookBack: boolean): Promise<unknown[]> =>
      (await selectRows(store, "zone_resource:cpu_nsec", { where: [onSled(1)], limit: { end: "last", count }, lookBack })).map(
        ({ value }) => value,
      );
    expect(await last(1, false)).toEqual([9n]);
    expect(await last(1, true)).toEqual([5n, 9n]);
    expect(await last(2, true)).toEqual([5n, 9n]);
    expect(await last(3, false)).toEqual([200n, 5n, 9n]);
    expect(await last(3, true)).toEqual([100n, 200n, 5n, 9n]);
    expect(await last(99, true)).toEqual([100n, 200n, 5n, 9n]);
  });

  it("looks back beyond the hours where it found enough samples", async () => {
    const at = (startTimeNs: bigint, ago: bigint, value: bigint): Sample[] =>
      zoneSnapshot({ sled: 3, startTimeNs, timestampNs: NOW_NS - ago, values: { "cpu_nsec(state=user)": value } });
    const [early, late] = [NOW_NS - 9n * HOUR, NOW_NS - 8n * HOUR];
    // The hour of the last three samples holds one of an earlier incarnation too, so that nothing seems to be missing.
    await store.insert(
      [
        ...at(early, 40n * SECOND, 77n),
        ...at(late, 5n * HOUR, 1n),
        ...at(late, 30n * SECOND, 2n),
        ...at(late, 20n * SECOND, 3n),
        ...at(late, 10n * SECOND, 4n),
      ],
      "two incarnations",
    );
    const last = await selectRows(store, "zone_resource:cpu_nsec", {
      where: [onSled(3)],
      limit: { end: "last", count: 3 },
      lookBack: true,
    });
    expect(last.map(({ value }) => value)).toEqual([1n, 2n, 3n, 4n]);
  });

  it("refuses more samples than it may return", async () => {
    const ask = (maxRows: number, more = {}): Promise<unknown[]> =>
      selectRows(store, "zone_resource:memory_resident", { maxRows, ...more });
    expect(await ask(10 * ZONES)).toHaveLength(10 * ZONES);
    for (const more of [{}, { limit: { end: "last", count: 10 } }, { limit: { end: "first", count: 10 } }]) {
      await expect(ask(10 * ZONES - 1, more)).rejects.toMatchObject({
        code: "limit",
        kind: "row_limit",
        message: expect.stringContaining(`${10 * ZONES - 1} samples`) as string,
      });
    }
    // What is read to look back does not count.
    const counters = { where: [onSled(0)], times: [timeIs("==", NOW_NS)], lookBack: true };
    expect(await selectRows(store, "zone_resource:cpu_nsec", { ...counters, maxRows: ZONES })).toHaveLength(2 * ZONES);
    await expect(selectRows(store, "zone_resource:cpu_nsec", { ...counters, maxRows: ZONES - 1 })).rejects.toMatchObject({
      kind: "row_limit",
    });
  });

  it("returns nothing where nothing can be", async () => {
    for (const times of [
      [timeIs("<", 0n)],
      [timeIs(">", 2n ** 70n)],
      [timeIs(">", NOW_NS), timeIs("<", NOW_NS)],
      [timeIs("<", NOW_NS - 400n * 24n * HOUR)],
    ]) {
      expect(await selectRows(store, "zone_resource:memory_resident", { times })).toEqual([]);
      expect(await selectRows(store, "zone_resource:cpu_nsec", { times, limit: { end: "last", count: 3 }, lookBack: true })).toEqual([]);
    }
    expect(await selectRows(store, "zone_resource:memory_resident", { where: [fieldIs("zone_type", "==", "no such type")] })).toEqual([]);
    expect(await selectRows(store, "sled_resource:cpus_online")).toEqual([]);
  });

  it("is over at once when its signal fires", async () => {
    const reason = new Error("gone");
    const controller = new AbortController();
    const request = {
      schema: schemaOf("zone_resource:memory_resident"),
      alternatives: [],
      limit: null,
      lookBack: false,
      maxRows: 1_000_000,
    };
    const selected = store.select(request, controller.signal);
    controller.abort(reason);
    await expect(selected).rejects.toBe(reason);
    await expect(store.select(request, controller.signal)).rejects.toBe(reason);
  });

  it("tells which statements it ran", async () => {
    const request = {
      schema: schemaOf("zone_resource:memory_resident"),
      alternatives: [],
      limit: null,
      lookBack: false,
      maxRows: 1_000_000,
    };
    const { signal } = new AbortController();
    const { statements } = await store.select(
      { ...request, alternatives: [{ fields: [fieldIs("zone_type", "==", "ntp")], times: [] }] },
      signal,
    );
    expect(statements).toMatchObject([{ text: expect.stringContaining("SELECT") as string }]);
    // Whole granules are read, so as a rule more than the rows of the answer.
    const [measured] = await store.measured(statements, signal);
    expect(measured).toMatchObject({ id: statements[0]!.id, text: statements[0]!.text });
    expect(measured!.rowsRead).toBeGreaterThanOrEqual(BigInt(10 * ZONES) / 4n);
    expect(measured!.rowsRead).toBeLessThanOrEqual(BigInt(10 * ZONES) + 10n);
  });

  it("sees samples stored while it runs or not, but whole", async () => {
    const writes = Array.from({ length: 10 }, (_, i) =>
      store.insert(zoneSnapshot({ sled: 2, zone: i, timestampNs: NOW_NS, values: { memory_resident: BigInt(i) } }), `beside ${i}`),
    );
    const reads = Array.from({ length: 10 }, () => selectRows(store, "zone_resource:memory_resident", { where: [onSled(2)] }));
    for (const rows of await Promise.all(reads))
      for (const { series, value } of rows)
        expect(series).toContain(`zone_id=00000000-0000-4000-8000-${Number(value).toString(16).padStart(12, "0")}`);
    await Promise.all(writes);
    expect(await selectRows(store, "zone_resource:memory_resident", { where: [onSled(2)] })).toHaveLength(10);
  });
});
