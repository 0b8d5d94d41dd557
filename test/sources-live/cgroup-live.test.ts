import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/index.ts";
import { createCgroupSource } from "../../src/sources/cgroup.ts";
import { openIdentityBook, type IdentityBook } from "../../src/sources/identity.ts";
import type { Snapshot, Source, SourceReport } from "../../src/sources/source.ts";
import { openDescriptors } from "../support/open-descriptors.ts";
import { RealCgroups } from "../support/real-cgroups.ts";

const never = new AbortController().signal;
const groups = new RealCgroups();
const GROUP = `zonemeter-test-${process.pid}`;
const obstacle = groups.obstacle;
const isLinux = process.platform === "linux";

let stateDir: string;
let book: IdentityBook;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "zonemeter-live-state-"));
  book = await openIdentityBook({ stateDir, clock: systemClock });
});

afterEach(async () => {
  await groups.removeAll();
  await rm(stateDir, { recursive: true, force: true });
});

const open = (): Promise<Source> => createCgroupSource({ book, clock: systemClock });

function find(report: SourceReport, zoneName: string): Snapshot | undefined {
  return report.snapshots.find(({ subject }) => subject.kind === "zone" && subject.zoneName === zoneName);
}

async function zone(source: Source, zoneName: string): Promise<Snapshot> {
  const found = find(await source.read(never), zoneName);
  expect(found, zoneName).toBeDefined();
  return found!;
}

function value(snapshot: Snapshot, metric: string, label?: string): bigint | number | null | undefined {
  return snapshot.readings.find((each) => each.metric === metric && (label === undefined || Object.values(each.labels).includes(label)))
    ?.value;
}

function cpuNs(snapshot: Snapshot): bigint {
  return (value(snapshot, "cpu_nsec", "user") as bigint) + (value(snapshot, "cpu_nsec", "sys") as bigint);
}

/** The kernel says that a group is empty a little before its last process has left the CPU. */
function expectAllOf(readNs: bigint, usedNs: bigint): void {
  expect(readNs).toBeLessThanOrEqual(usedNs);
  expect(Number(usedNs - readNs)).toBeLessThan(0.02 * Number(usedNs));
}

/** False where this user may not. */
function mayDropCaches(): boolean {
  try {
    writeFileSync("/proc/sys/vm/drop_caches", "2");
    return true;
  } catch {
    return false;
  }
}

describe.runIf(isLinux)("this machine", () => {
  it("tells why no groups can be made, where that is so", () => {
    if (obstacle !== null) console.warn(`The tests with real control groups are left out: ${obstacle}.`);
    expect(obstacle === null || obstacle.length > 0).toBe(true);
  });

  it("is measured as a whole, with a start time that stays", async () => {
    const source = await open();
    const first = await zone(source, "global");
    const second = await zone(source, "global");
    expect(cpuNs(first)).toBeGreaterThan(0n);
    expect(cpuNs(second)).toBeGreaterThanOrEqual(cpuNs(first));
    expect(second.subject).toEqual(first.subject);
    expect(second.timestampNs).toBeGreaterThan(first.timestampNs);
    const sled = (await source.read(never)).snapshots.find(({ subject }) => subject.kind === "sled")!;
    expect(value(sled, "cpus_online")).toBeGreaterThan(0n);
    expect(value(sled, "memory_total")).toBeGreaterThan(value(sled, "memory_free") as bigint);
  });

  it("reports no group that is above another one", async () => {
    const { snapshots } = await (await open()).read(never);
    const paths = snapshots.flatMap(({ subject }) => (subject.kind === "zone" && subject.zoneName !== "global" ? [subject.zoneName] : []));
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) expect(paths.filter((other) => other.startsWith(`${path}/`))).toEqual([]);
  });

  it("is read a thousand times without a descriptor left open", async () => {
    const source = await open();
    await source.read(never);
    const before = openDescriptors();
    for (let i = 0; i < 1_000; i++) await source.read(never);
    expect(openDescriptors()).toBe(before);
  });
});

describe.runIf(isLinux && obstacle === null)("real control groups", () => {
  it("show up with the sample after they were made, with the kernel's own CPU time, and keep it when the load has ended", async () => {
    const source = await open();
    expect(find(await source.read(never), `/${GROUP}`)).toBeUndefined();
    groups.make(GROUP);
    const load = await groups.run(
      GROUP,
      "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo half; read go; while [ $i -lt 800000 ]; do i=$((i+1)); done; echo done",
    );
    await once(load.stdout!, "data");
    const lowNs = groups.cpuNs(GROUP);
    const first = await zone(source, `/${GROUP}`);
    const highNs = groups.cpuNs(GROUP);
    expect(cpuNs(first)).toBeGreaterThanOrEqual(lowNs);
    expect(cpuNs(first)).toBeLessThanOrEqual(highNs);
    load.stdin!.end("go\n");
    await once(load, "close");
    const second = await zone(source, `/${GROUP}`);
    const used = Number(cpuNs(second) - cpuNs(first));
    const kernel = Number(groups.cpuNs(GROUP) - highNs);
    expect(Math.abs(used - kernel)).toBeLessThan(0.02 * kernel);
    expect(cpuNs(second)).toBe(groups.cpuNs(GROUP));
    expect(second.subject).toEqual(first.subject);
    // A loop in user mode.
    expect(Number(value(second, "cpu_nsec", "user"))).toBeGreaterThan(0.5 * Number(cpuNs(second)));
  });

  it("give memory, tasks and caps", async () => {
    groups.make(GROUP);
    groups.limit(GROUP, 1.5, 512 * 1_048_576, 40);
    const script = `const b = Buffer.alloc(96 * 1048576, 1); console.log(b.length); setInterval(() => b[0]++, 1000);`;
    const child = await groups.run(GROUP, `exec "${process.execPath}" -e '${script}'`);
    await once(child.stdout!, "data");
    const snapshot = await zone(await open(), `/${GROUP}`);
    const resident = Number(value(snapshot, "memory_resident"));
    expect(resident).toBeGreaterThan(96 * 1_048_576);
    expect(resident).toBeLessThan(400 * 1_048_576);
    expect(Number(value(snapshot, "memory_working_set"))).toBeGreaterThan(96 * 1_048_576);
    expect(value(snapshot, "memory_peak")).toBeGreaterThanOrEqual(value(snapshot, "memory_working_set") as bigint);
    expect(value(snapshot, "swap_used")).toBe(0n);
    expect(value(snapshot, "processes")).toBeGreaterThan(1n);
    expect(value(snapshot, "cpu_cap")).toBe(1.5);
    expect(value(snapshot, "memory_resident_cap")).toBe(512n * 1_048_576n);
    expect(value(snapshot, "processes_cap")).toBe(40n);
    expect(value(snapshot, "cpu_throttled_nsec")).toBeGreaterThanOrEqual(0n);
  });

  it("are the deepest ones only, and an emptied one goes on", async () => {
    groups.make(`${GROUP}/inner`);
    const load = await groups.run(`${GROUP}/inner`, "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done");
    await once(load, "close");
    const source = await open();
    const report = await source.read(never);
    expect(find(report, `/${GROUP}`)).toBeUndefined();
    expect(cpuNs(find(report, `/${GROUP}/inner`)!)).toBe(groups.cpuNs(`${GROUP}/inner`));
  });

  it("keep their start time when the kernel drops its caches, and over a restart of the agent after that", async () => {
    groups.make(GROUP);
    const before = await zone(await open(), `/${GROUP}`);
    const { ctimeNs } = statSync(groups.directory(GROUP), { bigint: true });
    // The kernel gives a directory a new change time when it has to make its inode anew; whether it drops one is up to the kernel.
    const wasDropped = (): boolean => statSync(groups.directory(GROUP), { bigint: true }).ctimeNs > ctimeNs;
    for (let attempt = 0; attempt < 10 && mayDropCaches() && !wasDropped(); attempt++);
    const after = await zone(await open(), `/${GROUP}`);
    expect(after.subject).toEqual(before.subject);
    await book.close();
    book = await openIdentityBook({ stateDir, clock: systemClock });
    expect((await zone(await open(), `/${GROUP}`)).subject).toEqual(before.subject);
  });

  it("are another incarnation when they are made again under their name", async () => {
    groups.make(GROUP);
    const source = await open();
    const old = await zone(source, `/${GROUP}`);
    groups.remove(GROUP);
    groups.make(GROUP);
    const fresh = await zone(source, `/${GROUP}`);
    expect(fresh.subject).not.toEqual(old.subject);
    expect(fresh.subject.startTimeNs).toBeGreaterThan(old.timestampNs);
    expect(fresh.subject.startTimeNs).toBeLessThan(fresh.timestampNs);
    expect(cpuNs(fresh)).toBe(0n);
  });

  it.runIf(groups.tellEmptied)(
    "are read when their last process ends, so that nothing is lost of those that are gone by the next sample",
    async () => {
      const source = await open();
      groups.make(GROUP);
      const load = await groups.run(GROUP, "echo in; read go; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
      await once(load.stdout!, "data");
      const before = await zone(source, `/${GROUP}`);
      const emptied = groups.emptied(GROUP);
      load.stdin!.end("go\n");
      await emptied;
      const usedNs = groups.cpuNs(GROUP);
      groups.remove(GROUP);
      const last = await zone(source, `/${GROUP}`);
      expect(last.subject).toEqual(before.subject);
      expect(last.timestampNs).toBeGreaterThan(before.timestampNs);
      expectAllOf(cpuNs(last), usedNs);
      expect(cpuNs(last)).toBeGreaterThan(cpuNs(before));
      expect(find(await source.read(never), `/${GROUP}`)).toBeUndefined();
      await source.close();
    },
  );

  it.runIf(groups.tellEmptied)("that live for less than an interval are read once, with all that they used", async () => {
    const source = await open();
    await source.read(never);
    groups.make(`${GROUP}/pod`);
    const load = await groups.run(`${GROUP}/pod`, "echo in; read go; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done");
    await once(load.stdout!, "data");
    const emptied = groups.emptied(`${GROUP}/pod`);
    load.stdin!.end("go\n");
    await emptied;
    const usedNs = groups.cpuNs(`${GROUP}/pod`);
    groups.remove(`${GROUP}/pod`);
    groups.remove(GROUP);
    const report = await source.read(never);
    const only = find(report, `/${GROUP}/pod`)!;
    expectAllOf(cpuNs(only), usedNs);
    expect(only.subject.startTimeNs).toBeLessThan(only.timestampNs);
    // Its parent's numbers hold the same time once more.
    expect(find(report, `/${GROUP}`)).toBeUndefined();
    await source.close();
  });

  it("may come and go while they are read", async () => {
    groups.make(GROUP);
    const names = Array.from({ length: 40 }, (_, i) => `${GROUP}/churn${i}`);
    for (const name of names) groups.make(name);
    const directories = names.map((name) => groups.directory(name)).join(" ");
    const churn = spawn("sh", ["-c", `while :; do for d in ${directories}; do rmdir $d; mkdir $d; done; done`], { stdio: "ignore" });
    await once(churn, "spawn");
    try {
      const source = await open();
      const incarnations = new Map<string, { startTimeNs: bigint; timestampNs: bigint }>();
      for (let i = 0; i < 60; i++) {
        for (const { subject, timestampNs, readings } of (await source.read(never)).snapshots) {
          if (subject.kind !== "zone") continue;
          expect(subject.startTimeNs).toBeLessThan(timestampNs);
          expect(readings.some((reading) => reading.value !== null)).toBe(true);
          const last = incarnations.get(subject.zoneName);
          if (last !== undefined && last.startTimeNs !== subject.startTimeNs) expect(subject.startTimeNs).toBeGreaterThan(last.timestampNs);
          incarnations.set(subject.zoneName, { startTimeNs: subject.startTimeNs, timestampNs });
        }
      }
      expect([...incarnations.keys()].filter((name) => name.includes("churn")).length).toBeGreaterThan(0);
    } finally {
      churn.kill("SIGKILL");
      await once(churn, "close");
    }
  });

  it("are measured by the thousand without any other work waiting long", async () => {
    groups.make(GROUP);
    for (let i = 0; i < 1_000; i++) groups.make(`${GROUP}/g${i}`);
    const before = openDescriptors();
    const source = await open();
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const report = await source.read(never);
    clearInterval(timer);
    expect(report.snapshots.filter(({ subject }) => subject.kind === "zone" && subject.zoneName.startsWith(`/${GROUP}/g`))).toHaveLength(
      1_000,
    );
    // Timers had turns in between: the read does not hold the event loop for its whole length.
    expect(turns).toBeGreaterThan(3);
    expect(openDescriptors()).toBe(before);
  });
});
