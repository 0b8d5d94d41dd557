import { afterEach, describe, expect, it } from "vitest";
import { formatSocketAddress } from "../../src/core/index.ts";
import { startRegistration, type Registration, type RegistrationOptions } from "../../src/producer/registration.ts";
import { gate } from "../support/gate.ts";
import { recordingLogger } from "../support/logs.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { addCollector, list, startTestNexus, uuid } from "../support/nexus.ts";
import { answer, cut, failure, hang, lease, scriptedNexus, type ScriptedNexus, type Step } from "../support/scripted-nexus.ts";

/** Attempts follow one another at once. */
const QUICK = { firstMs: 1, factor: 1, capMs: 1, spread: 0 };
const ID = uuid(0x77);
const EXPECTED = { id: ID, kind: "sled_agent", address: "[fd00::5]:4711", interval: { secs: 30n, nanos: 0 } };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

interface Started {
  registration: Registration;
  lines: ReturnType<typeof recordingLogger>["lines"];
  clock: ManualClock;
}

function start(options: Pick<RegistrationOptions, "nexus"> & Partial<RegistrationOptions>): Started {
  const { logger, lines } = recordingLogger();
  const clock = new ManualClock(1_772_000_000_000_000_000n, 9n);
  const registration = startRegistration({
    producerId: ID,
    kind: "sled_agent",
    address: { host: "fd00::5", port: 4711 },
    intervalMs: 30_000,
    logger,
    clock,
    backoff: QUICK,
    ...options,
  });
  closers.push(registration.stop);
  return { registration, lines, clock };
}

async function nexusOf(...steps: Step[]): Promise<ScriptedNexus> {
  const nexus = await scriptedNexus(...steps);
  closers.push(nexus.stop);
  return nexus;
}
async function registered({ registration }: Started): Promise<void> {
  await expect.poll(() => registration.state().registered, { interval: 2 }).toBe(true);
}

describe("a registration", () => {
  it("says who produces, where and how often, and knows how long its lease lasts", async () => {
    const nexus = await nexusOf(lease(600));
    const started = start({ nexus: nexus.address, intervalMs: 1_500.25 });
    expect(started.registration.state()).toEqual({ registered: false, lastError: null, leaseUntilNs: null });
    await registered(started);
    expect(nexus.bodies).toEqual([{ ...EXPECTED, interval: { secs: 1n, nanos: 500_250_000 } }]);
    expect(started.registration.state()).toEqual({ registered: true, lastError: null, leaseUntilNs: 1_772_000_600_000_000_000n });
    started.clock.pass(600_000_000_000n);
    expect(started.registration.state().registered).toBe(false);
  });

  it("is renewed long before its lease ends, one attempt at a time", async () => {
    const nexus = await nexusOf(lease(1));
    start({ nexus: nexus.address });
    await expect.poll(() => nexus.bodies.length).toBe(3);
    expect(nexus.bodies).toEqual([EXPECTED, EXPECTED, EXPECTED]);
    expect(nexus.mostAtOnce()).toBe(1);
  });

  it("does not hurry where the lease is nothing, nor overflow where it is for ever", async () => {
    for (const step of [lease(0), answer(201, '{"lease_duration":{"secs":18446744073709551615,"nanos":999999999}}')]) {
      const nexus = await nexusOf(step);
      const started = start({ nexus: nexus.address });
      await expect.poll(() => started.registration.state().leaseUntilNs, { interval: 2 }).not.toBeNull();
      expect(nexus.bodies).toHaveLength(1);
    }
  });

  it("works with the standalone Nexus, and moves with its producer", async () => {
    const nexus = await startTestNexus();
    closers.push(nexus.stop);
    const first = start({ nexus: nexus.nexus.address });
    await expect
      .poll(() => first.registration.state().lastError)
      .toBe("Nexus refused the registration with status 503: Service Unavailable");
    await addCollector(nexus, uuid(0xc));
    await registered(first);
    await first.registration.stop();
    await registered(start({ nexus: nexus.nexus.address, address: { host: "127.0.0.1", port: 99 } }));
    expect((await list(nexus, uuid(0xc))).items).toEqual([{ ...EXPECTED, address: "127.0.0.1:99" }]);
  });
});

describe("a failure", () => {
  it.each<[string, Step, RegExp]>([
    ["400", failure(400, "bad interval"), /^Nexus refused the registration with status 400: bad interval$/],
    ["404", failure(404, "Not Found"), /status 404/],
    ["500", failure(500, "Internal Server Error"), /status 500/],
    ["503", failure(503, "Service Unavailable"), /status 503/],
    ["a proxy's page", answer(502, "<html>"), /status 502: <html>/],
    ["garbage", answer(201, "}{"), /^Nexus answered cpapi_producers_post with something else than documented/],
    ["nothing", answer(201), /^Nexus answered cpapi_producers_post with something else than documented/],
    ["a cut connection", cut, /^Nexus at http:\/\/127\.0\.0\.1:\d+ gave no answer: /],
  ])("of %s is tried again, told once, and forgotten when it works", async (_name, step, reason) => {
    const nexus = await nexusOf(step, step, step, lease(600));
    const started = start({ nexus: nexus.address });
    await registered(started);
    expect(nexus.bodies).toEqual([EXPECTED, EXPECTED, EXPECTED, EXPECTED]);
    expect(started.registration.state().lastError).toBeNull();
    expect(started.lines.map((line) => [line.level, line.message])).toEqual([
      ["warn", "could not register with Nexus; trying again"],
      ["info", "registered with Nexus"],
    ]);
    expect(started.lines[0]!.fields["reason"]).toMatch(reason);
  });

  it("leaves the lease that was granted before as it is", async () => {
    const nexus = await nexusOf(lease(1), failure(500, "Internal Server Error"));
    const started = start({ nexus: nexus.address });
    await expect.poll(() => started.registration.state().lastError).not.toBeNull();
    expect(started.registration.state()).toMatchObject({ registered: true, leaseUntilNs: 1_772_000_001_000_000_000n });
    started.clock.pass(1_000_000_000n);
    expect(started.registration.state().registered).toBe(false);
  });

  it("is followed by longer and longer waits", async () => {
    const times: number[] = [];
    const nexus = await nexusOf((_request, response) => {
      times.push(performance.now());
      response.writeHead(500).end();
    });
    start({ nexus: nexus.address, backoff: { firstMs: 10, factor: 3, capMs: 1_000, spread: 0 } });
    await expect.poll(() => times.length).toBe(4);
    // Timers never fire early, so a lower bound is no matter of luck. They count whole milliseconds.
    const waits = times.slice(1).map((time, index) => time - times[index]!);
    expect(waits[0]).toBeGreaterThan(8);
    expect(waits[1]).toBeGreaterThan(28);
    expect(waits[2]).toBeGreaterThan(88);
  });

  it("is not the end where Nexus comes up later", async () => {
    const nexus = await scriptedNexus(lease(600));
    const { address } = nexus;
    await nexus.stop();
    const started = start({ nexus: address });
    await expect.poll(() => started.registration.state().lastError).toContain("ECONNREFUSED");
    const asked: string[] = [];
    const later = await nexusOf(lease(600));
    const moved = start({
      nexus: async () => {
        asked.push("asked");
        return asked.length === 1 ? [] : asked.length === 2 ? [address] : [address, later.address];
      },
    });
    await registered(moved);
    expect(asked).toHaveLength(3);
    expect(later.bodies).toEqual([EXPECTED]);
    expect(moved.lines.filter((line) => line.level === "warn").map((line) => line.fields["reason"])).toEqual([
      "No address of Nexus is known: nothing was found where it should be announced.",
      `Nexus at http://${formatSocketAddress(address)} gave no answer: connect ECONNREFUSED ${formatSocketAddress(address)}`,
    ]);
  });

  it("to find out where Nexus is, is one like any other", async () => {
    const nexus = await nexusOf(lease(600));
    let asked = 0;
    const started = start({
      nexus: async () => {
        asked += 1;
        if (asked < 3) throw new Error("no such name");
        return [nexus.address];
      },
    });
    await registered(started);
    expect(started.lines[0]!.fields["reason"]).toBe("no such name");
  });
});

describe("stop", () => {
  it("does not wait for a Nexus that hangs", async () => {
    const asked = gate();
    const nexus = await nexusOf((request, response) => {
      asked.open();
      hang(request, response);
    });
    const { registration, lines } = start({ nexus: nexus.address });
    await asked.opened;
    await registration.stop();
    expect(lines).toEqual([]);
  });

  it("does not wait for the next renewal or attempt, or for a name to be found", async () => {
    const good = start({ nexus: (await nexusOf(lease(600))).address });
    await registered(good);
    await good.registration.stop();
    const bad = start({
      nexus: (await nexusOf(failure(500, "x"))).address,
      backoff: { firstMs: 60_000, factor: 1, capMs: 60_000, spread: 0 },
    });
    await expect.poll(() => bad.registration.state().lastError).not.toBeNull();
    await bad.registration.stop();
    const lost = start({ nexus: () => new Promise(() => undefined) });
    await lost.registration.stop();
  });
});
