import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readChronyTracking, readNtpqVariables, readTimedatectl, type ClockProbe } from "../../src/sources/clock-evidence.ts";
import { BUILD_DATE_NS, waitForTrustedClock, type ClockGate } from "../../src/sources/clock-gate.ts";
import { clockProbes } from "../../src/sources/clock-probes.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { recordingLogger } from "../support/logs.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { until } from "../support/until.ts";

const S = 1_000_000_000n;
const POLL = { firstMs: 5, factor: 1, capMs: 5, spread: 0 };

function gate(
  mode: ClockGate,
  clock: ManualClock,
  more: { probes?: readonly ClockProbe[]; platform?: NodeJS.Platform; signal?: AbortSignal } = {},
) {
  const { logger, lines } = recordingLogger();
  const { signal = new AbortController().signal, ...rest } = more;
  return { done: waitForTrustedClock({ gate: mode, clock, signal, logger, poll: POLL, ...rest }), lines };
}

const SYNCED = "A9FEA97B,169.254.169.123,4,1796102911.123456789,-0.000012,0.000001,0.000015,-12.5,0.001,0.02,0.0005,0.0003,64.2,Normal\n";

describe("readers of clock evidence", () => {
  it.each([
    ["a followed server", SYNCED, "synchronized"],
    ["a local reference clock", "50505300,PPS,1,1796102911.5,0.0000001,0,0,0,0,0,0,0,16.0,Normal\n", "synchronized"],
    [
      "nothing followed yet",
      "00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised\n",
      "not-synchronized",
    ],
    ["its own clock", "7F7F0101,,10,1796102911.5,0.0,0,0,0,0,0,0,0,64.0,Normal\n", "not-synchronized"],
    ["a clock still far off", SYNCED.replace("-0.000012", "-0.0501"), "not-synchronized"],
    ["a reference time of 1986", SYNCED.replace("1796102911.123456789", "520000000.0"), "not-synchronized"],
    ["a stratum of 10", SYNCED.replace(",4,", ",10,"), "not-synchronized"],
    ["an error", "506 Cannot talk to daemon\n", "unknown"],
    ["nothing", "", "unknown"],
  ])("chronyc: %s", (_what, text, verdict) => {
    expect(readChronyTracking(text)).toBe(verdict);
  });

  it.each([
    [
      'associd=0 status=0615 leap_none, sync_ntp, 1 event, clock_sync,\nversion="ntpd 4.2.8", leap=00, stratum=3, precision=-23\n',
      "synchronized",
    ],
    ["associd=0 status=c016 leap_alarm, sync_unspec, 1 event, restart,\nleap=11, stratum=16, precision=-23\n", "not-synchronized"],
    ["associd=0 status=0615 leap_none, sync_ntp,\nleap=00, stratum=16\n", "not-synchronized"],
    ["Connection refused\n", "unknown"],
  ])("ntpq: %s", (text, verdict) => {
    expect(readNtpqVariables(text)).toBe(verdict);
  });

  it.each([
    ["yes\n", "synchronized"],
    ["no\n", "not-synchronized"],
    ["", "unknown"],
  ])("timedatectl: %s", (text, verdict) => {
    expect(readTimedatectl(text)).toBe(verdict);
  });
});

describe("the clock gate", () => {
  it("is open at once where nothing is asked", async () => {
    await expect(gate("none", new ManualClock(0n)).done).resolves.toContain("not checked");
  });

  it("waits for a clock that shows a day before the build date, and says so once", async () => {
    const clock = new ManualClock(520_000_000n * S);
    const { done, lines } = gate("build-date", clock);
    await until("the word that it waits", 5_000, async () => (lines.length > 0 ? true : undefined));
    expect(lines[0]).toMatchObject({ level: "warn", fields: { told: "the clock shows a day before 2026-11-01" } });
    clock.step(BUILD_DATE_NS - clock.wallNs());
    await expect(done).resolves.toContain("not before the build date");
    expect(lines).toHaveLength(1);
  });

  it("waits until the first way of asking that knows says so", async () => {
    const clock = new ManualClock(BUILD_DATE_NS + S);
    let asked = 0;
    const silent: ClockProbe = async () => ({ verdict: "unknown", told: "there is no chronyc", absent: true });
    const slow: ClockProbe = async () => ({
      verdict: (asked += 1) < 4 ? "not-synchronized" : "synchronized",
      told: `asked ${asked} times`,
      absent: false,
    });
    const wrong: ClockProbe = async () => ({ verdict: "synchronized", told: "the last one is not asked", absent: false });
    const { done, lines } = gate("ntp", clock, { probes: [silent, slow, wrong] });
    await expect(done).resolves.toBe("asked 4 times");
    expect(lines.map(({ fields }) => fields["told"])).toEqual(["asked 1 times", "asked 2 times", "asked 3 times"]);
  });

  it("does not ask while the clock shows a day before the build date", async () => {
    const clock = new ManualClock(0n);
    let asked = 0;
    const probe: ClockProbe = async () => ({ verdict: "synchronized", told: `asked ${(asked += 1)} times`, absent: false });
    const { done, lines } = gate("ntp", clock, { probes: [probe] });
    await until("the word that it waits", 5_000, async () => (lines.length > 0 ? true : undefined));
    expect(asked).toBe(0);
    clock.step(BUILD_DATE_NS);
    await expect(done).resolves.toBe("asked 1 times");
  });

  it("goes on waiting while a daemon that is there knows nothing yet", async () => {
    let asked = 0;
    const probe: ClockProbe = async () => ({
      verdict: (asked += 1) < 3 ? "unknown" : "synchronized",
      told: "506 Cannot talk to daemon",
      absent: false,
    });
    await gate("ntp", new ManualClock(BUILD_DATE_NS), { probes: [probe] }).done;
    expect(asked).toBe(3);
  });

  it("is unavailable where nothing on the machine can ever tell", async () => {
    const none: ClockProbe = async () => ({ verdict: "unknown", told: "there is no chronyc", absent: true });
    await expect(gate("ntp", new ManualClock(BUILD_DATE_NS), { probes: [none, none] }).done).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("set the clock gate to build-date"),
    });
  });

  it("stops waiting when it is told to", async () => {
    const controller = new AbortController();
    const { done, lines } = gate("build-date", new ManualClock(0n), { signal: controller.signal });
    await until("the word that it waits", 5_000, async () => (lines.length > 0 ? true : undefined));
    controller.abort();
    await expect(done).rejects.toMatchObject({
      code: "unavailable",
      message: "Waiting for the clock was ended before it could be trusted.",
    });
  });
});

describe("the ways of asking", () => {
  let tools: FakeTools;

  beforeEach(() => {
    tools = new FakeTools();
  });

  afterEach(() => {
    tools.remove();
  });

  const ask = (platform: NodeJS.Platform): Promise<string> => gate("ntp", new ManualClock(BUILD_DATE_NS), { platform }).done;

  it("believe chrony on Linux and on illumos", async () => {
    tools.script("chronyc", `[ "$*" = "-n -c tracking" ] && printf '${SYNCED.trim()}\\n'`);
    await expect(ask("linux")).resolves.toBe('"chronyc -n -c tracking" says synchronized');
    await expect(ask("sunos")).resolves.toBe('"chronyc -n -c tracking" says synchronized');
  });

  it("pass over a chrony whose daemon is not there, and hear the next", async () => {
    tools.script("chronyc", 'echo "506 Cannot talk to daemon"; exit 1');
    tools.script("ntpq", 'echo "status=0615 leap_none, sync_ntp, leap=00, stratum=2"');
    await expect(ask("linux")).resolves.toBe('"ntpq -c rv" says synchronized');
  });

  it("hear the kernel's flag through timedatectl last", async () => {
    tools.script("chronyc", "exit 1");
    tools.script("ntpq", "exit 1");
    tools.script("timedatectl", '[ "$*" = "show -p NTPSynchronized --value" ] && echo yes');
    await expect(ask("linux")).resolves.toBe('"timedatectl show -p NTPSynchronized --value" says synchronized');
  });

  it("ask inside the NTP zone of an Oxide sled", async () => {
    const zone = "oxz_ntp_0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9";
    tools.script("chronyc", "exit 1");
    tools.script("zoneadm", `printf 'global\\noxz_switch\\n${zone}\\n'`);
    tools.script("zlogin", `[ "$*" = "${zone} /usr/bin/chronyc -n -c tracking" ] && printf '${SYNCED.trim()}\\n'`);
    await expect(ask("sunos")).resolves.toBe(`"zlogin ${zone} /usr/bin/chronyc -n -c tracking" says synchronized`);
  });

  it("are there for both platforms", () => {
    expect(clockProbes("linux").length).toBe(4);
    expect(clockProbes("sunos").length).toBe(3);
  });
});
