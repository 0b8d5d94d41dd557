import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LatestZone, Store } from "../../src/store/index.ts";
import { freshDirectory, NOW_NS, openStoreAt } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";

const SECOND = 1_000_000_000n;
const HOUR = 3_600n * SECOND;
const BOOT = NOW_NS - 50n * HOUR;

describe("the latest of every zone", () => {
  const directory = freshDirectory();
  let store: Store;

  beforeAll(async () => {
    store = await openStoreAt(directory.path);
    const at = (
      zone: number,
      source: string,
      startTimeNs: bigint,
      timestampNs: bigint,
      values: Record<string, bigint | number>,
    ): ReturnType<typeof zoneSnapshot> => zoneSnapshot({ type: "ntp", zone, source, startTimeNs, timestampNs, values });
    const cpu = (value: bigint): Record<string, bigint> => ({ "cpu_nsec(state=user)": value, "cpu_nsec(state=sys)": 2n * value });
    await store.insert(
      [
        // Zone 1: two sources, of which the slow one has other metrics; the newest instant of each counts.
        ...at(1, "kstat", BOOT, NOW_NS - 20n * SECOND, { ...cpu(1n), processes: 9n }),
        ...at(1, "kstat", BOOT, NOW_NS - 10n * SECOND, cpu(2n)),
        ...at(1, "zonestat", BOOT, NOW_NS - 60n * SECOND, { memory_resident: 4096n, cpu_used: 0.25 }),
        // Zone 2: restarted; both incarnations were seen.
        ...at(2, "kstat", BOOT, NOW_NS - 2n * HOUR, cpu(5n)),
        ...at(2, "kstat", NOW_NS - HOUR, NOW_NS - 30n * SECOND, cpu(1n)),
        // Zone 3: gone since yesterday.
        ...at(3, "kstat", BOOT, NOW_NS - 30n * HOUR, cpu(7n)),
      ],
      "first",
    );
    // The rest of a snapshot comes in the next batch: its gauges do not know their counters there.
    await store.insert(at(1, "kstat", BOOT, NOW_NS - 10n * SECOND, { swap_reserved: 8192n }), "second");
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  const latest = async (sinceNs: bigint): Promise<LatestZone[]> => {
    const rows = await store.latestZones(sinceNs, new AbortController().signal);
    return [...rows].sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
  };
  const keyOf = ({ fields, startTimeNs }: LatestZone): string =>
    `${String(fields["zone_name"])} ${String(fields["source"])} ${startTimeNs}`;

  it("has a row for each incarnation and source that was seen since", async () => {
    const rows = await latest(NOW_NS - 3n * HOUR);
    expect(
      rows.map(({ fields, startTimeNs, timestampNs, values }) => [
        String(fields["zone_name"]).slice(-1),
        fields["source"],
        (startTimeNs - BOOT) / HOUR,
        (NOW_NS - timestampNs) / SECOND,
        values,
      ]),
    ).toEqual([
      ["1", "kstat", 0n, 10n, { "cpu_nsec(state=user)": 2n, "cpu_nsec(state=sys)": 4n, swap_reserved: 8192n }],
      ["1", "zonestat", -BOOT / HOUR, 60n, { memory_resident: 4096n, cpu_used: 0.25 }],
      ["2", "kstat", 0n, 7200n, { "cpu_nsec(state=user)": 5n, "cpu_nsec(state=sys)": 10n }],
      ["2", "kstat", 49n, 30n, { "cpu_nsec(state=user)": 1n, "cpu_nsec(state=sys)": 2n }],
    ]);
    expect(rows[0]!.fields).toMatchObject({
      rack_id: "00000000-0000-4000-8000-000000000001",
      sled_revision: 6n,
      sled_serial: "BRM44220",
      zone_type: "ntp",
    });
  });

  it("has nothing of times before", async () => {
    expect((await latest(NOW_NS - 31n * HOUR)).length).toBe(5);
    expect((await latest(NOW_NS - 30n * SECOND)).length).toBe(1);
    expect(await latest(NOW_NS)).toEqual([]);
  });

  it("stays when the store is opened anew", async () => {
    const before = await latest(BOOT);
    await store.close();
    store = await openStoreAt(directory.path);
    expect(await latest(BOOT)).toEqual(before);
    expect(before).toHaveLength(5);
  });
});
