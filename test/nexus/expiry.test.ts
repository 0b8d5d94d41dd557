import { afterEach, describe, expect, it } from "vitest";
import { formatSocketAddress } from "../../src/core/index.ts";
import { loadDocument, startServer, type Handler, type Server } from "../../src/http/index.ts";
import { addCollector, endpoint, list, post, startTestNexus, uuid, type TestNexus } from "../support/nexus.ts";
import { recordingLogger } from "../support/logs.ts";

const COLLECTOR = uuid(0xc);
const SECOND = 1_000_000_000n;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A Nexus that looks at leases all the time; what it sees of time is up to the test. */
async function start(): Promise<TestNexus> {
  const nexus = await startTestNexus({ expirySweepMs: 5 });
  closers.push(nexus.stop);
  return nexus;
}

/** A collector's API that records which producers it is told to forget. */
async function collectorApi(onDelete: Handler): Promise<Server> {
  const idle: Handler = async () => ({ status: 200, body: {} });
  const server = await startServer({
    document: loadDocument("oximeter-collector"),
    handlers: { collector_info: idle, producers_list: idle, producer_details: idle, producer_delete: onDelete },
    host: "127.0.0.1",
    port: 0,
    name: "the collector",
    logger: recordingLogger().logger,
    apiVersion: "required",
  });
  closers.push(() => server.close(0));
  return server;
}

const left = async (nexus: TestNexus): Promise<string[]> => (await list(nexus, COLLECTOR)).items.map((item) => item.id);

describe("a lease", () => {
  it("ends after ten minutes without a renewal, and its collector is told", async () => {
    const deleted: string[] = [];
    const collector = await collectorApi(async ({ params }) => {
      deleted.push(params["producer_id"]!);
      return { status: 204 };
    });
    const nexus = await start();
    await addCollector(nexus, COLLECTOR, formatSocketAddress(collector.address));
    await post(nexus, endpoint(1));
    await post(nexus, endpoint(2));
    nexus.clock.pass(400n * SECOND);
    await post(nexus, endpoint(2));
    nexus.clock.pass(200n * SECOND);
    // Exactly at its end a lease still holds.
    await post(nexus, endpoint(3));
    expect(await left(nexus)).toEqual([uuid(1), uuid(2), uuid(3)]);
    nexus.clock.pass(1n);
    await expect.poll(() => deleted).toEqual([uuid(1)]);
    expect(await left(nexus)).toEqual([uuid(2), uuid(3)]);
  });

  it("does not end because somebody sets the wall clock", async () => {
    const nexus = await start();
    await addCollector(nexus, COLLECTOR);
    await post(nexus, endpoint(1));
    nexus.clock.step(86_400n * SECOND);
    await post(nexus, endpoint(2));
    nexus.clock.pass(601n * SECOND);
    await post(nexus, endpoint(3));
    await expect.poll(() => left(nexus)).toEqual([uuid(3)]);
  });

  it("ends all the same where the collector cannot be reached or refuses, which is only logged", async () => {
    const refusing = await collectorApi(async () => ({ status: 204, body: undefined }));
    await refusing.close(0);
    const nexus = await start();
    await addCollector(nexus, COLLECTOR, formatSocketAddress(refusing.address));
    await post(nexus, endpoint(1));
    await post(nexus, endpoint(2));
    nexus.clock.pass(601n * SECOND);
    await expect
      .poll(() => nexus.lines.filter((line) => line.level === "warn").map((line) => line.fields))
      .toMatchObject([{ collectorId: COLLECTOR, producers: 2 }]);
    expect(await left(nexus)).toEqual([]);
    // It can register again, with a lease of its own.
    await post(nexus, endpoint(1));
    expect(await left(nexus)).toEqual([uuid(1)]);
  });

  it("ends where the collector answers with an error", async () => {
    const failing = await collectorApi(async () => Promise.reject(new Error("broken")));
    const nexus = await start();
    await addCollector(nexus, COLLECTOR, formatSocketAddress(failing.address));
    await post(nexus, endpoint(1));
    nexus.clock.pass(601n * SECOND);
    await expect
      .poll(() => nexus.lines.find((line) => line.level === "warn")?.fields)
      .toMatchObject({ producerId: uuid(1), reason: "Internal Server Error" });
    expect(await left(nexus)).toEqual([]);
  });

  it("does not keep Nexus from ending while a collector hangs", async () => {
    let asked!: () => void;
    const hanging = new Promise<void>((resolve) => (asked = resolve));
    const collector = await collectorApi(async ({ signal }) => {
      asked();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut"))));
    });
    const nexus = await start();
    await addCollector(nexus, COLLECTOR, formatSocketAddress(collector.address));
    await post(nexus, endpoint(1));
    nexus.clock.pass(601n * SECOND);
    await hanging;
    await nexus.nexus.close();
    expect(nexus.lines.filter((line) => line.level === "warn")).toEqual([]);
  });
});
