import { afterEach, describe, expect, test } from "vitest";
import { PRODUCER_RING_READS, systemClock, ZonemeterError, type Clock } from "../../src/core/index.ts";
import { GroupBuffer } from "../../src/producer/group-buffer.ts";
import { Ledger } from "../../src/producer/ledger.ts";
import { Sampler, type SamplerOptions } from "../../src/producer/sampler.ts";
import { newSourceCounters } from "../../src/producer/self-metrics.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import type { OpenedSource } from "../../src/sources/index.ts";
import { gate } from "../support/gate.ts";
import { recordingLogger } from "../support/logs.ts";
import { report, ScriptedSource, SLED, zoneSnapshot } from "../support/scripted-source.ts";
import { until } from "../support/until.ts";

const catalogue = loadCatalogue();
const running: Sampler[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((sampler) => sampler.stop()));
});

function start(sources: readonly OpenedSource[], more: Partial<SamplerOptions> = {}) {
  const { logger, lines } = recordingLogger();
  const ledger = new Ledger();
  const counters = newSourceCounters(sources.map(({ source }) => source.name));
  const live = more.live ?? new GroupBuffer(1_000);
  const replay = more.replay ?? new GroupBuffer(1_000);
  const sampler = new Sampler({
    sources,
    counters,
    compareSources: false,
    sled: SLED,
    catalogue,
    ledger,
    live,
    replay,
    waitForClock: async () => undefined,
    onClock: () => undefined,
    clock: systemClock,
    logger,
    ...more,
  });
  running.push(sampler);
  return { sampler, ledger, live, replay, lines, counters };
}

const sampled = (source: ScriptedSource, more: Partial<OpenedSource> = {}): OpenedSource => ({
  source,
  intervalMs: 10,
  deadlineMs: 10_000,
  finite: false,
  ...more,
});
const times = (count: number, reached: () => number): Promise<true> =>
  until(`${count} times`, 10_000, async () => (reached() >= count ? true : undefined));
let stamp = 1_790_000_000_000_000_000n;
const snapshot = (zone = 1, value = 1n) => zoneSnapshot(zone, (stamp += 1n), value);

test("a source is read at once and then on its interval, however slow another one is", async () => {
  const quick = new ScriptedSource("kstat", () => report([snapshot()]));
  const stuck = gate();
  const slow = new ScriptedSource("vmusage", async () => (await stuck.opened, report([])));
  const { live, counters } = start([sampled(quick), sampled(slow)]);
  await times(3, () => live.size);
  expect(slow.reads).toBe(1);
  expect(counters.get("kstat")!.snapshotsTaken).toBeGreaterThanOrEqual(3n);
  expect(counters.get("kstat")!.durationNs).toBeGreaterThan(0n);
  stuck.open();
});

test("nothing is read before the clock can be trusted, and a gate that fails is told", async () => {
  const clock = gate<undefined>();
  const source = new ScriptedSource("kstat", () => report([snapshot()]));
  let begun = 0;
  const { live } = start([sampled(source)], { waitForClock: () => clock.opened, onClock: () => begun++ });
  for (let i = 0; i < 50; i++) await Promise.resolve();
  expect([source.reads, begun]).toEqual([0, 0]);
  clock.open(undefined);
  await times(1, () => live.size);
  expect(begun).toBe(1);

  const never = start([sampled(new ScriptedSource("kstat", () => report([])))], {
    waitForClock: async () => Promise.reject(new ZonemeterError("unavailable", "Nothing tells the time here.")),
  });
  await until("the failure", 5_000, async () => never.sampler.clockFailure ?? undefined);
  expect(never.sampler.clockFailure).toBe("Nothing tells the time here.");
});

test("a read that outlasts its deadline fails as timeout, and the source is left alone until it has settled", async () => {
  const stuck = gate();
  const source = new ScriptedSource("kstat", async (read) => {
    if (read === 0) await stuck.opened;
    return report([snapshot()]);
  });
  const { counters, live, sampler } = start([sampled(source, { deadlineMs: 5 })]);
  const { failures } = counters.get("kstat")!;
  await times(1, () => Number(failures.get("busy") ?? 0n));
  expect(failures.get("timeout")).toBe(1n);
  expect(sampler.failures().get("kstat")).toMatch(/has not ended/);
  expect(source.reads).toBe(1);
  stuck.open();
  await times(1, () => live.size);
  expect(sampler.failures().size).toBe(0);
});

test("a source that heeds its deadline fails as timeout too", async () => {
  const source = new ScriptedSource(
    "kstat",
    (_read, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  );
  const { counters } = start([sampled(source, { deadlineMs: 5 })]);
  await times(2, () => Number(counters.get("kstat")!.failures.get("timeout") ?? 0n));
  expect([...counters.get("kstat")!.failures.keys()]).toEqual(["timeout"]);
});

test("failures are counted by reason and later reads go on", async () => {
  const source = new ScriptedSource("kstat", (read) => {
    if (read === 0) throw new ZonemeterError("unavailable", "kstat is not there.");
    if (read === 1) throw new TypeError("oops");
    return report([snapshot()]);
  });
  const { counters, live } = start([sampled(source)]);
  await times(1, () => live.size);
  expect(counters.get("kstat")!.failures).toEqual(
    new Map([
      ["unavailable", 1n],
      ["defect", 1n],
    ]),
  );
});

test("missed intervals are counted", async () => {
  const hold = gate();
  const source = new ScriptedSource("kstat", async (read) => {
    if (read === 0) await hold.opened;
    return report([]);
  });
  const { counters } = start([sampled(source, { intervalMs: 1 })]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  hold.open();
  await times(1, () => Number(counters.get("kstat")!.intervalsMissed));
});

test("a later source keeps quiet until those before it have been read once, so that it does not speak for their metrics", async () => {
  const first = gate();
  const kstat = new ScriptedSource("kstat", async () => (await first.opened, report([snapshot(1, 1n)])));
  const zonestat = new ScriptedSource("zonestat", () => report([{ ...snapshot(1, 2n), source: "zonestat" }]));
  const { live, counters } = start([sampled(kstat, { intervalMs: 1_000 }), sampled(zonestat, { intervalMs: 1_000 })]);
  await times(1, () => zonestat.reads);
  expect(live.size).toBe(0);
  first.open();
  await times(1, () => Number(counters.get("zonestat")!.snapshotsTaken));
  expect(live.take(100).map((group) => [group.source, [...group.values]])).toEqual([["kstat", [1n]]]);
});

test("a full ring drops its oldest snapshots, counted in samples", async () => {
  const reads = PRODUCER_RING_READS + 3;
  const source = new ScriptedSource("kstat", (read) => report(read < reads ? [snapshot(1, BigInt(read))] : []));
  const { live, ledger } = start([sampled(source, { intervalMs: 1 })], { live: new GroupBuffer(3) });
  await times(reads + 1, () => source.reads);
  expect(live.take(100).flatMap((group) => [...group.values])).toEqual(
    Array.from({ length: PRODUCER_RING_READS }, (_, i) => BigInt(i + 3)),
  );
  expect(ledger.dropped).toEqual(new Map([["ring_full", 3n]]));
});

test("the ring holds several reads, however many zones one has", async () => {
  const zones = Array.from({ length: 50 }, (_, i) => snapshot(i + 1, BigInt(i)));
  const source = new ScriptedSource("kstat", (read) => report(read < PRODUCER_RING_READS ? zones : []));
  const { live, ledger } = start([sampled(source, { intervalMs: 1 })], { live: new GroupBuffer(10) });
  await times(PRODUCER_RING_READS + 1, () => source.reads);
  expect(live.size).toBe(50 * PRODUCER_RING_READS);
  expect(ledger.dropped.size).toBe(0);
});

describe("a recording", () => {
  test("is read only as fast as its snapshots find room, none is dropped, and its progress is exact", async () => {
    const source = new ScriptedSource("replay", (read) =>
      report(
        [0n, 1n, 2n, 3n].map((i) => snapshot(1, BigInt(read) * 4n + i)),
        read === 2,
      ),
    );
    const { sampler, replay, ledger, live } = start([sampled(source, { finite: true, intervalMs: 10 })], { replay: new GroupBuffer(5) });
    await times(5, () => replay.size);
    expect(source.reads).toBe(2);
    expect(sampler.replayed()).toEqual({ snapshotsRead: 5n, snapshotsDelivered: 0n, ended: false, failure: null });
    const seen: unknown[] = [];
    while (seen.length < 12) {
      const taken = replay.take(2);
      sampler.delivered(taken);
      seen.push(...taken.flatMap((group) => [...group.values]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => BigInt(i)));
    await until("the end", 5_000, async () => (sampler.replayed().ended ? true : undefined));
    expect(sampler.replayed()).toEqual({ snapshotsRead: 12n, snapshotsDelivered: 12n, ended: true, failure: null });
    expect(source.reads).toBe(3);
    expect(ledger.droppedInAll).toBe(0n);
    expect(live.size).toBe(0);
  });

  test("that cannot be read on ends and says why", async () => {
    const source = new ScriptedSource("replay", (read) => {
      if (read === 1) throw new ZonemeterError("unavailable", "The recording is gone.");
      return report([snapshot()]);
    });
    const { sampler } = start([sampled(source, { finite: true })]);
    await until("the end", 5_000, async () => (sampler.replayed().ended ? true : undefined));
    expect(sampler.replayed()).toMatchObject({ snapshotsRead: 1n, failure: "The recording is gone." });
    expect(source.reads).toBe(2);
  });

  test("of several sources keeps their order among themselves", async () => {
    const snapshots = [
      snapshot(1, 1n),
      { ...snapshot(1, 2n), source: "zonestat" as const },
      { ...snapshot(1, 3n), source: "kstat" as const },
    ];
    const { sampler, replay } = start([sampled(new ScriptedSource("replay", () => report(snapshots, true)), { finite: true })]);
    await until("the end", 5_000, async () => (sampler.replayed().ended ? true : undefined));
    expect(replay.take(100).flatMap((group) => [...group.values])).toEqual([1n, 3n]);
    // The suppressed snapshot needs no delivery.
    expect(sampler.replayed().snapshotsDelivered).toBe(1n);
  });
});

test("stopping ends a read, the waits and the sources", async () => {
  const clock: Clock = systemClock;
  const waiting = new ScriptedSource(
    "kstat",
    (_read, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  );
  const recording = new ScriptedSource("replay", () => report([snapshot(), snapshot()]));
  const { sampler, counters } = start([sampled(waiting), sampled(recording, { finite: true })], { clock, replay: new GroupBuffer(1) });
  await times(1, () => recording.reads);
  await sampler.stop();
  expect([waiting.closed, recording.closed]).toEqual([true, true]);
  expect(counters.get("kstat")!.failures.size).toBe(0);

  const untrusted = new ScriptedSource("kstat", () => report([]));
  const gated = start([sampled(untrusted)], {
    waitForClock: (signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  });
  await gated.sampler.stop();
  expect([untrusted.reads, untrusted.closed]).toEqual([0, true]);
});

test("an interval that a source stretches by itself is a self-metric, and told in the log", async () => {
  const source = Object.assign(
    new ScriptedSource("vmusage", (read) => ({
      ...report([]),
      diagnostics: read === 0 ? [{ code: "period-changed", text: "It now runs every 20 s.", line: null }] : [],
    })),
    { periodMs: 20_000 },
  );
  const plain = new ScriptedSource("kstat", () => report([]));
  const recording = new ScriptedSource("replay", () => report([], true));
  const { counters, lines } = start([sampled(source), sampled(plain), sampled(recording, { finite: true })]);
  await times(2, () => Math.min(source.reads, plain.reads, recording.reads * 2));
  await until("the counters", 5_000, async () => (counters.get("kstat")!.intervalNs === null ? undefined : true));
  expect([...counters].map(([name, { intervalNs }]) => [name, intervalNs])).toEqual([
    ["vmusage", 20_000_000_000n],
    ["kstat", 10_000_000n],
    ["replay", null],
  ]);
  expect(lines.filter(({ message }) => message === "It now runs every 20 s.")).toEqual([
    expect.objectContaining({ level: "warn", fields: expect.objectContaining({ source: "vmusage" }) }),
  ]);
});
