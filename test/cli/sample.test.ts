import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordKstats } from "../support/kstat-recording.ts";
import { runZonemeter } from "../support/zonemeter-process.ts";
import { reportLines } from "../support/zonestat-recording.ts";

const START_S = 1_804_241_700;
const PRSTAT = `ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE
     4       20  812M  100M   2.3%   0:12:34 0.7% ${"web".padEnd(28)}
Total: 20 processes, 320 lwps, load averages: 0.53, 0.61, 0.60
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-sample-"));
  const zones = [{ name: "web", cpuHundredths: 125, physicalBytes: 40_960_000, virtualBytes: 81_920_000 }];
  const report = (count: number): string[] => reportLines({ unixS: START_S + 10 * count, count, intervalS: 10, zones });
  const whole = report(1).join("");
  const damaged = report(2).join("").replace(":1.25:", ":1,25:");
  await writeFile(join(folder, "kstat.txt"), recordKstats([{ name: "global" }, { name: "web" }], 3, START_S).text);
  await writeFile(join(folder, "zonestat.txt"), `${whole}${damaged}${whole}${report(4).join("")}`);
  await writeFile(join(folder, "prstat.txt"), PRSTAT.repeat(2));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sample = (source: string, file: string, ...more: string[]) =>
  runZonemeter(["sample", "--source", source, "--input", join(folder, file), ...more]);
const timesIn = (stdout: string): string[] => [...new Set([...stdout.matchAll(/"timestamp":"([^"]*)"/g)].map((match) => match[1]!))];

describe("sample --input", () => {
  it.each([
    ["kstat", "kstat.txt", [], 3],
    ["zonestat", "zonestat.txt", [], 3],
    ["vmusage", "prstat.txt", ["--recorded-start", "2026-11-20T00:00:00Z", "--recorded-interval", "1m"], 2],
    ["replay", "kstat.txt", [], 3],
    ["kstat,zonestat", "zonestat.txt", [], 3],
  ])("plays %s", async (source, file, flags, times) => {
    const done = await sample(source, file, ...flags);
    expect(done.code).toBe(0);
    expect(timesIn(done.stdout)).toHaveLength(times);
  });

  it("plays what it printed, to the same text", async () => {
    const first = await sample("kstat", "kstat.txt");
    await writeFile(join(folder, "printed.ndjson"), first.stdout);
    expect(await sample("kstat", "printed.ndjson")).toEqual(first);
  });

  it("plays what the machine's own control groups gave", async () => {
    const live = await runZonemeter(["sample", "--source", "cgroup"]);
    expect(live.code).toBe(0);
    await writeFile(join(folder, "node.ndjson"), live.stdout);
    const played = await sample("cgroup", "node.ndjson");
    expect(played.stderr).toBe("");
    expect(played.stdout.replaceAll('"sled_serial":"node",', "")).toBe(live.stdout);
  });

  it("says at its end what was left out and why, a line for each reason", async () => {
    const { stderr } = await sample("zonestat", "zonestat.txt");
    const path = join(folder, "zonestat.txt");
    expect(stderr.split("\n").slice(-3)).toEqual([
      "zonemeter: recordings: 1 row withheld: the time is not later than the one before.",
      expect.stringMatching(new RegExp(`^zonemeter: recordings: damaged lines: 1; the first: line 11: ${path}: The row .* is damaged\\.$`)),
      "",
    ]);
  });

  it.each<[string, string, string[], number, RegExp]>([
    ["kstat", "zonestat.txt", [], 1, /is a recording of zonestat, not of kstat/],
    ["vmusage", "prstat.txt", [], 1, /give --recorded-start TIME, .* and --recorded-interval DURATION/],
    ["vmusage", "prstat.txt", ["--recorded-start", "noon"], 2, /--recorded-start "noon" is not a time/],
    ["vmusage", "prstat.txt", ["--recorded-interval", "0s"], 2, /--recorded-interval "0s"/],
  ])("%s of %s with %j: one sentence", async (source, file, flags, code, sentence) => {
    const done = await sample(source, file, ...flags);
    expect(done.code).toBe(code);
    expect(done.stdout).toBe("");
    expect(done.stderr.trim().split("\n")).toEqual([expect.stringMatching(sentence)]);
  });
});
