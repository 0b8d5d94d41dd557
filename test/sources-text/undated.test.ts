import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ZonemeterError } from "../../src/core/index.ts";
import { createReplaySource, type ReplaySource } from "../../src/sources/replay.ts";
import type { Reading, SourceReport } from "../../src/sources/source.ts";

const S = 1_000_000_000n;
const START = 1_804_241_700n;

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "undated-"));
});
afterEach(() => rm(dir, { recursive: true }));

/** Plays one text with the times given, in seconds. */
async function replay(text: string, startS: bigint | null, intervalS: bigint | null = null): Promise<ReplaySource> {
  const path = join(dir, "sled-03.txt");
  await writeFile(path, text);
  const times = { startNs: startS === null ? null : startS * S, intervalNs: intervalS === null ? null : intervalS * S };
  return createReplaySource({ files: [path], times });
}

async function play(text: string, startS: bigint | null, intervalS: bigint | null = null): Promise<SourceReport[]> {
  const source = await replay(text, startS, intervalS);
  const reports: SourceReport[] = [];
  try {
    do reports.push(await source.read(new AbortController().signal));
    while (!reports.at(-1)!.ended);
  } finally {
    await source.close();
  }
  return reports;
}

const failure = async (work: Promise<unknown>): Promise<ZonemeterError> =>
  work.then(
    () => expect.fail("it was played"),
    (error: unknown) => error,
  ) as Promise<ZonemeterError>;
const stampsS = (reports: readonly SourceReport[]): number[] => reports.map(({ snapshots }) => Number(snapshots[0]!.timestampNs) / 1e9);
const value = (readings: readonly Reading[], metric: string): unknown => readings.find((each) => each.metric === metric)?.value;

/** One sample of `prstat -c -Z`; `web` has `rss` MiB. */
function prstat(rss: number, timeLine = ""): string {
  const row = (id: number, nproc: number, swap: string, size: string, name: string): string =>
    `${String(id).padStart(6)} ${String(nproc).padStart(8)} ${swap.padStart(5)} ${size.padStart(5)}   2.3%   0:12:34 0.7% ${name.padEnd(28)}\n`;
  return `${timeLine}   PID USERNAME  SIZE   RSS STATE   PRI NICE      TIME  CPU PROCESS/NLWP       \n   101 root       12M    8M sleep   59    0   0:00:01 0.1% init/1             \nZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE                        \n${row(4, 20, "812M", `${rss}M`, "web")}${row(0, 30, "2G", "900M", "global")}Total: 50 processes, 320 lwps, load averages: 0.53, 0.61, 0.60\n`;
}

function human(interval: number, duration: string, cpu: string, head = ""): string {
  return `${head}Interval: ${interval}, Duration: ${duration}
SUMMARY                   Cpus/Online: 48/46   Physical: 191.9G  Virtual: 255.9G
                    ---CPU----  --PhysMem-- --VirtMem-- --PhysNet--
`.replace(
    /^ *---CPU.*\n/m,
    `                             ---------CPU---------  ----PHYSICAL----  ----VIRTUAL-----
               ZONE  USED %PART  %CAP %SHRU  USED   PCT  %CAP  USED   PCT  %CAP
            [total]  6.10 12.7%     -     - 20.0G 10.4%     - 30.0G 11.7%     -
                web  ${cpu} 2.00%     -     - 9216M 4.68%     - 20.0G 7.81%     -

`,
  );
}

const kstat = (uptime: number, user: number, time = ""): string =>
  `${time}${["crtime\t50.000000000", `nsec_user\t${user}`, `snaptime\t${uptime}.250000000`, "zonename\tweb"].map((line) => `zones:4:web:${line}\n`).join("")}\n`;

describe("prstat -Z", () => {
  test("with -d has its own times, and given ones are not looked at", async () => {
    const text = prstat(100, "1804241700\n") + prstat(101, "Fri Mar  5 10:15:30 UTC 2027\n");
    const reports = await play(text, 1n, 1n);
    expect(stampsS(reports)).toEqual([1_804_241_700, Date.UTC(2027, 2, 5, 10, 15, 30) / 1_000]);
    const [web, global] = reports[1]!.snapshots;
    expect(web).toMatchObject({ source: "vmusage", subject: { zoneName: "web", incarnation: "web/4" }, sled: { sledSerial: "sled-03" } });
    expect(value(web!.readings, "memory_resident")).toBe(101n << 20n);
    expect(value(web!.readings, "swap_reserved")).toBe(812n << 20n);
    expect(value(global!.readings, "processes")).toBe(30n);
  });

  test("without is dated by what is given", async () => {
    expect(stampsS(await play(prstat(1) + prstat(2) + prstat(3), START, 60n))).toEqual([0, 60, 120].map((s) => Number(START) + s));
    expect(stampsS(await play(prstat(1), START))).toEqual([Number(START)]);
  });

  test("asks for the start, and for the interval where there are two samples", async () => {
    for (const text of [prstat(1), prstat(1) + prstat(2)]) {
      const error = await failure(play(text, null, 60n));
      expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining("give --recorded-start TIME") });
      expect(error.message).toMatch(/prstat -d u\.$/);
    }
    const error = await failure(play(prstat(1) + prstat(2), START));
    expect(error.message).toContain("give --recorded-interval DURATION");
  });

  test("with dates that cannot be read is dated by what is given, and says that", async () => {
    const [report] = await play(prstat(1, "Fri Mar  5 10:15:30 PST 2027\n"), START);
    expect(report!.snapshots[0]!.timestampNs).toBe(START * S);
    expect(report!.diagnostics.map(({ code }) => code)).toEqual(["time-zone"]);
  });
});

describe("zonestat for people", () => {
  test("with -T has its own times", async () => {
    const text = human(1, "0:00:10", "1.00", "1804241700, ") + human(2, "0:00:20", "1.25", "1804241710, ");
    const reports = await play(text, null);
    expect(stampsS(reports)).toEqual([1_804_241_700, 1_804_241_710]);
    expect(value(reports[1]!.snapshots[0]!.readings, "cpu_used")).toBe(1.25);
    expect(value(reports[1]!.snapshots[0]!.readings, "memory_resident")).toBe(9_216n << 20n);
  });

  test("without is dated from the given start by the durations it prints, skipped intervals too", async () => {
    const text = `Collecting data for first interval...\n${human(1, "0:00:10", "1.00")}${human(3, "0:00:30", "1.25")}`;
    expect(stampsS(await play(text, START))).toEqual([Number(START), Number(START) + 20]);
  });

  test("a second run in the file goes on by the given interval, and is left out without one", async () => {
    const text = human(1, "0:00:10", "1.00") + human(2, "0:00:20", "1.25") + human(1, "0:00:10", "1.50") + human(2, "0:00:20", "1.75");
    expect(stampsS(await play(text, START, 60n))).toEqual([0, 10, 70, 80].map((s) => Number(START) + s));
    const source = await replay(text, START);
    const first = await source.read(new AbortController().signal);
    await source.read(new AbortController().signal);
    expect(first.snapshots[0]!.timestampNs).toBe(START * S);
    expect(source.losses().findings()).toEqual([expect.objectContaining({ code: "no-time", count: 2 })]);
    await source.close();
  });

  test("without a time and none given says what to give", async () => {
    const error = await failure(play(human(1, "0:00:10", "1.00"), null));
    expect(error.message).toMatch(/zonestat-human reports carry no time .*: give --recorded-start TIME.*, or record zonestat -p\.$/);
  });
});

describe("kstat without -T", () => {
  test("is dated from the given start by its own clock, exactly", async () => {
    const reports = await play(kstat(100, 7) + kstat(110, 8) + kstat(123, 9), START, 60n);
    expect(stampsS(reports)).toEqual([0, 10, 23].map((s) => Number(START) + s));
    // Created 50.25 s before its first reading.
    expect(new Set(reports.map(({ snapshots }) => snapshots[0]!.subject.startTimeNs))).toEqual(new Set([START * S - 50_250_000_000n]));
  });

  test("goes on by the given interval where the sled was restarted", async () => {
    expect(stampsS(await play(kstat(100, 7) + kstat(60, 8) + kstat(70, 9), START, 40n))).toEqual([0, 40, 50].map((s) => Number(START) + s));
  });

  test("that has times from its second snapshot on is the rest of a longer file: the first is left out, whatever is given", async () => {
    const reports = await play(kstat(100, 7) + kstat(110, 8, "1804241710\n") + kstat(120, 9), START, 60n);
    expect(stampsS(reports)).toEqual([1_804_241_710]);
    expect(reports[0]!.diagnostics.filter(({ code }) => code === "no-time").map(({ line }) => line)).toEqual([1, 12]);
  });
});
