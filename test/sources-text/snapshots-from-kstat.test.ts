import { describe, expect, test } from "vitest";
import { NIL_UUID } from "../../src/core/index.ts";
import { KstatTextReader } from "../../src/sources/kstat-text.ts";
import { snapshotsFromKstat, type KstatSighting } from "../../src/sources/snapshots-from-kstat.ts";
import type { Reading, Snapshot } from "../../src/sources/source.ts";
import { SwapMeans } from "../../src/sources/swap-means.ts";
import { readWhole } from "../../src/sources/text-reader.ts";

const AT = 1_804_241_700_000_000_000n;
const CLOCK = "90000.000000005";

function lines(key: string, statistics: Record<string, string | bigint | number>): string {
  return Object.entries(statistics)
    .map(([name, value]) => `${key}:${name}\t${value}\n`)
    .join("");
}

const common = (name: string): Record<string, string> => ({ crtime: "500.000000001", snaptime: CLOCK, zonename: name });

/** What a whole `kstat -p zones::: caps::: memory_cap:::` of one zone prints, with changes. */
function zoneText(id: number, name: string, changes: Record<string, Record<string, string | bigint | number> | null> = {}): string {
  const kstats: Record<string, Record<string, string | bigint | number>> = {
    [`zones:${id}:${name.slice(0, 30)}`]: {
      ...common(name),
      avenrun_1min: 128,
      avenrun_5min: 256,
      avenrun_15min: 300,
      boot_time: 1_804_152_200,
      forkfail_cap: 1,
      forkfail_noproc: 2,
      forkfail_nomem: 3,
      forkfail_misc: 4,
      nsec_user: 9_007_199_254_740_993n,
      nsec_sys: 18_446_744_073_709_551_615n,
      nsec_waitrq: 0,
    },
    [`memory_cap:${id}:${name.slice(0, 30)}`]: { ...common(name), anonpgin: 10, execpgin: 11, fspgin: 12, pgpgin: 33, anon_alloc_fail: 5 },
    [`caps:${id}:swapresv_zone_${id}`]: { ...common(name), usage: 4_096_000, value: 18_446_744_073_709_551_615n },
    [`caps:${id}:lockedmem_zone_${id}`]: { ...common(name), usage: 8_192, value: 65_536 },
    [`caps:${id}:nprocs_zone_${id}`]: { ...common(name), usage: 17, value: 2_147_483_647 },
  };
  for (const [key, change] of Object.entries(changes)) {
    if (change === null) delete kstats[key];
    else kstats[key] = { ...kstats[key], ...change };
  }
  return Object.entries(kstats)
    .map(([key, statistics]) => lines(key, statistics))
    .join("");
}

interface Outcome {
  readonly snapshots: Snapshot[];
  readonly codes: string[];
  readonly sightings: KstatSighting[];
}

function convert(text: string, startTimeOf: (sighting: KstatSighting) => bigint = () => 1n, swap = new SwapMeans()): Outcome {
  const { items } = readWhole(new KstatTextReader(), text);
  const sightings: KstatSighting[] = [];
  const { snapshots, diagnostics } = snapshotsFromKstat(items[0]!, {
    sled: null,
    stampOf: () => AT,
    swapFree: (vminfo, pageBytes) => swap.availableBytes("", vminfo, pageBytes),
    startTimeOf: (sighting) => {
      sightings.push(sighting);
      return startTimeOf(sighting);
    },
  });
  return { snapshots, codes: diagnostics.map(({ code }) => code), sightings };
}

/** Readings by `metric(label)`: the value, or the reason in brackets. */
function values(readings: readonly Reading[]): Record<string, bigint | number | string> {
  return Object.fromEntries(
    readings.map((reading) => {
      const label = Object.values(reading.labels)[0];
      return [
        label === undefined ? reading.metric : `${reading.metric}(${label})`,
        reading.value ?? `[${(reading as { reason: string }).reason}]`,
      ];
    }),
  );
}

const NEXUS = "oxz_nexus_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e";

describe("one zone", () => {
  test("gets every reading of this kernel, exactly, and none that the kernel does not have", () => {
    const { snapshots, codes } = convert(zoneText(7, NEXUS));
    expect(codes).toEqual([]);
    expect(snapshots).toHaveLength(1);
    expect(snapshots[0]).toMatchObject({ source: "kstat", sled: null, timestampNs: AT });
    expect(values(snapshots[0]!.readings)).toEqual({
      "cpu_nsec(user)": 9_007_199_254_740_993n,
      "cpu_nsec(sys)": 18_446_744_073_709_551_615n,
      "cpu_nsec(waitrq)": 0n,
      "load_average(1m)": 0.5,
      "load_average(5m)": 1,
      "load_average(15m)": 300 / 256,
      "forks_failed(cap)": 1n,
      "forks_failed(noproc)": 2n,
      "forks_failed(nomem)": 3n,
      "forks_failed(misc)": 4n,
      swap_reserved: 4_096_000n,
      swap_reserved_cap: "[no cap is set]",
      memory_locked: 8_192n,
      memory_locked_cap: 65_536n,
      processes: 17n,
      processes_cap: "[no cap is set]",
      "page_ins(anon)": 10n,
      "page_ins(exec)": 11n,
      "page_ins(fs)": 12n,
      swap_alloc_failures: 5n,
      cpu_cap: "[no cap is set]",
    });
  });

  test("has its full name, type and id, and an incarnation of name, id and creation", () => {
    const { snapshots, sightings } = convert(zoneText(7, NEXUS), () => 42n);
    expect(snapshots[0]!.subject).toEqual({
      kind: "zone",
      zoneName: NEXUS,
      zoneType: "nexus",
      zoneId: "1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e",
      incarnation: `${NEXUS}/7/500000000001`,
      startTimeNs: 42n,
    });
    expect(sightings).toEqual([
      {
        subjectKey: NEXUS,
        incarnation: `${NEXUS}/7/500000000001`,
        bootTimeNs: 1_804_152_200_000_000_000n,
        crtimeNs: 500_000_000_001n,
        snaptimeNs: 90_000_000_000_005n,
        timestampNs: AT,
      },
    ]);
    expect(convert(zoneText(0, "global")).snapshots[0]!.subject).toMatchObject({ zoneType: "", zoneId: NIL_UUID });
  });

  test("on OmniOS has resident memory, and caps where they are set", () => {
    const text = zoneText(7, "web", {
      "memory_cap:7:web": { rss: 123_456_789, physcap: 17_592_186_040_320n },
      "caps:7:cpucaps_zone_7": { ...common("web"), usage: 80, value: 250 },
    });
    expect(values(convert(text).snapshots[0]!.readings)).toMatchObject({
      memory_resident: 123_456_789n,
      memory_resident_cap: "[no cap is set]",
      cpu_cap: 2.5,
    });
    const capped = zoneText(7, "web", { "memory_cap:7:web": { rss: 0, physcap: 1_073_741_824 } });
    expect(values(convert(capped).snapshots[0]!.readings)).toMatchObject({ memory_resident: 0n, memory_resident_cap: 1_073_741_824n });
  });

  test("without the caps in the text has nothing to say of caps", () => {
    const text = lines("zones:7:web", { ...common("web"), nsec_user: 5 });
    expect(values(convert(text).snapshots[0]!.readings)).toEqual({ "cpu_nsec(user)": 5n });
  });

  test("takes swap from memory_cap where that is all there is", () => {
    const text = lines("memory_cap:7:web", { ...common("web"), rss: 5, swap: 9, swapcap: 18_446_744_073_709_551_615n });
    expect(values(convert(text).snapshots[0]!.readings)).toEqual({
      memory_resident: 5n,
      swap_reserved: 9n,
      swap_reserved_cap: "[no cap is set]",
    });
  });
});

describe("what is not measured", () => {
  test.each(["", "-1", "+1", "1e3", "0x10", "1 0", "007", "1.5", "٣", "18446744073709551616", "1\u00000"])(
    "a counter of %j is a reason, never a number",
    (text) => {
      const read = values(convert(zoneText(7, "web", { "zones:7:web": { nsec_user: text } })).snapshots[0]!.readings);
      expect(read["cpu_nsec(user)"]).toMatch(/^\[nsec_user of the kstat zones is not a number/);
      expect(read["cpu_nsec(waitrq)"]).toBe(0n);
    },
  );

  test("32-bit statistics hold no more than 32 bits", () => {
    const read = values(
      convert(zoneText(7, "web", { "zones:7:web": { forkfail_cap: 4_294_967_296, avenrun_1min: 4_294_967_296 } })).snapshots[0]!.readings,
    );
    expect(read["forks_failed(cap)"]).toMatch(/^\[/);
    expect(read["load_average(1m)"]).toMatch(/^\[/);
  });

  test("what only one zone lacks is a reading without a value", () => {
    const text = zoneText(7, "web", { "caps:7:swapresv_zone_7": null }) + zoneText(8, "db", { "memory_cap:8:db": { rss: 5 } });
    const [web, db] = convert(text).snapshots.map(({ readings }) => values(readings));
    expect(web).toMatchObject({
      swap_reserved: "[the zone had no kstat swapresv when it was read]",
      memory_resident: "[the kstat memory_cap has no rss]",
    });
    expect(db).toMatchObject({ swap_reserved: 4_096_000n, memory_resident: 5n });
  });
});

describe("a zone that goes away while it is read", () => {
  const gone = { class: "zone_misc", crtime: "500.000000001" };
  const last = (kstat: string): Snapshot => {
    const { snapshots, codes } = convert(`${zoneText(7, "web", { [kstat]: null })}${lines(kstat, gone)}${zoneText(8, "db")}`);
    expect(codes).toEqual([]);
    return snapshots.find(({ subject }) => subject.kind === "zone" && subject.zoneName === "web")!;
  };

  test("keeps its counters where they were read, as it will not be read again", () => {
    const web = last("memory_cap:7:web");
    expect(web.subject).toMatchObject({ incarnation: "web/7/500000000001" });
    expect(values(web.readings)).toMatchObject({
      "cpu_nsec(user)": 9_007_199_254_740_993n,
      swap_reserved: 4_096_000n,
      "page_ins(anon)": "[the kstat memory_cap was not read]",
    });
  });

  test("keeps what was read before its own kstat was gone, under the same incarnation", () => {
    const web = last("zones:7:web");
    expect(web.subject).toMatchObject({ zoneName: "web", incarnation: "web/7/500000000001" });
    expect(values(web.readings)).toMatchObject({
      "cpu_nsec(user)": "[the kstat zones was not read]",
      swap_reserved: 4_096_000n,
      "page_ins(anon)": 10n,
    });
  });
});

describe("zones that are left out", () => {
  const healthy = zoneText(8, "db");
  const without = (text: string): void => {
    const { snapshots, codes } = convert(text + healthy);
    expect(snapshots.map(({ subject }) => subject.kind === "zone" && subject.zoneName)).toEqual(["db"]);
    expect(codes).toContain("zone-skipped");
  };

  test("one that went away before anything of it was read", () => {
    const gone = { class: "zone_misc", crtime: "500.000000001" };
    without(["zones:7:web", "memory_cap:7:web", "caps:7:swapresv_zone_7"].map((key) => lines(key, gone)).join(""));
  });

  test("one that came or went between two modules", () => without(zoneText(7, "web", { "zones:7:web": null })));
  test("one whose creation or reading time is not known", () => {
    without(zoneText(7, "web", { "zones:7:web": { crtime: "500" } }));
    without(zoneText(7, "web", { "zones:7:web": { snaptime: "9" } }));
  });
  test("one without a name", () => without(zoneText(7, "web", { "zones:7:web": { zonename: "w b" } })));
  test("one whose name is not that of its kstat", () => {
    without(lines("zones:7:forge-north", { ...common("forge-no"), nsec_user: 5 }));
    without(lines("zones:7:forge-north", { ...common("forge-north2"), nsec_user: 5 }));
    const long = "oxz_clickhouse_keeper_3fcb4b70-f79a-4ffc-971b-9592244ececa";
    without(
      lines(`zones:7:${long.slice(0, 30)}`, { ...common("oxz_clickhouse_keeper_3fcb4c70-f79a-4ffc-971b-9592244ececa"), nsec_user: 5 }),
    );
  });
  test("one whose kstats are of two zones", () => without(zoneText(7, "web", { "caps:7:nprocs_zone_7": { zonename: "mail" } })));

  test("of two by one name the one created later lives", () => {
    const old = zoneText(7, "web");
    const young = zoneText(9, "web", { "zones:9:web": { crtime: "80000.000000000", nsec_user: 1 } });
    for (const text of [old + young, young + old]) {
      const { snapshots } = convert(text);
      expect(snapshots).toHaveLength(1);
      expect(snapshots[0]!.subject).toMatchObject({ incarnation: "web/9/80000000000000" });
    }
  });

  test("one that would begin after its own sample", () => {
    const { snapshots, codes } = convert(healthy, () => AT);
    expect(snapshots).toEqual([]);
    expect(codes).toEqual(["zone-skipped"]);
  });
});

test("the sled, where the text has its statistics", () => {
  const sled =
    lines("unix:0:system_pages", { crtime: "0", snaptime: CLOCK, physmem: 1_000, freemem: 10 }) +
    lines("zfs:0:arcstats", { crtime: "3.000000000", snaptime: CLOCK, size: 77 });
  const cpu = (id: number, state: string): string =>
    lines(`cpu_info:${id}:cpu_info${id}`, { crtime: "1.000000000", snaptime: CLOCK, state });
  const { snapshots } = convert(
    zoneText(0, "global") + sled + cpu(0, "on-line") + cpu(1, "off-line") + cpu(2, "no-intr"),
    ({ subjectKey }) => (subjectKey === "" ? 9n : 1n),
  );
  expect(snapshots[1]).toMatchObject({ subject: { kind: "sled", startTimeNs: 9n }, timestampNs: AT });
  expect(values(snapshots[1]!.readings)).toEqual({ memory_total: 4_096_000n, memory_free: 40_960n, arc_size: 77n, cpus_online: 2n });
  const damaged = convert(sled + cpu(0, "on-line") + cpu(1, "on-lin"));
  expect(values(damaged.snapshots[0]!.readings)["cpus_online"]).toBe("[the state of a CPU could not be read]");
  expect(convert(zoneText(0, "global")).snapshots).toHaveLength(1);
});

describe("the sled's memory beside its zones", () => {
  const vminfo = (sum: bigint, updates: number, crtime = "0"): string =>
    lines("unix:0:vminfo", { crtime, snaptime: CLOCK, swap_avail: sum, updates });
  const swapFree = (text: string, swap: SwapMeans): unknown => values(convert(text, undefined, swap).snapshots[0]!.readings)["swap_free"];

  test("swap is the mean of what the kernel added up since the snapshot before, past 53 bits", () => {
    const swap = new SwapMeans();
    const sum = 2n ** 60n;
    expect(swapFree(vminfo(sum, 1_000), swap)).toBe("[two readings make a mean, and this is the first one]");
    // Ten seconds at 5,000,000 pages, then ten at 5,000,001 and 5,000,002.
    expect(swapFree(vminfo(sum + 50_000_000n, 1_010), swap)).toBe(5_000_000n * 4_096n);
    expect(swapFree(vminfo(sum + 100_000_015n, 1_020), swap)).toBe((50_000_015n * 4_096n) / 10n);
    expect(swapFree(vminfo(sum + 100_000_015n, 1_020), swap)).toBe("[the kernel has added nothing to vminfo since the reading before]");
    expect(swapFree(vminfo(7n, 3), swap)).toBe("[the kernel has added nothing to vminfo since the reading before]");
    expect(swapFree(vminfo(50n, 13, "4.000000000"), swap)).toBe("[two readings make a mean, and this is the first one]");
    expect(swapFree(vminfo(60n, 23, "4.000000000"), swap)).toBe(4_096n);
  });

  test("the reservoir is all that guests have or could have", () => {
    const parts = { bytes_free: 2n ** 40n, bytes_alloc: 2n ** 41n, bytes_transient_alloc: 4_096, bytes_limit: 2n ** 62n };
    const text = zoneText(0, "global") + lines("unix:0:system_pages", { crtime: "0", snaptime: CLOCK, physmem: 1, freemem: 1 });
    const reservoir = (more: Record<string, string | bigint | number>): unknown =>
      values(convert(text + lines("vmm:0:vmm_reservoir", { crtime: "9.000000000", snaptime: CLOCK, ...more })).snapshots[1]!.readings)[
        "vmm_reservoir"
      ];
    expect(reservoir(parts)).toBe(2n ** 40n + 2n ** 41n + 4_096n);
    expect(reservoir({ bytes_free: 1, bytes_alloc: 2 })).toBe("[the kstat vmm has no bytes_transient_alloc]");
  });
});
