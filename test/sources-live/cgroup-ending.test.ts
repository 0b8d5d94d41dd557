import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NIL_UUID } from "../../src/core/index.ts";
import { FinalReadings } from "../../src/sources/cgroup-finals.ts";
import { GroupWatch } from "../../src/sources/cgroup-watch.ts";
import { createCgroupSource } from "../../src/sources/cgroup.ts";
import { openIdentityBook } from "../../src/sources/identity.ts";
import type { Snapshot } from "../../src/sources/source.ts";
import { CgroupFixture, unifiedGroup } from "../support/cgroup-fixture.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;

/** Called between the reading of a group's CPU time and that of its memory. */
let betweenCpuAndMemory = (): void => undefined;
vi.mock(import("../../src/sources/cgroup-memory.ts"), async (importOriginal) => {
  const actual = await importOriginal();
  return {
    ...actual,
    memoryReadings: (...args: Parameters<typeof actual.memoryReadings>) => {
      betweenCpuAndMemory();
      return actual.memoryReadings(...args);
    },
  };
});

const removals: (() => void)[] = [];
afterEach(() => {
  betweenCpuAndMemory = () => undefined;
  for (const remove of removals.splice(0)) remove();
});

describe("a group that vanishes half way through its reading", () => {
  it.each([
    ["goes", () => undefined],
    ["is made anew", (fixture: CgroupFixture) => renameSync(join(fixture.root, "spare"), join(fixture.root, "sys/fs/cgroup/web"))],
  ])("%s: its CPU time is kept, and nothing is taken from what came after it", async (_what, then) => {
    const fixture = new CgroupFixture({ unified: { "cgroup.controllers": "cpu memory pids\n", web: unifiedGroup() } });
    fixture.write("spare", unifiedGroup());
    removals.push(() => fixture.remove());
    const clock = new ManualClock(BigInt(Date.now()) * 1_000_000n + 86_400_000_000_000n);
    const source = await createCgroupSource({ book: await openIdentityBook({ stateDir: null, clock }), clock, hostRoot: fixture.root });
    removals.push(() => void source.close());
    let reads = 0;
    betweenCpuAndMemory = () => {
      // The root group comes first.
      if (++reads !== 2) return;
      fixture.remove("sys/fs/cgroup/web");
      then(fixture);
    };
    const { snapshots } = await source.read(never);
    const web = snapshots.find(({ subject }) => subject.kind === "zone" && subject.zoneName === "/web")!;
    const measured = web.readings.filter(({ value }) => value !== null);
    expect(measured.map(({ metric, labels, value }) => [metric, labels["state"], value])).toEqual([
      ["cpu_nsec", "user", 2_000_000_000n],
      ["cpu_nsec", "sys", 1_500_001_000n],
    ]);
    const reasons = new Set(web.readings.flatMap((each) => (each.value === null ? each.reason : [])));
    expect(reasons).toEqual(new Set(["the group vanished while it was read"]));
  });
});

describe("last readings", () => {
  const snapshot = (incarnation: string, value: bigint): Snapshot => ({
    source: "cgroup",
    subject: { kind: "zone", zoneName: "/a", zoneType: "", zoneId: NIL_UUID, incarnation, startTimeNs: 1n },
    sled: null,
    timestampNs: value,
    readings: [],
  });

  it("are one for each incarnation, the latest", () => {
    const finals = new FinalReadings();
    for (const [incarnation, at] of [
      ["x", 5n],
      ["x", 6n],
      ["y", 7n],
      ["y", 8n],
    ] as const)
      finals.add("/a", () => snapshot(incarnation, at));
    expect(
      finals
        .take()
        .map(({ timestampNs }) => timestampNs)
        .sort(),
    ).toEqual([6n, 8n]);
    expect(finals.take()).toEqual([]);
  });

  it("are not taken again and again of a group that runs empty all the time", () => {
    const finals = new FinalReadings();
    let reads = 0;
    const flap = (): void => {
      for (let i = 0; i < 1_000; i++) finals.add("/a", () => snapshot("x", BigInt(++reads)));
    };
    flap();
    expect(reads).toBe(8);
    expect(finals.take()).toHaveLength(1);
    flap();
    expect(reads).toBe(16);
  });
});

describe("the watch", () => {
  it("tells of groups that run empty, follows new ones, leaves out those above others, and says where it cannot watch all", async () => {
    const root = mkdtempSync(join(tmpdir(), "zonemeter-watch-"));
    removals.push(() => rmSync(root, { recursive: true }));
    const put = (path: string, populated: 0 | 1): void =>
      writeFileSync(`${root}${path}/cgroup.events`, `populated ${populated}\nfrozen 0\n`);
    const make = (path: string): void => {
      mkdirSync(root + path);
      put(path, 1);
    };
    for (const path of ["/a", "/b", "/b/c"]) make(path);
    const told: string[] = [];
    const watch = new GroupWatch(root, (path) => told.push(path), 6);
    removals.push(() => watch.close());
    watch.follow(new Set(["/a", "/b", "/b/c"]));
    expect(watch.failure).toBeNull();
    const tells = (path: string): Promise<true> => until(`${path} to be told`, 5_000, async () => (told.includes(path) ? true : undefined));
    put("/b", 0);
    put("/a", 0);
    await tells("/a");
    put("/b/c", 0);
    await tells("/b/c");
    expect(told).not.toContain("/b");

    // A group that is whole at once, with one below it, as one that was made before its parent could be watched.
    mkdirSync(`${root}-d/in`, { recursive: true });
    for (const path of ["-d", "-d/in"]) put(path, 0);
    renameSync(`${root}-d`, `${root}/d`);
    await tells("/d/in");
    expect(told).not.toContain("/d");
    for (const path of ["/e", "/f"]) make(path);
    watch.follow(new Set(["/a", "/b", "/b/c", "/d", "/e", "/f"]));
    expect(watch.failure).toBe("there are more than 6 groups");
    watch.follow(new Set(["/e", "/f"]));
    expect(watch.failure).toBeNull();
    told.length = 0;
    put("/a", 0);
    put("/f", 0);
    await tells("/f");
    expect(told).not.toContain("/a");
  });
});
