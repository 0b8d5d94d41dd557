import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { createReplaySource, type ReplaySource } from "../../src/sources/replay.ts";
import type { Snapshot, SourceReport } from "../../src/sources/source.ts";
import { recordKstats } from "../support/kstat-recording.ts";

const START = 1_804_241_700;
const NEXUS = "oxz_nexus_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e";
const never = new AbortController().signal;

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "replay-"));
});
afterEach(() => rm(dir, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(dir, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function readAll(source: ReplaySource): Promise<SourceReport[]> {
  const reports: SourceReport[] = [];
  do reports.push(await source.read(never));
  while (!reports.at(-1)!.ended);
  await source.close();
  return reports;
}

const play = (...files: string[]): Promise<SourceReport[]> => readAll(createReplaySource({ files }));
const zonesOf = (report: SourceReport): Snapshot[] => report.snapshots.filter(({ subject }) => subject.kind === "zone");
const secondsOf = (reports: readonly SourceReport[]): number[] =>
  reports.map(({ snapshots }) => Number(snapshots[0]!.timestampNs / 1_000_000_000n));

/** One zone's kstat at one time. `boot` null: the kernel tells none. */
function kstat(at: number, uptime: number, crtime: number, user: number, boot: number | null, id = 4, name = "web"): string {
  const stats = {
    ...(boot === null ? {} : { boot_time: boot }),
    crtime: `${crtime}.000000000`,
    nsec_user: user,
    snaptime: `${uptime}.000000000`,
    zonename: name,
  };
  return `${at}\n${Object.entries(stats)
    .map(([key, value]) => `zones:${id}:${name}:${key}\t${value}\n`)
    .join("")}\n`;
}

function zonestat(time: string, count: number, used = "1.00"): string {
  return `interval:header:since-last-interval:${time}:${count}:${count * 10}\ninterval:summary:[resource]:48:46:201326592K:268435456K\ninterval:summary:web:${used}:2.00%:-:-:9437184K:4.68%:-:20971520K:7.81%:-\ninterval:footer:${time}10:${count * 10}\n`;
}

async function failure(work: Promise<unknown>): Promise<ZonemeterError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ZonemeterError);
  return error as ZonemeterError;
}

describe("a kstat recording", () => {
  test("gives each recorded time once, with its own time, and says when it is over", async () => {
    const recording = recordKstats([{ name: "global" }, { name: NEXUS, restartAt: 5 }], 12, START);
    const source = createReplaySource({ files: [await file("sled-03.txt", recording.text)] });
    expect(source.progress()).toEqual({ replayed: 0, total: null });
    const reports = await readAll(source);
    expect(source.progress()).toEqual({ replayed: 12, total: 12 });
    expect(secondsOf(reports)).toEqual(Array.from({ length: 12 }, (_, i) => START + 10 * i));
    expect(reports.map(({ ended }) => ended)).toEqual([...Array<boolean>(11).fill(false), true]);
    expect(reports.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
    expect(reports[0]!.snapshots[0]!.sled).toMatchObject({ sledSerial: "sled-03", sledModel: "", sledRevision: 0 });
  });

  test("sums up to the truth: the last counter of every incarnation", async () => {
    const recording = recordKstats([{ name: "global" }, { name: NEXUS, restartAt: 40 }, { name: "db", haltAt: 30 }], 60, START, 7);
    const last = new Map<string, Map<bigint, bigint>>();
    for (const report of await play(await file("sled-03.txt", recording.text))) {
      for (const { subject, readings } of report.snapshots) {
        if (subject.kind !== "zone") continue;
        const used = readings.filter(({ metric, labels }) => metric === "cpu_nsec" && labels["state"] !== "waitrq");
        const byStart = last.get(subject.zoneName) ?? new Map<bigint, bigint>();
        byStart.set(
          subject.startTimeNs,
          used.reduce((sum, { value }) => sum + (value as bigint), 0n),
        );
        last.set(subject.zoneName, byStart);
      }
    }
    expect(last.get(NEXUS)!.size).toBe(2);
    const sums = new Map([...last].map(([name, byStart]) => [name, [...byStart.values()].reduce((a, b) => a + b, 0n)]));
    expect(sums).toEqual(recording.cpuNs);
  });

  test("may be gzip, and kstat -j with time lines", async () => {
    const text = kstat(START, 100, 50, 7, START - 50) + kstat(START + 10, 110, 50, 9, START - 50);
    const plain = await play(await file("a/sled.txt", text));
    expect(await play(await file("b/sled.txt.gz", gzipSync(text)))).toEqual(plain);
    const json = (at: number, uptime: number, user: number): string =>
      `${at}\n[{"module": "zones", "instance": 4, "name": "web", "class": "c", "type": 1, "snaptime": 1.000000000, "data": {"boot_time": ${START - 50}, "crtime": 50.000000000, "nsec_user": ${user}, "snaptime": ${uptime}.000000000, "zonename": "web"}}]\n`;
    expect(await play(await file("c/sled.txt", json(START, 100, 7) + json(START + 10, 110, 9)))).toEqual(plain);
  });
});

describe("start times", () => {
  const starts = async (text: string): Promise<bigint[]> =>
    (await play(await file("sled.txt", text))).map((report) => {
      const { subject } = zonesOf(report)[0]!;
      return subject.startTimeNs;
    });
  const ns = (seconds: number): bigint => BigInt(seconds) * 1_000_000_000n;

  test("are the kernel's boot time, equal for all samples of an incarnation", async () => {
    const text = kstat(START, 100, 60, 7, START - 41) + kstat(START + 10, 110, 60, 9, START - 41);
    expect(await starts(text)).toEqual([ns(START - 41), ns(START - 41)]);
  });

  test.each([
    ["1987", 550_000_000],
    ["a time after the sample", START + 1],
    ["no time at all", null],
  ])("are the creation time, dated by its first sample, where the boot time is %s", async (_what, boot) => {
    // The second sample came late by its time line; the start time does not move with it.
    const text = kstat(START, 100, 60, 7, boot) + kstat(START + 12, 110, 60, 9, boot);
    expect(await starts(text)).toEqual([ns(START - 40), ns(START - 40)]);
  });

  test("of a new incarnation are later than the last stamp of the one before, and before its first", async () => {
    const text =
      kstat(START, 100, 60, 7, START - 40) + kstat(START + 10, 110, 104, 1, START - 5, 9) + kstat(START + 20, 120, 104, 2, START - 5, 9);
    expect(await starts(text)).toEqual([ns(START - 40), ns(START) + 1n, ns(START) + 1n]);
    const sameSecond = kstat(START, 100, 60, 7, START - 40) + kstat(START + 10, 110, 110, 1, START + 10, 9);
    expect(await starts(sameSecond)).toEqual([ns(START - 40), ns(START + 10) - 1n]);
  });

  test("are the same when the recording is played again", async () => {
    const recording = recordKstats([{ name: NEXUS, restartAt: 3 }], 8, START);
    const path = await file("sled.txt", recording.text);
    expect(await play(path)).toEqual(await play(path));
  });
});

describe("several files", () => {
  test("are merged in the order of their times, each with its own sled", async () => {
    const a = await file("sled-a.txt", [0, 20, 40].map((s) => kstat(START + s, 100 + s, 60, s, START - 40)).join(""));
    const b = await file("sled-b.txt", [10, 20, 30].map((s) => kstat(START + s, 100 + s, 60, s, START - 40)).join(""));
    const reports = await play(b, a);
    expect(
      reports.map(({ snapshots }) => `${snapshots[0]!.sled!.sledSerial} ${Number(snapshots[0]!.timestampNs / 1_000_000_000n) - START}`),
    ).toEqual(["sled-a 0", "sled-b 10", "sled-a 20", "sled-b 20", "sled-b 30", "sled-a 40"]);
  });

  test("of one sled go on where the other ended, with kstat and zonestat side by side", async () => {
    const first = await file("s/kstat-20270305.txt", kstat(START, 100, 60, 7, START - 40));
    const second = await file("s/kstat-20270306.txt.gz", gzipSync(kstat(START + 10, 110, 60, 9, START - 41)));
    const other = await file("s/zonestat-20270305", zonestat("20270305T101500Z", 1));
    const reports = await play(second, other, first);
    const seen = reports.flatMap(({ snapshots }) => snapshots).filter(({ subject }) => subject.kind === "zone");
    expect(new Set(seen.map(({ sled }) => sled!.sledId)).size).toBe(1);
    expect(seen.map(({ source }) => source).sort()).toEqual(["kstat", "kstat", "zonestat"]);
    const kstats = seen.filter(({ source }) => source === "kstat");
    expect(kstats.map(({ subject }) => subject.startTimeNs)).toEqual([
      BigInt(START - 40) * 1_000_000_000n,
      BigInt(START - 40) * 1_000_000_000n,
    ]);
  });

  test("more than could be open at once are played", async () => {
    const files = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        file(`d${i}/zonestat-20270305`, zonestat(`20270305T${10 + Math.floor(i / 60)}${String(i % 60).padStart(2, "0")}00Z`, 1)),
      ),
    );
    const reports = await play(...files.reverse());
    expect(reports).toHaveLength(300);
    expect(secondsOf(reports)).toEqual(secondsOf(reports).sort((x, y) => x - y));
  });

  test("the same times twice are played once", async () => {
    const text = kstat(START, 100, 60, 7, START - 40) + kstat(START + 10, 110, 60, 9, START - 40);
    const source = createReplaySource({ files: [await file("s.txt", text), await file("s.txt.gz", gzipSync(text))] });
    const reports = await readAll(source);
    expect(secondsOf(reports.filter(({ snapshots }) => snapshots.length > 0))).toEqual([START, START + 10]);
    expect(source.progress()).toEqual({ replayed: 2, total: 2 });
    expect(reports.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))).toEqual(["time-went-back", "time-went-back"]);
  });
});

describe("a zonestat recording", () => {
  test("gives the reports that are certain; two runs in one file cost only the mixed ones", async () => {
    const mixed = `${zonestat("20270305T101510Z", 2).replace(/interval:footer.*\n/, "")}${zonestat("20270305T101510Z", 1)}interval:footer:20270305T101510Z10:20\n`;
    const source = createReplaySource({
      files: [await file("s/zonestat-20270305", zonestat("20270305T101500Z", 1, "2.50") + mixed + zonestat("20270305T101520Z", 3, "3.50"))],
    });
    const reports = await readAll(source);
    const used = reports.flatMap(({ snapshots }) =>
      snapshots.flatMap(({ readings }) => readings.filter(({ metric }) => metric === "cpu_used").map(({ value }) => value)),
    );
    expect(used).toEqual([2.5, 3.5]);
    expect(source.progress()).toEqual({ replayed: 2, total: 2 });
    expect(reports.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)).sort()).toEqual([
      "overlapping-reports",
      "report-withheld",
      "report-withheld",
    ]);
  });
});

describe("what cannot be replayed", () => {
  test.each([
    ["an empty file", "", "empty", 1],
    ["nothing but empty lines", "\n\n\n", "empty", 1],
    ["any other text", "\n\nhello, world\nsecond line\n", "hello, world", 3],
    ["binary", "\u0000\u0001\u0002\u0003", "????", 1],
    ["prstat", "ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE\n", "prstat-Z", 1],
    [
      "kstat without time lines",
      kstat(START, 1, 1, 1, 1)
        .replace(/^\d+\n/, "")
        .repeat(2)
        .replace("snaptime\t1.", "snaptime\t2."),
      "--recorded-start TIME",
      1,
    ],
    ["kstat of other modules only", "1804241700\ncpu:0:sys:snaptime\t1.000000000\n", "nothing in it", 1],
    ["zonestat that only failed", "zonestat: Error: Out of Memory\n", "neither of kstat", 1],
  ])("%s", async (_what, content, text, line) => {
    const path = await file("bad.txt", content);
    const error = await failure(createReplaySource({ files: [path] }).read(never));
    expect(error.code).toBe("invalid_input");
    expect(error.message).toContain(path);
    expect(error.message).toContain(text);
    expect(error.message).toContain(`line ${line}`);
    expect(error.position!.line).toBe(line);
  });

  test("a file that is not there, a folder, and no file", async () => {
    for (const path of [join(dir, "none.txt"), dir]) {
      const error = await failure(createReplaySource({ files: [path] }).read(never));
      expect(error.code).toBe("unavailable");
      expect(error.message).toContain(path);
    }
    expect(() => createReplaySource({ files: [] })).toThrow("no file to replay");
  });

  test("recorded reports of which none is usable", async () => {
    const path = await file(
      "s/zonestat-20270305",
      zonestat("20270305T101500Z", 1)
        .replaceAll("interval:", "report-high:")
        .replace("since-last-interval", "20270305T101440Z")
        .replace(":1:10\n", ":10:10\n"),
    );
    const error = await failure(play(path));
    expect(error).toMatchObject({ code: "invalid_input" });
    expect(error.message).toContain(path);
    expect(error.message).toContain("report-high");
  });

  test("one bad file among good ones is found before anything is played", async () => {
    const good = await file("good.txt", kstat(START, 100, 60, 7, START - 40));
    const bad = await file("bad.txt", "hello\n");
    const source = createReplaySource({ files: [good, bad] });
    const error = await failure(source.read(never));
    expect(error.message).toContain(bad);
    expect(await failure(source.read(never))).toBe(error);
    await source.close();
  });

  test("gzip data that end early play up to there", async () => {
    const recording = recordKstats([{ name: NEXUS }, { name: "db" }], 2_000, START);
    const whole = gzipSync(recording.text);
    const reports = await play(await file("sled.txt.gz", whole.subarray(0, whole.length / 2)));
    expect(reports.length).toBeGreaterThan(100);
    expect(reports.length).toBeLessThan(2_000);
    expect(reports.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))).toContain("truncated-gzip");
    const error = await failure(play(await file("broken.txt.gz", Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]))));
    expect(error).toMatchObject({ code: "invalid_input" });
  });
});

test("a read that is called off loses nothing", async () => {
  const source = createReplaySource({
    files: [await file("s.txt", kstat(START, 100, 60, 7, START - 40) + kstat(START + 10, 110, 60, 9, START - 40))],
  });
  const called = new AbortController();
  const first = source.read(called.signal);
  called.abort();
  expect((await failure(first)).code).toBe("unavailable");
  expect(secondsOf(await readAll(source))).toEqual([START, START + 10]);
});

/** Bytes that this process has read so far, from files and everything else. */
async function bytesRead(): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile("/proc/self/io", "utf8"))![1]);
}

test.runIf(existsSync("/proc/self/io"))("a large file is read as it is played", async () => {
  const filler = `net:0:other:${"s".repeat(40)}\t7\n`.repeat(1_000);
  const snapshots = Array.from(
    { length: 300 },
    (_, i) => `${kstat(START + i * 10, 100 + i * 10, 60, i, START - 40).slice(0, -1)}${filler}\n`,
  );
  const path = await file("large.txt", snapshots.join(""));
  const source = createReplaySource({ files: [path] });
  const before = await bytesRead();
  await source.read(never);
  const afterFirst = (await bytesRead()) - before;
  expect((await stat(path)).size).toBeGreaterThan(15_000_000);
  expect(afterFirst).toBeLessThan(3_000_000);
  expect(await readAll(source)).toHaveLength(299);
});
