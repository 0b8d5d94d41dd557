import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldValue } from "../../src/core/index.ts";
import { readResultJson, type Table } from "../../src/oxql/index.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { until } from "../support/until.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";

const ROOT = "/sys/fs/cgroup";
const GROUP = `zonemeter-live-${process.pid}`;
/** v1 hierarchies that this test makes its group in, or the one of v2. */
const HIERARCHIES = existsSync(join(ROOT, "cgroup.controllers"))
  ? [ROOT]
  : ["cpu", "cpuacct", "memory", "pids"].map((name) => join(ROOT, name)).filter(existsSync);
const canMakeGroups = ((): boolean => {
  try {
    for (const hierarchy of HIERARCHIES) mkdirSync(join(hierarchy, GROUP));
    return HIERARCHIES.length > 0;
  } catch {
    return false;
  }
})();

let folder: string;
let url: string;
let args: string[];
let up: ZonemeterProcess;
let load: ChildProcess | undefined;

async function ask(query: string): Promise<Table[]> {
  const done = await runZonemeter(["query", "--url", url, "--format", "json", query]);
  expect(done.stderr).toBe("");
  return readResultJson(done.stdout) as Table[];
}

/** The group's CPU time as stored: the sum of all increases from its start, when it was last sampled, and when it began. */
async function storedCpu(): Promise<{ totalNs: bigint; timestampNs: bigint; startTimeNs: bigint } | undefined> {
  const [table] = await ask(`get zone_resource:cpu_nsec | filter zone_name == "/${GROUP}" && state != "waitrq"`);
  const series = table!.timeseries;
  if (series.length < 2) return undefined;
  let totalNs = 0n;
  for (const each of series)
    for (const increase of Array.from(each.points.dimensions[0]!.values.values as ArrayLike<bigint>)) totalNs += increase;
  return { totalNs, timestampNs: series[0]!.points.timestampsNs.at(-1)!, startTimeNs: series[0]!.points.startTimesNs![0]! };
}

/** What the kernel itself says the group has used, in ns. */
function kernelCpuNs(): bigint {
  const v1 = join(ROOT, "cpuacct", GROUP, "cpuacct.usage");
  if (existsSync(v1)) return BigInt(readFileSync(v1, "utf8").trim());
  return BigInt(/usage_usec (\d+)/.exec(readFileSync(join(ROOT, GROUP, "cpu.stat"), "utf8"))![1]!) * 1000n;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-live-"));
  const base = await freePortBase();
  url = `http://127.0.0.1:${base + 60}`;
  args = ["up", "--data-dir", join(folder, "data"), "--port-base", String(base), "--sample-interval", "1s", "--collect-interval", "2s"];
  up = new ZonemeterProcess(args);
  await up.line("ready ");
}, 60_000);

afterAll(async () => {
  up.kill("SIGKILL");
  await up.finished;
  if (load !== undefined) {
    load.kill("SIGKILL");
    await once(load, "close");
  }
  if (canMakeGroups)
    for (const hierarchy of HIERARCHIES) await until("the group to be empty", 5_000, async () => removed(join(hierarchy, GROUP)));
  await rm(folder, { recursive: true, force: true });
});

async function removed(path: string): Promise<true | undefined> {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return undefined;
  }
}

describe("live cgroups through the whole path", () => {
  it("answers for the machine itself as soon as it is ready", async () => {
    const [table] = await ask(`get zone_resource:cpu_nsec | filter state == "user" | last 1`);
    const names = table!.timeseries.map((series) => fieldValue(series.fields, "zone_name")?.value);
    expect(names).toContain("global");
    expect(new Set(table!.timeseries.map((series) => fieldValue(series.fields, "source")?.value))).toEqual(new Set(["cgroup"]));
  });

  it.runIf(canMakeGroups)("shows a group that is made and loaded, with the kernel's own CPU time", async () => {
    load = spawn("sh", ["-c", "read go; i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done; echo done; read end"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    for (const hierarchy of HIERARCHIES) writeFileSync(join(hierarchy, GROUP, "cgroup.procs"), String(load.pid));
    load.stdin!.write("go\n");
    await once(load.stdout!, "data");
    const usedNs = Number(kernelCpuNs());
    const seen = await until("the group's CPU time to be stored", 20_000, async () => {
      const newest = await storedCpu();
      return newest !== undefined && Number(newest.totalNs) > 0.98 * usedNs ? newest : undefined;
    });
    expect(Number(seen.totalNs)).toBeLessThan(1.02 * Number(kernelCpuNs()));
  });

  it.runIf(canMakeGroups)("goes on with the same timeseries after SIGKILL", async () => {
    const before = (await storedCpu())!;
    up.kill("SIGKILL");
    await up.finished;
    up = new ZonemeterProcess(args);
    await up.line("ready ");
    const after = await until("a newer sample", 20_000, async () => {
      const newest = await storedCpu();
      return newest !== undefined && newest.timestampNs > before.timestampNs ? newest : undefined;
    });
    expect(after.startTimeNs).toBe(before.startTimeNs);
    const [all] = await ask(`get zone_resource:cpu_nsec | filter zone_name == "/${GROUP}" && state == "user"`);
    expect(all!.timeseries).toHaveLength(1);
    expect(all!.timeseries[0]!.points.timestampsNs).toContain(before.timestampNs);
  });

  it("refuses a second process on the same data, and leaves the first alone", async () => {
    const second = await runZonemeter(["up", "--data-dir", join(folder, "data"), "--port-base", String(await freePortBase())]);
    expect(second.code).toBe(1);
    expect(second.stdout).toBe("");
    expect(
      second.stderr
        .trim()
        .split("\n")
        .filter((line) => !line.startsWith("{")),
    ).toEqual([expect.stringContaining(join(folder, "data"))]);
    await ask("get zone_resource:processes | last 1");
  });

  it("ends with 0 on SIGTERM, within 5 s", async () => {
    const startedMs = performance.now();
    up.kill("SIGTERM");
    expect((await up.finished).code).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it("starts again on what it kept without calling at the port that its producer had", async () => {
    up = new ZonemeterProcess(args);
    await up.line("ready ");
    up.kill("SIGTERM");
    expect((await up.finished).code).toBe(0);
    expect(up.stderr).not.toContain("unreachable");
  });
});
