import { renameSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCgroupSource } from "../../src/sources/cgroup.ts";
import { openIdentityBook, type IdentityBook } from "../../src/sources/identity.ts";
import type { Reading, Snapshot, Source, SourceReport } from "../../src/sources/source.ts";
import { CgroupFixture, unifiedGroup, V1_CPU, V1_MEMORY, V1_PIDS, type FixtureTree } from "../support/cgroup-fixture.ts";
import { ManualClock } from "../support/manual-clock.ts";

const S = 1_000_000_000n;
/** Plain files were made at about the real time; a day later they have an age. */
const NOW = BigInt(Date.now()) * 1_000_000n + 86_400n * S;
const never = new AbortController().signal;

let stateDir: string;
let clock: ManualClock;
let book: IdentityBook;
let fixture: CgroupFixture | undefined;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "zonemeter-cgroup-state-"));
  clock = new ManualClock(NOW, 5_000n * S);
  book = await openIdentityBook({ stateDir, clock });
});

afterEach(async () => {
  fixture?.remove();
  fixture = undefined;
  await rm(stateDir, { recursive: true, force: true });
});

function sourceOf(trees: ConstructorParameters<typeof CgroupFixture>[0]): Promise<Source> {
  fixture = new CgroupFixture(trees);
  return createCgroupSource({ book, clock, hostRoot: fixture.root });
}

async function sample(source: Source): Promise<SourceReport> {
  clock.pass(10n * S);
  return source.read(never);
}

function zone(report: SourceReport, zoneName: string): Snapshot {
  const found = report.snapshots.filter(({ subject }) => subject.kind === "zone" && subject.zoneName === zoneName);
  expect(found, zoneName).toHaveLength(1);
  return found[0]!;
}

function names(report: SourceReport): string[] {
  return report.snapshots.map(({ subject }) => (subject.kind === "zone" ? subject.zoneName : "(sled)")).sort();
}

/** Readings as `metric{label,label}` → value, or the reason in brackets. */
function values(snapshot: { readings: readonly Reading[] }): Record<string, bigint | number | string> {
  const out: Record<string, bigint | number | string> = {};
  for (const each of snapshot.readings) {
    const labels = Object.values(each.labels);
    out[labels.length === 0 ? each.metric : `${each.metric}{${labels.join(",")}}`] =
      each.value ?? `(${(each as { reason: string }).reason})`;
  }
  return out;
}

describe("cgroup v2", () => {
  const root: FixtureTree = { "cgroup.controllers": "cpu memory pids\n", "cpu.stat": "usage_usec 9\nuser_usec 5\nsystem_usec 4\n" };

  it("gives every statistic in base units", async () => {
    const report = await sample(await sourceOf({ unified: { ...root, "web.slice": { ...unifiedGroup(), "a.service": unifiedGroup() } } }));
    expect(names(report)).toEqual(["(sled)", "/web.slice/a.service", "global"]);
    expect(values(zone(report, "/web.slice/a.service"))).toEqual({
      "cpu_nsec{user}": 2_000_000_000n,
      "cpu_nsec{sys}": 1_500_001_000n,
      "cpu_nsec{waitrq}": "(the kernel keeps no run queue time for groups of this hierarchy)",
      cpu_throttled_nsec: 70_009_000n,
      cpu_cap: 1.5,
      memory_resident: 5_300_000n,
      memory_working_set: 7_500_000n,
      memory_peak: 12_000_000n,
      swap_used: 4_096n,
      memory_resident_cap: "(no cap is set)",
      processes: 17n,
      processes_cap: 512n,
      "pressure_nsec{cpu,some}": 4_001_000n,
      "pressure_nsec{cpu,full}": 0n,
      "pressure_nsec{memory,some}": 77_000n,
      "pressure_nsec{memory,full}": 66_000n,
      "pressure_nsec{io,some}": 55_000n,
      "pressure_nsec{io,full}": 44_000n,
    });
    expect(report).toMatchObject({ diagnostics: [], ended: false });
  });

  it("reads the machine itself", async () => {
    const report = await sample(await sourceOf({ unified: root }));
    const sled = report.snapshots.find(({ subject }) => subject.kind === "sled")!;
    expect(values(sled)).toEqual({ cpus_online: 4n, memory_total: 8_192_000_000n, memory_free: 3_072_001_024n, swap_free: 0n });
    expect(sled.subject.startTimeNs).toBe(1_799_990_000n * S < sled.timestampNs ? 1_799_990_000n * S : sled.timestampNs - 1n);
    expect(values(zone(report, "global"))).toMatchObject({ "cpu_nsec{user}": 5_000n, "cpu_nsec{sys}": 4_000n });
  });

  it("tells the ZFS cache where there is one", async () => {
    const source = await sourceOf({ unified: root });
    fixture!.write(
      "proc/spl/kstat/zfs/arcstats",
      "9 1 0x01 147 39984 1 2\nname                            type data\nsize_other 4 1\nsize                            4    18446744073709551615\n",
    );
    const sledOf = (report: SourceReport) => values(report.snapshots.find(({ subject }) => subject.kind === "sled")!);
    expect(sledOf(await sample(source))["arc_size"]).toBe(18_446_744_073_709_551_615n);
    fixture!.write("proc/spl/kstat/zfs/arcstats", "garbage\n");
    expect(sledOf(await sample(source))["arc_size"]).toBe("(arcstats has no readable size)");
  });

  it("takes the machine's CPU time from /proc/stat where the root group has none", async () => {
    const report = await sample(await sourceOf({ unified: { "cgroup.controllers": "cpu\n" } }));
    expect(values(zone(report, "global"))).toMatchObject({ "cpu_nsec{user}": 5_200_000_000n, "cpu_nsec{sys}": 3_100_000_000n });
  });

  it("gives a reason for each controller that is not enabled, and reads the rest", async () => {
    const group = {
      "cgroup.controllers": "\n",
      "cpu.stat": "usage_usec 3\nuser_usec 2\nsystem_usec 1\n",
      "cgroup.events": "populated 1\n",
    };
    const report = await sample(await sourceOf({ unified: { ...root, bare: group } }));
    expect(values(zone(report, "/bare"))).toEqual({
      "cpu_nsec{user}": 2_000n,
      "cpu_nsec{sys}": 1_000n,
      "cpu_nsec{waitrq}": "(the kernel keeps no run queue time for groups of this hierarchy)",
      cpu_throttled_nsec: "(the cpu controller is not enabled for the group)",
      cpu_cap: "(the cpu controller is not enabled for the group)",
      memory_resident: "(the memory controller is not enabled for the group)",
      memory_working_set: "(the memory controller is not enabled for the group)",
      memory_peak: "(the memory controller is not enabled for the group)",
      swap_used: "(the memory controller is not enabled for the group)",
      memory_resident_cap: "(the memory controller is not enabled for the group)",
      processes: "(the pids controller is not enabled for the group)",
      processes_cap: "(the pids controller is not enabled for the group)",
    });
  });

  it.each<[string, FixtureTree, Record<string, unknown>]>([
    [
      "cpu.stat without user",
      { "cpu.stat": "usage_usec 9\n" },
      { "cpu_nsec{user}": "(cpu.stat has no readable user_usec)", processes: 17n },
    ],
    [
      "cpu.stat with letters",
      { "cpu.stat": "user_usec 1x\nsystem_usec 4\n" },
      { "cpu_nsec{user}": "(cpu.stat has no readable user_usec)", memory_peak: 12_000_000n },
    ],
    ["an empty cpu.max", { "cpu.max": "" }, { cpu_cap: "(cpu.max does not hold a quota and a period)", "cpu_nsec{user}": 2_000_000_000n }],
    ["a period of 0", { "cpu.max": "5 0\n" }, { cpu_cap: "(cpu.max holds a period of 0)" }],
    [
      "a negative memory.current",
      { "memory.current": "-5\n" },
      { memory_working_set: "(memory.current does not hold a number)", memory_resident: 5_300_000n },
    ],
    ["a 64-bit memory.current", { "memory.current": "18446744073709551615\n" }, { memory_working_set: 18_446_744_073_707_051_615n }],
    ["more inactive file cache than memory", { "memory.current": "2499999\n" }, { memory_working_set: 0n }],
    [
      "a memory.stat that is a directory",
      { "memory.stat": {} },
      { memory_resident: "(memory.stat could not be read (EISDIR))", memory_peak: 12_000_000n, swap_used: 4_096n },
    ],
    [
      "pressure without a total",
      { "io.pressure": "some avg10=0.00\n" },
      { "pressure_nsec{io,some}": "(io.pressure has no readable total for some)", "pressure_nsec{cpu,some}": 4_001_000n },
    ],
    ["a limit", { "memory.max": "67108864\n" }, { memory_resident_cap: 67_108_864n }],
  ])("blanks nothing else because of %s", async (_what, broken, expected) => {
    const source = await sourceOf({ unified: root });
    // A directory in place of a file is made without a file there first.
    fixture!.write("sys/fs/cgroup/x", Object.fromEntries(Object.entries(unifiedGroup()).filter(([name]) => !(name in broken))));
    for (const [name, content] of Object.entries(broken))
      if (typeof content === "string") fixture!.write(`sys/fs/cgroup/x/${name}`, content);
    const report = await (typeof broken["memory.stat"] === "object" ? withDirectory(source) : sample(source));
    expect(values(zone(report, "/x"))).toMatchObject(expected);
  });

  /** In the kernel's file system a file is never a directory; a link to one reads the same and is no group. */
  async function withDirectory(source: Source): Promise<SourceReport> {
    symlinkSync("/", join(fixture!.root, "sys/fs/cgroup/x/memory.stat"));
    return sample(source);
  }

  it("has no memory.peak before Linux 5.19 and no pressure where that is switched off", async () => {
    const { "memory.peak": _peak, "cpu.pressure": _cpu, "memory.pressure": _memory, "io.pressure": _io, ...old } = unifiedGroup();
    const read = values(zone(await sample(await sourceOf({ unified: { ...root, old } })), "/old"));
    expect(read["memory_peak"]).toBe("(memory.peak is not there)");
    expect(Object.keys(read).filter((key) => key.startsWith("pressure_nsec"))).toEqual([]);
    expect(read["memory_resident"]).toBe(5_300_000n);
  });
});

describe("cgroup v1", () => {
  it("gives every statistic in base units, from co-mounted controllers too", async () => {
    const v1 = {
      "cpu,cpuacct": { ...V1_CPU, docker: { ...V1_CPU, c1: V1_CPU } },
      memory: { docker: { c1: V1_MEMORY } },
      pids: { docker: { c1: V1_PIDS } },
    };
    const report = await sample(await sourceOf({ v1 }));
    expect(names(report)).toEqual(["(sled)", "/docker/c1", "global"]);
    expect(values(zone(report, "/docker/c1"))).toEqual({
      "cpu_nsec{user}": 2_000_000_000n,
      "cpu_nsec{sys}": 1_500_000_000n,
      "cpu_nsec{waitrq}": "(cpu.stat has no readable wait_sum)",
      cpu_throttled_nsec: 70_000_009n,
      cpu_cap: 0.5,
      memory_resident: 5_300_000n,
      memory_working_set: 7_500_000n,
      memory_peak: 12_000_000n,
      swap_used: 4_096n,
      memory_resident_cap: "(no cap is set)",
      processes: 17n,
      processes_cap: "(no cap is set)",
    });
  });

  it("has the time in the run queue where the kernel keeps it", async () => {
    const cpu = {
      ...V1_CPU,
      "cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0\nwait_sum 123456789\n",
      "cpu.cfs_quota_us": "-1\n",
    };
    const read = values(zone(await sample(await sourceOf({ v1: { "cpu,cpuacct": { ...V1_CPU, a: cpu } } })), "/a"));
    expect(read).toMatchObject({ "cpu_nsec{waitrq}": 123_456_789n, cpu_cap: "(no cap is set)" });
  });

  it("joins groups by path and reports one without CPU time with what it has", async () => {
    const v1 = {
      "cpu,cpuacct": { ...V1_CPU, both: V1_CPU },
      memory: { both: V1_MEMORY, only: V1_MEMORY },
      pids: { both: { deeper: V1_PIDS } },
    };
    const report = await sample(await sourceOf({ v1 }));
    expect(names(report)).toEqual(["(sled)", "/both/deeper", "/only", "global"]);
    expect(values(zone(report, "/only"))).toMatchObject({
      memory_resident: 5_300_000n,
      "cpu_nsec{user}": "(the group is not in the cpuacct hierarchy)",
    });
    expect(values(zone(report, "/both/deeper"))).toMatchObject({
      processes: 17n,
      memory_resident: "(the group is not in the memory hierarchy)",
    });
  });

  /** A kernel whose parts are bare ticks: the root's do not add up. */
  const tickRoot = { ...V1_CPU, "cpuacct.usage": "3500000001\n" };
  const ticks = (usageNs: bigint, sysTicks: number): FixtureTree => ({
    ...V1_CPU,
    "cpuacct.usage": `${usageNs}\n`,
    "cpuacct.stat": `user 0\nsystem ${sysTicks}\n`,
  });

  it("keeps the exact sum where the kernel's parts are bare timer ticks, and neither part ever falls", async () => {
    const source = await sourceOf({ v1: { "cpu,cpuacct": { ...tickRoot, g: ticks(100_000_000n, 3) } } });
    let last = { user: 0n, sys: 0n };
    for (const [usageNs, sysTicks] of [
      [100_000_000n, 3],
      [100_000_001n, 4],
      [100_000_500n, 4],
      [130_000_000n, 4],
      [131_000_000n, 7],
      [400_000_000n, 9],
    ] as const) {
      fixture!.write("sys/fs/cgroup/cpu,cpuacct/g", ticks(usageNs, sysTicks));
      const read = values(zone(await sample(source), "/g"));
      const now = { user: read["cpu_nsec{user}"] as bigint, sys: read["cpu_nsec{sys}"] as bigint };
      expect(now.user + now.sys).toBe(usageNs);
      expect(now.user).toBeGreaterThanOrEqual(last.user);
      expect(now.sys).toBeGreaterThanOrEqual(last.sys);
      last = now;
    }
    expect(last.sys).toBe(90_000_000n);
  });

  it("lets neither part fall over a restart of the agent", async () => {
    const source = await sourceOf({ v1: { "cpu,cpuacct": { ...tickRoot, g: ticks(100_000_000n, 3) } } });
    await sample(source);
    fixture!.write("sys/fs/cgroup/cpu,cpuacct/g", ticks(101_000_000n, 4));
    const before = values(zone(await sample(source), "/g"));
    // It was killed, not closed.
    book = await openIdentityBook({ stateDir, clock });
    const again = await createCgroupSource({ book, clock, hostRoot: fixture!.root });
    fixture!.write("sys/fs/cgroup/cpu,cpuacct/g", ticks(101_000_100n, 4));
    const first = values(zone(await sample(again), "/g"));
    expect(first["cpu_nsec{user}"]).toBeGreaterThanOrEqual(before["cpu_nsec{user}"] as bigint);
    expect(first["cpu_nsec{sys}"]).toBeGreaterThanOrEqual(before["cpu_nsec{sys}"] as bigint);
    expect((first["cpu_nsec{user}"] as bigint) + (first["cpu_nsec{sys}"] as bigint)).toBeLessThanOrEqual(101_000_100n + 10_000_000n);
    fixture!.write("sys/fs/cgroup/cpu,cpuacct/g", ticks(201_000_000n, 8));
    const later = values(zone(await sample(again), "/g"));
    expect((later["cpu_nsec{user}"] as bigint) + (later["cpu_nsec{sys}"] as bigint)).toBe(201_000_000n);
  });
});

describe("cgroup hybrid", () => {
  it("takes CPU time and pressure of groups that only the unified hierarchy has from there", async () => {
    const { "memory.pressure": _memory, ...pressure } = { "cpu.pressure": "some avg10=0.00 total=5\n", "memory.pressure": "" };
    const unified = {
      "cgroup.controllers": "\n",
      "system.slice": {
        "a.service": { "cgroup.controllers": "\n", "cpu.stat": "usage_usec 5\nuser_usec 3\nsystem_usec 2\n", ...pressure },
      },
    };
    const v1 = {
      "cpu,cpuacct": { ...V1_CPU, "system.slice": V1_CPU, j: V1_CPU },
      memory: { "system.slice": { "a.service": V1_MEMORY } },
      pids: {},
    };
    const report = await sample(await sourceOf({ v1, unified }));
    expect(names(report)).toEqual(["(sled)", "/j", "/system.slice/a.service", "global"]);
    const read = values(zone(report, "/system.slice/a.service"));
    expect(read).toMatchObject({
      "cpu_nsec{user}": 3_000n,
      "cpu_nsec{sys}": 2_000n,
      memory_resident: 5_300_000n,
      "pressure_nsec{cpu,some}": 5_000n,
    });
    expect(read).not.toHaveProperty("pressure_nsec{cpu,full}");
  });
});

describe("cgroup identity", () => {
  const trees = (usage: number): { unified: FixtureTree } => ({
    unified: { "cgroup.controllers": "\n", g: unifiedGroup({ "cpu.stat": `usage_usec ${usage}\nuser_usec ${usage}\nsystem_usec 0\n` }) },
  });

  /** The new directory is there before the old one goes, so that it has another inode, as the kernel's always have. */
  function makeAnew(name: string, tree: FixtureTree | string): void {
    fixture!.write(`spare/${name}`, tree);
    fixture!.remove(`sys/fs/cgroup/${name}`);
    renameSync(join(fixture!.root, "spare", name), join(fixture!.root, "sys/fs/cgroup", name));
  }

  it("stays the same from sample to sample and over a restart of the agent", async () => {
    const source = await sourceOf(trees(5));
    const first = zone(await sample(source), "/g").subject;
    expect(zone(await sample(source), "/g").subject).toEqual(first);
    await book.close();
    book = await openIdentityBook({ stateDir, clock });
    expect(zone(await sample(await createCgroupSource({ book, clock, hostRoot: fixture!.root })), "/g").subject).toEqual(first);
    expect(first).toMatchObject({ kind: "zone", zoneType: "", zoneId: "00000000-0000-0000-0000-000000000000" });
    // The directory's own time: about now, a day before the clock of this test.
    expect(first.startTimeNs).toBeLessThan(NOW - 80_000n * S);
  });

  it("changes when a group is made anew under its name, and begins after the last stamp of the old one", async () => {
    const source = await sourceOf(trees(900));
    const old = zone(await sample(source), "/g");
    makeAnew("g", trees(1).unified["g"]!);
    const fresh = zone(await sample(source), "/g");
    expect((fresh.subject as { incarnation: string }).incarnation).not.toBe((old.subject as { incarnation: string }).incarnation);
    expect(fresh.subject.startTimeNs).toBeGreaterThan(old.timestampNs);
    expect(fresh.subject.startTimeNs).toBeLessThan(fresh.timestampNs);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("is not mixed up where a group is made anew while it is read, at the clock's look %i", async (at) => {
    const source = await sourceOf(trees(900));
    const old = zone(await sample(source), "/g").subject;
    const look = clock.wallNs.bind(clock);
    let looks = 0;
    // The clock is read between the looks at each group, among other times.
    clock.wallNs = () => {
      looks += 1;
      if (looks === at) {
        makeAnew("g", trees(3_000).unified["g"]!);
      }
      return look();
    };
    for (const snapshot of (await sample(source)).snapshots) {
      if (snapshot.subject.kind !== "zone" || snapshot.subject.zoneName !== "/g") continue;
      expect(values(snapshot)["cpu_nsec{user}"]).toBe(
        snapshot.subject.incarnation === (old as typeof snapshot.subject).incarnation ? 900_000n : 3_000_000n,
      );
    }
    expect(values(zone(await sample(source), "/g"))["cpu_nsec{user}"]).toBe(3_000_000n);
  });

  it("changes when counters begin again on the same directory, and is remembered then", async () => {
    const source = await sourceOf(trees(50_000_000));
    const old = zone(await sample(source), "/g");
    fixture!.write("sys/fs/cgroup/g/cpu.stat", "usage_usec 9\nuser_usec 9\nsystem_usec 0\n");
    const fresh = zone(await sample(source), "/g").subject;
    expect(fresh.startTimeNs).toBeGreaterThan(old.timestampNs);
    expect(zone(await sample(source), "/g").subject).toEqual(fresh);
    book = await openIdentityBook({ stateDir, clock });
    expect(zone(await sample(await createCgroupSource({ book, clock, hostRoot: fixture!.root })), "/g").subject).toEqual(fresh);
  });

  it("does not believe a directory that is younger than its CPU time allows", async () => {
    const days = 2n * 4n;
    const source = await sourceOf(trees(Number(days * 86_400n * 1_000_000n)));
    const { subject, timestampNs } = zone(await sample(source), "/g");
    // Four CPUs used up eight days of CPU time, so two days at least; the files are one day old.
    expect(timestampNs - subject.startTimeNs).toBe(2n * 86_400n * S);
  });

  it("drops groups that vanish and takes up those that appear", async () => {
    const source = await sourceOf(trees(5));
    expect(names(await sample(source))).toContain("/g");
    fixture!.remove("sys/fs/cgroup/g");
    fixture!.write("sys/fs/cgroup/h", unifiedGroup());
    expect(names(await sample(source))).toEqual(["(sled)", "/h", "global"]);
  });
});

describe("cgroup layout", () => {
  it("makes the source unavailable where there is none, naming what is missing", async () => {
    fixture = new CgroupFixture({});
    await expect(createCgroupSource({ book, clock, hostRoot: fixture.root })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("No cgroup hierarchy"),
    });
    fixture.remove("proc");
    await expect(createCgroupSource({ book, clock, hostRoot: fixture.root })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("needs Linux"),
    });
  });

  it("finds mounts in odd places and prefers the one that shows the whole hierarchy", async () => {
    fixture = new CgroupFixture({});
    fixture.write("mnt/odd dir", { "cgroup.controllers": "\n", inside: unifiedGroup() });
    fixture.write("part", { "cgroup.controllers": "\n", wrong: unifiedGroup() });
    fixture.write(
      "proc/1/mountinfo",
      "1 0 0:1 /part /part rw - cgroup2 none rw\n2 0 0:1 / /mnt/odd\\040dir rw shared:1 master:2 - cgroup2 none rw\nrubbish\n\n",
    );
    expect(names(await sample(await createCgroupSource({ book, clock, hostRoot: fixture.root })))).toEqual(["(sled)", "/inside", "global"]);
  });

  it("stops when it is told to", async () => {
    const group = { "cpu.stat": "usage_usec 3\nuser_usec 2\nsystem_usec 1\n" };
    const source = await sourceOf({
      unified: { "cgroup.controllers": "\n", ...Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`g${i}`, group])) },
    });
    const controller = new AbortController();
    const reading = source.read(controller.signal);
    controller.abort(new Error("the deadline has passed"));
    await expect(reading).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("the deadline has passed") });
    expect(names(await sample(source))).toHaveLength(402);
  });
});
