import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readResultJson, type Table } from "../../src/oxql/index.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { recordKstats, type Recording } from "../support/kstat-recording.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";

const NEXUS = "oxz_nexus_4f6c1c1e-71a8-4d2c-9d1e-0b8a7f0f1a01";
const CLICKHOUSE = "oxz_clickhouse_1d2e3f40-5a6b-4c7d-8e9f-a0b1c2d3e4f5";
const GUEST = "oxz_propolis-server_9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d";
const INTERVALS = 121;

let folder: string;
let recording: Recording;
let url: string;
let up: ZonemeterProcess;
let args: string[];

/** Runs a query through the CLI and reads its JSON without losing digits. */
async function ask(query: string): Promise<Table[]> {
  const done = await runZonemeter(["query", "--url", url, "--format", "json", query]);
  expect(done.stderr).toBe("");
  expect(done.code).toBe(0);
  return readResultJson(done.stdout) as Table[];
}

/** The sum of all integer values of a table, by zone name. */
function sumsByZone(table: Table): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const series of table.timeseries) {
    const zone = String(series.fields.find((field) => field.name === "zone_name")!.value.value);
    const column = series.points.dimensions[0]!.values;
    if (column.type !== "integer") throw new Error(`unexpected column ${column.type}`);
    for (let i = 0; i < column.values.length; i++) sums.set(zone, (sums.get(zone) ?? 0n) + column.values[i]!);
  }
  return sums;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-replay-"));
  const firstUnixS = Math.floor(Date.now() / 1000) - 2 * 86_400;
  recording = recordKstats(
    [{ name: "global" }, { name: NEXUS, restartAt: 60 }, { name: CLICKHOUSE }, { name: GUEST, haltAt: 80 }],
    INTERVALS,
    firstUnixS,
  );
  await writeFile(join(folder, "sled-07.txt"), recording.text);
  const base = await freePortBase();
  url = `http://127.0.0.1:${base + 60}`;
  args = ["up", "--data-dir", join(folder, "data"), "--replay", join(folder, "sled-07.txt"), "--port-base", String(base)];
  up = new ZonemeterProcess(args);
  await up.line("ready ");
}, 60_000);

afterAll(async () => {
  up.kill("SIGKILL");
  await up.finished;
  await rm(folder, { recursive: true, force: true });
});

describe("a kstat recording through the whole path", () => {
  it("says when all of it can be asked for", async () => {
    expect(await up.line("replayed ")).toBe(`replayed ${INTERVALS} of ${INTERVALS} snapshots`);
  });

  it("gives every zone's CPU time to the nanosecond, over a restart", async () => {
    const [table] = await ask(`get zone_resource:cpu_nsec | filter state != "waitrq" && sled_serial == "sled-07"`);
    expect(sumsByZone(table!)).toEqual(recording.cpuNs);
  });

  it("gives the last resident size of every zone", async () => {
    const [table] = await ask(`get zone_resource:memory_resident | last 1`);
    expect(sumsByZone(table!)).toEqual(recording.residentBytes);
  });

  it("aligns and groups by zone type", async () => {
    const end = new Date(recording.lastUnixS * 1000).toISOString().slice(0, 19);
    const [table] = await ask(
      `get zone_resource:cpu_nsec | filter timestamp <= @${end} | align mean_within(1m) | group_by [zone_type], sum`,
    );
    expect(table!.timeseries.map((series) => String(series.fields[0]!.value.value)).sort()).toEqual([
      "",
      "clickhouse",
      "nexus",
      "propolis-server",
    ]);
    for (const series of table!.timeseries) expect(series.points.timestampsNs.at(-1)).toBe(BigInt(recording.lastUnixS) * 1_000_000_000n);
  });

  it("keeps all of it over SIGKILL, and adds nothing when the same recording comes again", async () => {
    up.kill("SIGKILL");
    await up.finished;
    up = new ZonemeterProcess(args);
    await up.line("ready ");
    await up.line("replayed ");
    const [table] = await ask(`get zone_resource:cpu_nsec | filter state != "waitrq"`);
    expect(sumsByZone(table!)).toEqual(recording.cpuNs);
  });

  it("ends with 0 on SIGTERM", async () => {
    const startedMs = performance.now();
    up.kill("SIGTERM");
    const { code, stderr } = await up.finished;
    expect(stderr.split("\n").filter((line) => line.includes('"level":50'))).toEqual([]);
    expect(code).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
