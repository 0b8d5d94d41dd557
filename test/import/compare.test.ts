import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareSources } from "../../src/cli/source-means.ts";
import type { Table } from "../../src/oxql/index.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { importHere } from "../support/import-here.ts";
import { recordKstats } from "../support/kstat-recording.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";
import { reportLines } from "../support/zonestat-recording.ts";

const NTP = "oxz_ntp_0f9e8d7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f";

/** A table of one zone and source with a value for each window; null for none. */
function answer(zone: string, source: string, values: readonly (number | null)[]): Table {
  const text = (name: string, value: string): Table["timeseries"][number]["fields"][number] => ({ name, value: { type: "string", value } });
  return {
    name: "zone_resource:any",
    timeseries: [
      {
        fields: [text("sled_serial", "sled-07"), text("source", source), text("zone_name", zone)],
        points: {
          startTimesNs: null,
          timestampsNs: BigInt64Array.from(values, (_, i) => BigInt(i)),
          dimensions: [
            {
              metricType: "gauge",
              values: {
                type: "double",
                values: Float64Array.from(values, (value) => value ?? 0),
                present: Uint8Array.from(values, (value) => (value === null ? 0 : 1)),
              },
            },
          ],
        },
        alignment: null,
      },
    ],
  };
}

describe("means by source", () => {
  it("are over the windows that all sources of a zone have", () => {
    const { zones, alone } = compareSources([
      answer("b", "kstat", [1, 2, 3, 4]),
      answer("b", "zonestat", [null, 1, 5, 6]),
      answer("a", "kstat", [1, null]),
      answer("a", "zonestat", [null, 1]),
      answer("c", "kstat", [1]),
    ]);
    expect(zones).toEqual([
      {
        sled: "sled-07",
        zone: "b",
        windows: 3,
        bySource: new Map([
          ["kstat", 3],
          ["zonestat", 4],
        ]),
      },
    ]);
    expect(alone).toBe(2);
  });
});

describe("imported zonestat beside kstat", () => {
  const FIRST_S = 1_740_787_200;
  const INTERVALS = 61;
  let folder: string;
  let up: ZonemeterProcess;
  let url: string;
  let kstatCpus: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "zonemeter-compare-"));
    const recording = recordKstats([{ name: "global" }, { name: NTP }], INTERVALS, FIRST_S, 11);
    writeFileSync(join(folder, "sled-07.txt"), recording.text);
    const first = ["user", "sys"].map((state) => BigInt(new RegExp(`zones:2:\\S+:nsec_${state}\\t(\\d+)`).exec(recording.text)![1]!));
    const used = recording.cpuNs.get(NTP)! - first[0]! - first[1]!;
    kstatCpus = Number(used) / 1e9 / (recording.lastUnixS - recording.firstUnixS);
    const lines = Array.from({ length: INTERVALS }, (_, i) =>
      reportLines({
        unixS: FIRST_S + 10 * i,
        count: (i % 6) + 1,
        intervalS: 10,
        zones: [{ name: NTP, cpuHundredths: i % 2, physicalBytes: 40_960_000, virtualBytes: 81_920_000 }],
      }),
    );
    mkdirSync(join(folder, "sled-07"));
    writeFileSync(join(folder, "sled-07/zonestat-20250301"), lines.flat().join(""));
    expect((await importHere(join(folder, "data"), join(folder, "sled-07.txt"), join(folder, "sled-07"))).code).toBe(0);
    const base = await freePortBase();
    url = `http://127.0.0.1:${base + 60}`;
    up = new ZonemeterProcess(["up", "--data-dir", join(folder, "data"), "--port-base", String(base)]);
    await up.line("ready ");
  }, 60_000);

  afterAll(async () => {
    up.kill("SIGKILL");
    await up.finished;
    rmSync(folder, { recursive: true, force: true });
  });

  const compare = (...args: string[]): ReturnType<typeof runZonemeter> =>
    runZonemeter(["compare", "--url", url, "--from", "2025-03-01T00:00:00Z", "--to", "2025-03-01T00:10:00Z", ...args]);

  it("gives both means of CPU and memory to the last digit", async () => {
    const { code, stdout, stderr } = await compare("--period", "10m", "--format", "csv");
    expect([code, stderr]).toEqual([0, ""]);
    const rows = stdout
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(","));
    const mean = (quantity: string, source: string): number =>
      Number(rows.find((row) => row[0] === quantity && row[5] === source && row[3] === NTP)![6]);
    expect(mean("CPU", "zonestat")).toBeCloseTo(0.005, 12);
    expect(mean("CPU", "kstat")).toBeCloseTo(kstatCpus, 9);
    expect(mean("resident memory", "zonestat")).toBe(40_960_000 / 1_048_576);
    expect(mean("swap reserved", "zonestat")).toBe(81_920_000 / 1_048_576);
  });

  it("shows the differences from kstat, and how many zones have no second source", async () => {
    const { stdout } = await compare();
    const row = stdout
      .split("\n")
      .find((line) => line.includes(NTP))!
      .split(/ +/);
    expect(row.slice(0, 3)).toEqual(["sled-07", NTP, "10"]);
    expect(Number(row[5])).toBeCloseTo(Number(row[4]) - Number(row[3]), 3);
    expect(Number(row[6])).toBeCloseTo((100 * (Number(row[4]) - Number(row[3]))) / Number(row[3]), 0);
    expect(stdout).toContain("1 zone has one source alone.");
  });

  it("says so where there is nothing to compare, and what is no time", async () => {
    const nothing = await runZonemeter(["compare", "--url", url, "--to", "2024-01-01T00:00:00Z"]);
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toContain("No zone was measured by two sources between 2023-12-31T23:00:00Z and 2024-01-01T00:00:00Z");
    const bad = await compare("--from", "yesterday");
    expect([bad.code, bad.stderr]).toEqual([2, 'zonemeter: --from "yesterday" is not a time: write it as 2026-11-20T00:00:00Z.\n']);
  });
});
