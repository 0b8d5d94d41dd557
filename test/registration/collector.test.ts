import { afterEach, describe, expect, it } from "vitest";
import {
  startCollectorRegistration,
  type CollectorRegistration,
  type CollectorRegistrationOptions,
} from "../../src/collector/registration.ts";
import { recordingLogger } from "../support/logs.ts";
import { endpoint, post, startTestNexus, uuid } from "../support/nexus.ts";
import { answer, cut, failure, hang, scriptedNexus, type ScriptedNexus, type Step } from "../support/scripted-nexus.ts";

const ID = uuid(0xc0);
const EXPECTED = { collector_id: ID, address: "[::1]:12223" };
const ok = answer(204);

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});
async function nexusOf(...steps: Step[]): Promise<ScriptedNexus> {
  const nexus = await scriptedNexus(...steps);
  closers.push(nexus.stop);
  return nexus;
}
function start(
  options: Pick<CollectorRegistrationOptions, "nexus"> & Partial<CollectorRegistrationOptions>,
): CollectorRegistration & Pick<ReturnType<typeof recordingLogger>, "lines"> {
  const { logger, lines } = recordingLogger();
  const registration = startCollectorRegistration({
    collectorId: ID,
    address: { host: "::1", port: 12_223 },
    logger,
    backoff: { firstMs: 1, factor: 1, capMs: 1, spread: 0 },
    ...options,
  });
  closers.push(registration.stop);
  return { ...registration, lines };
}

describe("a collector", () => {
  it("makes itself known, so that producers can register", async () => {
    const nexus = await startTestNexus();
    closers.push(nexus.stop);
    expect(await start({ nexus: nexus.nexus.address }).first).toBe(true);
    expect((await post(nexus, endpoint(1))).status).toBe(201);
  });

  it("tries again where there is no answer, a bad one or a 5xx", async () => {
    const nexus = await nexusOf(failure(500, "x"), cut, failure(503, "Service Unavailable"), answer(200, "garbage"), ok);
    const { first, lines } = start({ nexus: nexus.address });
    expect(await first).toBe(true);
    expect(nexus.bodies).toEqual([EXPECTED, EXPECTED, EXPECTED, EXPECTED, EXPECTED]);
    expect(lines.map((line) => line.level)).toEqual(["warn", "warn", "warn", "warn", "info"]);
  });

  it("gives up where Nexus says that the request is wrong", async () => {
    const nexus = await nexusOf(failure(400, "no such rack"), ok);
    const { first, stop } = start({ nexus: nexus.address });
    await expect(first).rejects.toMatchObject({
      code: "config",
      exitCode: 2,
      message: `Nexus refused the collector ${ID} at [::1]:12223 with status 400: no such rack`,
    });
    await stop();
    expect(nexus.bodies).toHaveLength(1);
  });

  it("registers again now and then, and only logs what goes wrong with that", async () => {
    const nexus = await nexusOf(ok, failure(400, "x"), failure(500, "y"), ok);
    const { first, lines } = start({ nexus: nexus.address, renewMs: 5 });
    expect(await first).toBe(true);
    await expect.poll(() => nexus.bodies.length).toBeGreaterThan(4);
    expect(lines.filter((line) => line.level === "warn").map((line) => line.message)).toEqual([
      "could not register with Nexus again",
      "could not register with Nexus again",
    ]);
  });

  it("stops at once while Nexus hangs or is away", async () => {
    for (const step of [hang, failure(500, "x")]) {
      const nexus = await nexusOf(step);
      const { first, stop } = start({ nexus: nexus.address, backoff: { firstMs: 60_000, factor: 1, capMs: 60_000, spread: 0 } });
      await expect.poll(() => nexus.bodies.length).toBe(1);
      await stop();
      expect(await first).toBe(false);
    }
  });
});
