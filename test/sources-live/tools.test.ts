import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { openIdentityBook, type IdentityBook } from "../../src/sources/identity.ts";
import { createKstatSource } from "../../src/sources/kstat.ts";
import type { Snapshot, Source, SourceReport } from "../../src/sources/source.ts";
import { createVmusageSource } from "../../src/sources/vmusage.ts";
import { createZonestatSource } from "../../src/sources/zonestat.ts";
import { ZonestatCost } from "../../src/sources/zonestat-cost.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { openDescriptors, processExists, zombieChildren } from "../support/open-descriptors.ts";
import { until } from "../support/until.ts";

const S = 1_000_000_000n;
const never = new AbortController().signal;
const NEXUS = "oxz_nexus_3f6c1a2b-4d5e-4f60-8a7b-9c0d1e2f3a4b";

let tools: FakeTools;
let stateDir: string;
let book: IdentityBook;

beforeEach(async () => {
  tools = new FakeTools();
  stateDir = await mkdtemp(join(tmpdir(), "zonemeter-tools-state-"));
  book = await openIdentityBook({ stateDir, clock: systemClock });
});

afterEach(async () => {
  tools.remove();
  await rm(stateDir, { recursive: true, force: true });
});

function zone(report: SourceReport, name: string): Snapshot {
  const found = report.snapshots.find(({ subject }) => subject.kind === "zone" && subject.zoneName === name);
  expect(found, name).toBeDefined();
  return found!;
}

function value(snapshot: Snapshot, metric: string, label?: string): bigint | number | null | undefined {
  return snapshot.readings.find((each) => each.metric === metric && (label === undefined || Object.values(each.labels).includes(label)))
    ?.value;
}

/** What kstat -p prints of two zones. */
function kstatText({ id = 7, user = 5_000_000_123n, bootTime = 1_790_000_000, crtime = "90.000000001" } = {}): string {
  const zones = [
    { id: 0, name: "global", user: 77n, bootTime: 1_789_000_000, crtime: "3.5" + "0".repeat(8) },
    { id, name: NEXUS, user, bootTime, crtime },
  ];
  const lines: string[] = [];
  const print = (prefix: string, stats: Record<string, string | number | bigint>): void => {
    for (const [name, stat] of Object.entries(stats)) lines.push(`${prefix}:${name}\t${stat}`);
  };
  for (const each of zones) {
    const always = { class: "zone_caps", crtime: each.crtime, snaptime: "1000.000000000", zonename: each.name };
    print(`caps:${each.id}:lockedmem_zone_${each.id}`, { ...always, usage: 0, value: 18_446_744_073_709_551_615n });
    print(`caps:${each.id}:nprocs_zone_${each.id}`, { ...always, usage: 21, value: 2_147_483_647 });
    print(`caps:${each.id}:swapresv_zone_${each.id}`, { ...always, usage: 123_456_512, value: 18_446_744_073_709_551_615n });
  }
  for (const each of zones) {
    print(`memory_cap:${each.id}:${each.name.slice(0, 30)}`, {
      anonpgin: 4,
      class: "zone_memory_cap",
      crtime: each.crtime,
      snaptime: "1000.000000000",
      zonename: each.name,
    });
  }
  print("unix:0:system_pages", { crtime: "0", freemem: 1_000, physmem: 5_000, snaptime: "1000.000000100" });
  for (const each of zones) {
    const stats = {
      boot_time: each.bootTime,
      class: "zone_misc",
      crtime: each.crtime,
      nsec_sys: 9,
      nsec_user: each.user,
      nsec_waitrq: 2,
      snaptime: "1000.000000200",
      zonename: each.name,
    };
    print(`zones:${each.id}:${each.name.slice(0, 30)}`, stats);
  }
  return `${lines.join("\n")}\n`;
}

describe("kstat", () => {
  const make = (deadlineMs?: number): Source =>
    createKstatSource({ book, clock: systemClock, ...(deadlineMs === undefined ? {} : { deadlineMs }) });

  it("runs one child in the C locale and gives a snapshot of each zone and of the sled, at one instant", async () => {
    tools.text("out", kstatText());
    tools.script("kstat", 'echo "$LC_ALL $@" >> "$HERE/calls"; cat "$HERE/out"');
    const beforeNs = systemClock.wallNs();
    const report = await make().read(never);
    const afterNs = systemClock.wallNs();
    const calls = readFileSync(join(tools.folder, "calls"), "utf8").trim().split("\n");
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatch(/^C -p zones::: memory_cap::: caps::\*_zone_\*: /);
    expect(report.snapshots.map(({ subject }) => (subject.kind === "zone" ? subject.zoneName : "(sled)")).sort()).toEqual([
      "(sled)",
      "global",
      NEXUS,
    ]);
    const nexus = zone(report, NEXUS);
    expect(nexus).toMatchObject({
      source: "kstat",
      sled: null,
      subject: { zoneType: "nexus", zoneId: "3f6c1a2b-4d5e-4f60-8a7b-9c0d1e2f3a4b", startTimeNs: 1_790_000_000n * S },
    });
    expect(value(nexus, "cpu_nsec", "user")).toBe(5_000_000_123n);
    expect(value(nexus, "swap_reserved")).toBe(123_456_512n);
    for (const { timestampNs } of report.snapshots) {
      expect(timestampNs).toBeGreaterThanOrEqual(beforeNs);
      expect(timestampNs).toBeLessThanOrEqual(afterNs);
    }
    expect(new Set(report.snapshots.map(({ timestampNs }) => timestampNs)).size).toBe(1);
  });

  it("dates the values by the tool's own clock where that is the agent's", async () => {
    const clock = new ManualClock(1_800_000_000n * S, 999n * S);
    tools.text("out", kstatText());
    tools.script("kstat", 'cat "$HERE/out"');
    const running = createKstatSource({ book, clock }).read(never);
    clock.pass(5n * S);
    const { timestampNs } = zone(await running, NEXUS);
    // Values of 1000.0000002 on a clock that stood at 1004 s when the tool had ended.
    expect(timestampNs).toBe(1_800_000_005n * S - (1_004n * S - 1_000_000_000_200n));
  });

  it("keeps start times over restarts, and begins a new one after the last stamp when a zone boots again", async () => {
    tools.script("kstat", 'cat "$HERE/out"');
    tools.text("out", kstatText({ bootTime: 500 }));
    const first = zone(await make().read(never), NEXUS);
    // The boot time is of 1970: 910 s before the values were read.
    expect(Number((first.timestampNs - first.subject.startTimeNs) / 1_000_000n)).toBeCloseTo(910_000, -2);
    book = await openIdentityBook({ stateDir, clock: systemClock });
    const again = zone(await make().read(never), NEXUS);
    expect(again.subject).toEqual(first.subject);
    expect(again.timestampNs).toBeGreaterThan(first.timestampNs);
    tools.text("out", kstatText({ id: 8, user: 4n, crtime: "999.000000000" }));
    const reborn = zone(await make().read(never), NEXUS);
    expect(reborn.subject.startTimeNs).toBeGreaterThan(again.timestampNs);
    expect(reborn.subject.startTimeNs).toBeLessThan(reborn.timestampNs);
    expect(value(reborn, "cpu_nsec", "user")).toBe(4n);
  });

  it.each([
    ["prints nothing and fails", 'echo "kstat: something is wrong" >&2; exit 3', /something is wrong/],
    ["matches nothing", "exit 1", /^kstat found nothing that matches/],
    ["prints rubbish", "echo rubbish", /"rubbish"/],
    ["dies", "kill -9 $$", /^kstat ended by SIGKILL/],
  ])("is unavailable, and zones are not 0, when the tool %s", async (_what, script, message) => {
    tools.script("kstat", script);
    await expect(make().read(never)).rejects.toMatchObject({ code: "unavailable", message: expect.stringMatching(message) });
  });

  it("is unavailable when the tool hangs, and recovers with the next read", async () => {
    tools.script("kstat", 'echo $$ > "$HERE/pid"; exec sleep 1000');
    await expect(make(200).read(never)).rejects.toMatchObject({
      code: "unavailable",
      message: "kstat did not finish within 200 ms and was stopped.",
    });
    const pid = Number(readFileSync(join(tools.folder, "pid"), "utf8"));
    await until("its end", 5_000, async () => (processExists(pid) ? undefined : true));
    tools.text("out", kstatText());
    tools.script("kstat", 'cat "$HERE/out"');
    expect((await make().read(never)).snapshots).toHaveLength(3);
  });

  it("keeps what stderr says apart from the data", async () => {
    tools.text("out", kstatText());
    tools.script("kstat", 'echo "kstat: warning" >&2; cat "$HERE/out"');
    const report = await make().read(never);
    expect(report.snapshots).toHaveLength(3);
    expect(report.diagnostics).toEqual([expect.objectContaining({ code: "tool-error", text: expect.stringContaining("kstat: warning") })]);
  });
});

describe("zonestat", () => {
  const report = (unixS: bigint | number, count: number): string =>
    [
      `${unixS}:interval:header:since-last-interval:${unixS}:${count}:${count * 10}`,
      "interval:summary:[resource]:16:16:67108864K:71303168K",
      `${unixS}:interval:summary:[total]:1.50:9.37%:-:-:20971520K:31.25%:-:10485760K:14.70%:-`,
      `${unixS}:interval:summary:[system]:0.50:3.12%:-:-:10485760K:15.62%:-:5242880K:7.35%:-`,
      `${unixS}:interval:summary:${NEXUS}:1.00:6.25%:-:-:10485760K:15.62%:-:5242880K:7.35%:-`,
      `${unixS}:interval:footer:${unixS}10:${count * 10}`,
      "",
    ].join("\n");
  const FAST = { firstMs: 1, factor: 1, capMs: 1, spread: 0 };
  let source: Source | undefined;

  afterEach(async () => {
    await source?.close();
    source = undefined;
  });

  const make = (): Source =>
    (source = createZonestatSource({ book, clock: systemClock, logger: silentLogger, intervalMs: 10_000, backoff: FAST }));

  async function readUntilSnapshots(from: Source): Promise<SourceReport> {
    return until("a report", 10_000, async () => {
      const read = await from.read(never).catch(() => null);
      return read !== null && read.snapshots.length > 0 ? read : undefined;
    });
  }

  it("keeps one child running and gives each finished report once, with its own time", async () => {
    tools.text("first", report(1_800_000_010, 1));
    tools.text("second", report(1_800_000_020, 2));
    tools.script(
      "zonestat",
      'echo "$@" >> "$HERE/calls"; cat "$HERE/first"; until [ -e "$HERE/go" ]; do sleep 0.05; done; cat "$HERE/second"; exec sleep 1000',
    );
    const zonestat = make();
    const first = await readUntilSnapshots(zonestat);
    const nexus = zone(first, NEXUS);
    expect(nexus).toMatchObject({ source: "zonestat", timestampNs: 1_800_000_010n * S });
    expect(value(nexus, "cpu_used")).toBe(1);
    expect(value(nexus, "memory_resident")).toBe(10_485_760n * 1024n);
    expect((await zonestat.read(never)).snapshots).toEqual([]);
    tools.text("go", "");
    expect(zone(await readUntilSnapshots(zonestat), NEXUS).timestampNs).toBe(1_800_000_020n * S);
    expect(readFileSync(join(tools.folder, "calls"), "utf8")).toBe("-p -T u -r summary,memory,psets,processes 10\n");
  });

  it("says that the service is down, and recovers when it is back", async () => {
    tools.script(
      "zonestat",
      'echo "zonestat: Error: Zones monitoring service \\"svc:/system/zones-monitoring:default\\" not enabled or responding." >&2; exit 3',
    );
    const zonestat = make();
    const error = await until("the failure", 10_000, () =>
      zonestat.read(never).then(
        () => undefined,
        (reason: unknown) => reason as Error,
      ),
    );
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("service is not enabled or not responding") });
    tools.text("first", report(1_800_000_010, 1));
    tools.script("zonestat", 'cat "$HERE/first"; exec sleep 1000');
    expect(zone(await readUntilSnapshots(zonestat), NEXUS).timestampNs).toBe(1_800_000_010n * S);
    expect((await zonestat.read(never)).snapshots).toEqual([]);
  });

  it("keeps finished reports of a run that ends, and drops the one that was cut", async () => {
    tools.text("out", report(1_800_000_010, 1) + report(1_800_000_020, 2).slice(0, 200));
    tools.script("zonestat", '[ -e "$HERE/once" ] && exec sleep 1000; touch "$HERE/once"; cat "$HERE/out"; exit 3');
    const zonestat = make();
    await until("the second run", 10_000, async () => (existsSync(join(tools.folder, "once")) ? true : undefined));
    const read = await readUntilSnapshots(zonestat);
    expect(new Set(read.snapshots.map(({ timestampNs }) => timestampNs))).toEqual(new Set([1_800_000_010n * S]));
  });

  it("keeps the newest reports when nobody reads, and says that others were dropped", async () => {
    tools.text("out", Array.from({ length: 20 }, (_, i) => report(1_800_000_000 + i, i + 1)).join(""));
    tools.script("zonestat", 'cat "$HERE/out"; touch "$HERE/done"; exec sleep 1000');
    const zonestat = make();
    await until("all output", 10_000, async () => (existsSync(join(tools.folder, "done")) ? true : undefined));
    const stamps = new Set<bigint>();
    const codes = new Set<string>();
    await until("the last report", 10_000, async () => {
      const read = await zonestat.read(never);
      for (const { timestampNs } of read.snapshots) stamps.add(timestampNs);
      for (const { code } of read.diagnostics) codes.add(code);
      return stamps.has(1_800_000_019n * S) ? true : undefined;
    });
    expect(stamps.size).toBeLessThan(20);
    expect(codes).toContain("report-dropped");
  });

  it("is started anew with twice the interval where three reports in a row were dear, says so, and comes back when they are cheap", async () => {
    const clock = new ManualClock(1_800_000_000n * S + 250_000_000n);
    execFileSync("mkfifo", [join(tools.folder, "in")]);
    // The fifo is held open for writing too, so that it does not end between two reports.
    tools.script("zonestat", 'exec 3<>"$HERE/in"; for last; do :; done; echo "$last" >> "$HERE/calls"; exec cat <&3');
    source = createZonestatSource({ book, clock, logger: silentLogger, intervalMs: 60_000, backoff: FAST });
    const zonestat = source;
    const intervals = (): string[] => readFileSync(join(tools.folder, "calls"), "utf8").trim().split("\n");
    let unixS = 1_800_000_000;
    /** The tool wakes when its interval is over, and prints after so many ms. What the read said. */
    const print = async (costMs: number): Promise<string[]> => {
      const intervalS = Number(intervals().at(-1));
      unixS += intervalS;
      const phaseMs = Number((clock.wallNs() % S) / 1_000_000n);
      clock.pass(BigInt(unixS) * S - clock.wallNs() + BigInt(phaseMs + costMs) * 1_000_000n);
      await writeFile(join(tools.folder, "in"), report(unixS, 1));
      unixS = Number(clock.wallNs() / S);
      return (await readUntilSnapshots(zonestat)).diagnostics.map(({ text }) => text);
    };
    const started = (runs: number): Promise<true> =>
      until(`run ${runs}`, 10_000, async () => (existsSync(join(tools.folder, "calls")) && intervals().length === runs ? true : undefined));
    await started(1);
    // Of the first report of a run nothing is known; one that is late alone may be late because its reader was.
    for (const costMs of [9_000, 2_400, 100, 2_500, 2_600]) expect(await print(costMs)).toEqual([]);
    expect(zonestat.periodMs).toBe(60_000);
    expect(await print(2_700)).toEqual(["zonestat's reports came 2.5 to 2.7 s behind their time, so it now runs every 120 s."]);
    await started(2);
    for (const costMs of [100, 800, 100, 950]) expect(await print(costMs)).toEqual([]);
    for (const costMs of [100, 800]) expect(await print(costMs)).toEqual([]);
    expect(await print(100)).toEqual(["zonestat's reports came 0.1 to 0.8 s behind their time, so it now runs every 60 s."]);
    await started(3);
    for (const costMs of [100, 100, 100, 100, 100]) expect(await print(costMs)).toEqual([]);
    expect(intervals()).toEqual(["60", "120", "60"]);
    expect(zonestat.periodMs).toBe(60_000);
  });

  it("takes no clock step for a cost", () => {
    const cost = new ZonestatCost();
    const at = (seconds: number): bigint => BigInt(Math.round(seconds * 1_000)) * 1_000_000n;
    const take = (stamp: number, arrival: number) => cost.take(at(stamp), at(arrival), 210_000);
    expect(take(1_000, 1_000.9)).toBeNull();
    expect(take(1_060, 4_661)).toBeNull();
    expect(take(4_720, 1_121)).toBeNull();
    expect([take(1_180, 1_180.01), take(1_240, 1_240.02), take(1_300, 1_301.04)]).toEqual([null, null, { leastMs: 10, mostMs: 1_020 }]);
  });

  it("leaves nothing running", async () => {
    const before = openDescriptors();
    tools.script("zonestat", 'echo $$ > "$HERE/pid"; echo "interval:header:x"; exec sleep 1000');
    const zonestat = make();
    const pid = await until("its start", 10_000, async () => {
      const text = existsSync(join(tools.folder, "pid")) ? readFileSync(join(tools.folder, "pid"), "utf8") : "";
      return text.endsWith("\n") ? Number(text) : undefined;
    });
    await zonestat.close();
    expect(processExists(pid)).toBe(false);
    expect(openDescriptors()).toBe(before);
    expect(zombieChildren()).toEqual([]);
  });
});

describe("vmusage", () => {
  const OUT = [
    "   PID USERNAME  SIZE   RSS STATE   PRI NICE      TIME  CPU PROCESS/NLWP",
    "   100 root     5000K 3000K sleep    59    0   0:00:01 0.1% init/1",
    "ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE",
    "     0       40  900M 1200M   1.8%   1:02:03 0.3% global",
    `     7       12  250M   96M   0.1%   0:10:00 0.0% ${NEXUS}`,
    "Total: 52 processes, 200 lwps, load averages: 0.10, 0.20, 0.30",
    "",
  ].join("\n");

  it("gives resident memory and swap of all zones from one prstat", async () => {
    tools.text("out", OUT);
    tools.script("prstat", 'echo "$LC_ALL $@" >> "$HERE/calls"; cat "$HERE/out"');
    const report = await createVmusageSource({ book, clock: systemClock, intervalMs: 60_000 }).read(never);
    expect(readFileSync(join(tools.folder, "calls"), "utf8")).toBe("C -c -Z -n 1,10000 1 1\n");
    expect(report.snapshots).toHaveLength(2);
    expect(value(zone(report, NEXUS), "memory_resident")).toBe(96n * 1_048_576n);
    expect(value(zone(report, NEXUS), "swap_reserved")).toBe(250n * 1_048_576n);
    expect(zone(report, NEXUS)).toMatchObject({ source: "vmusage" });
  });

  it("runs half as often each time it was dear, says so, and comes back when it is cheap", async () => {
    const clock = new ManualClock(1_800_000_000n * S, 50n * S);
    tools.text("out", OUT);
    tools.script("prstat", 'echo run >> "$HERE/calls"; cat "$HERE/out"');
    const source = createVmusageSource({ book, clock, intervalMs: 60_000 });
    const runs = (): number =>
      existsSync(join(tools.folder, "calls")) ? readFileSync(join(tools.folder, "calls"), "utf8").trim().split("\n").length : 0;
    /** One read on the minute, in which the tool takes this long. */
    const round = async (tookMs: number): Promise<SourceReport> => {
      const running = source.read(never);
      clock.pass(BigInt(tookMs) * 1_000_000n);
      const report = await running;
      clock.pass(60n * S - BigInt(tookMs) * 1_000_000n);
      return report;
    };
    const dear = await round(1_000 + 2_000);
    expect(dear.diagnostics).toEqual([{ code: "period-changed", text: "prstat took 2000 ms, so it now runs every 120 s.", line: null }]);
    expect(await round(0)).toEqual({ snapshots: [], diagnostics: [], ended: false });
    expect(runs()).toBe(1);
    expect((await round(1_000 + 4_000)).diagnostics.map(({ text }) => text)).toEqual(["prstat took 4000 ms, so it now runs every 240 s."]);
    for (let i = 0; i < 3; i++) expect((await round(0)).snapshots).toEqual([]);
    expect((await round(1_000 + 100)).diagnostics.map(({ text }) => text)).toEqual(["prstat took 100 ms, so it now runs every 120 s."]);
    expect(runs()).toBe(3);
    expect((await round(0)).snapshots).toEqual([]);
    expect((await round(1_000 + 100)).diagnostics.map(({ text }) => text)).toEqual(["prstat took 100 ms, so it now runs every 60 s."]);
    expect((await round(1_000 + 100)).diagnostics).toEqual([]);
    expect(runs()).toBe(5);
  });

  it("never runs twice at once, and tells a failure again until the next run is due", async () => {
    tools.script("prstat", 'echo run >> "$HERE/calls"; exec sleep 1000');
    const source = createVmusageSource({ book, clock: systemClock, intervalMs: 2_000, deadlineMs: 1_200 });
    const first = source.read(never);
    const second = source.read(never);
    await expect(second).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("has not ended") });
    await expect(first).rejects.toMatchObject({ code: "unavailable", message: "prstat did not finish within 1200 ms and was stopped." });
    await expect(source.read(never)).rejects.toMatchObject({ message: "prstat did not finish within 1200 ms and was stopped." });
    expect(readFileSync(join(tools.folder, "calls"), "utf8")).toBe("run\n");
  });
});
