import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readResultJson, type Table } from "../../src/oxql/index.ts";
import { importHere } from "../support/import-here.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { reported } from "../support/imported.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";
import { reportLines } from "../support/zonestat-recording.ts";

const START_S = Math.floor(Date.now() / 1_000) - 86_400;
const startText = new Date(START_S * 1_000).toISOString();
const prstat = (rss: number): string => `ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE
     4       20  812M ${String(rss).padStart(4)}M   2.3%   0:12:34 0.7% ${"web".padEnd(28)}
Total: 20 processes, 320 lwps, load averages: 0.53, 0.61, 0.60
`;
/** More than a double holds. */
const USED_NS = 9_007_199_254_740_993n;

let folder: string;
let up: ZonemeterProcess;
let url: string;

async function ask(query: string): Promise<Table[]> {
  const done = await runZonemeter(["query", "--url", url, "--format", "json", query]);
  expect(done.stderr).toBe("");
  return readResultJson(done.stdout) as Table[];
}

const valuesOf = (table: Table): unknown[] =>
  table.timeseries.flatMap(({ points }) => Array.from(points.dimensions[0]!.values.values as ArrayLike<unknown>));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-kinds-"));
  const zones = [{ name: "db", cpuHundredths: 125, physicalBytes: 40_960_000, virtualBytes: 81_920_000 }];
  const report = (count: number): string[] => reportLines({ unixS: START_S + 10 * count, count, intervalS: 10, zones });
  await writeFile(join(folder, "sled-1.txt"), [...report(1), ...report(2).slice(0, 5), ...report(3)].join(""));
  await writeFile(join(folder, "sled-2.txt"), prstat(100) + prstat(101) + prstat(102));
  const line = (second: number, used: bigint): string =>
    `{"source":"cgroup","subject":"zone","zone_name":"/a","zone_type":"","zone_id":"00000000-0000-0000-0000-000000000000","incarnation":"/a@b/1/0","start_time":"${startText}","timestamp":"${new Date((START_S + second) * 1_000).toISOString()}","readings":[{"metric":"cpu_nsec","labels":{"state":"user"},"value":${used}}]}\n`;
  await writeFile(join(folder, "node-1.ndjson"), `${line(10, 5n)}garbage\n${line(20, USED_NS)}`);
  const base = await freePortBase();
  url = `http://127.0.0.1:${base + 60}`;
  const files = ["sled-1.txt", "sled-2.txt", "node-1.ndjson"].flatMap((name) => ["--replay", join(folder, name)]);
  const times = ["--recorded-start", startText, "--recorded-interval", "1m"];
  up = new ZonemeterProcess(["up", "--data-dir", join(folder, "data"), ...files, ...times, "--port-base", String(base)]);
  await up.line("replayed ");
}, 60_000);

afterAll(async () => {
  up.kill("SIGKILL");
  await up.finished;
  await rm(folder, { recursive: true, force: true });
});

describe("recordings of every kind together", () => {
  it("are all there, each with its source and times", async () => {
    expect(await up.line("replayed ")).toBe("replayed 6 of 6 snapshots");
    const [resident] = await ask('get zone_resource:memory_resident | filter source == "vmusage"');
    expect(valuesOf(resident!)).toEqual([100n << 20n, 101n << 20n, 102n << 20n]);
    expect([...resident!.timeseries[0]!.points.timestampsNs].map((ns) => Number(ns / 1_000_000_000n) - START_S)).toEqual([0, 60, 120]);
    const [used] = await ask('get zone_resource:cpu_nsec | filter source == "cgroup" && sled_serial == "node-1"');
    expect(valuesOf(used!)).toEqual([5n, USED_NS - 5n]);
    const [zonestat] = await ask('get zone_resource:cpu_used | filter sled_serial == "sled-1"');
    expect(valuesOf(zonestat!)).toEqual([1.25]);
  });

  it("tell at the end what was left out and why, a line for each reason", async () => {
    const told = up.stderr.split("\n").filter((line) => line.startsWith("zonemeter: "));
    expect(told).toEqual([
      "zonemeter: recordings: 2 rows withheld: another run wrote into it, and rows do not tell whose they are.",
      expect.stringMatching(
        /^zonemeter: recordings: damaged lines: 1; the first: line 2: .*node-1\.ndjson: The line "garbage" is no snapshot/,
      ),
    ]);
  });

  it("are known to an import of the same files", async () => {
    up.kill("SIGTERM");
    expect((await up.finished).code).toBe(0);
    const paths = ["sled-2.txt", "node-1.ndjson"].map((name) => join(folder, name));
    const { code, stdout } = await importHere(join(folder, "data"), ...paths, "--recorded-start", startText, "--recorded-interval", "1m");
    expect(code).toBe(0);
    expect(reported(stdout, "rows taken")).toBe(0);
    expect(reported(stdout, "rows known already")).toBe(5);
    expect(reported(stdout, "damaged lines")).toBe(1);
  });
});
