import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { formatSocketAddress, ZonemeterError, type Sample, type SocketAddress } from "../../src/core/index.ts";
import { startCollector, type Collector, type CollectorLimits } from "../../src/collector/index.ts";
import { startProducer, type Producer, type ProducerOptions } from "../../src/producer/index.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import type { Snapshot } from "../../src/sources/index.ts";
import { startFakeProducer, sendSamples } from "../support/fake-producer.ts";
import { heatSamples, KETTLES, valuesOf } from "../support/kettle-samples.ts";
import { recordingLogger } from "../support/logs.ts";
import { MemorySink } from "../support/memory-sink.ts";
import { startTestNexus, type TestNexus } from "../support/nexus.ts";
import { report, ScriptedSource, SLED, zoneSnapshot } from "../support/scripted-source.ts";
import { until } from "../support/until.ts";

const catalogue = loadCatalogue();
const COLLECTOR = "c0ffee00-0000-4000-8000-000000000001";
const NOW = 1_790_000_000_000_000_000n;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startNexus(): Promise<TestNexus> {
  const nexus = await startTestNexus();
  cleanups.push(() => nexus.stop());
  return nexus;
}

async function collect(
  nexus: SocketAddress,
  sink: MemorySink,
  limits: Partial<CollectorLimits> = {},
  known = catalogue,
): Promise<Collector> {
  const { logger } = recordingLogger();
  const collector = await startCollector({
    collectorId: COLLECTOR,
    host: "127.0.0.1",
    port: 0,
    nexus,
    sink,
    catalogue: known,
    firstPollAtOnce: true,
    logger,
    limits: { batchIntervalMs: 5, refreshMs: 20, firstRefreshMs: 20, ...limits },
  });
  cleanups.push(() => collector.stop(2_000));
  await collector.registered;
  return collector;
}

async function produce(
  nexus: SocketAddress | null,
  sources: ProducerOptions["sources"],
  more: Partial<ProducerOptions> = {},
): Promise<Producer> {
  const stateDir = await mkdtemp(join(tmpdir(), "zm-delivery-"));
  cleanups.push(() => rm(stateDir, { recursive: true }));
  const { logger } = recordingLogger();
  const producer = await startProducer({
    host: "127.0.0.1",
    port: 0,
    nexus,
    stateDir,
    sled: SLED,
    sources,
    compareSources: false,
    collectIntervalMs: 50,
    catalogue,
    waitForClock: async () => undefined,
    logger,
    ...more,
  });
  cleanups.push(() => producer.stop(0));
  return producer;
}

const cpuOf = (samples: readonly Sample[]): bigint[] =>
  samples.flatMap(({ timeseriesName, datum }) =>
    timeseriesName === "zone_resource:cpu_nsec" && datum.type === "cumulative_u64" ? [datum.value] : [],
  );
const sorted = (values: readonly bigint[]): bigint[] => values.toSorted((a, b) => (a < b ? -1 : 1));
const eventually = (what: string, holds: () => boolean): Promise<true> => until(what, 30_000, async () => (holds() ? true : undefined));
const balance = (producer: Producer): void => {
  const { produced, delivered, dropped, buffered } = producer.stats();
  expect(delivered + [...dropped.values()].reduce((a, b) => a + b, 0n) + BigInt(buffered)).toBe(produced);
};

test("a recording goes through as fast as it is stored, batch after batch, and its progress ends with its last snapshot", async () => {
  const count = 30_000;
  const source = new ScriptedSource("replay", (read) =>
    report(
      Array.from({ length: 100 }, (_, i): Snapshot => zoneSnapshot(1, NOW + BigInt(read * 100 + i), BigInt(read * 100 + i))),
      read * 100 + 100 >= count,
    ),
  );
  const nexus = await startNexus();
  const sink = new MemorySink();
  const collector = await collect(nexus.nexus.address, sink);
  const producer = await produce(nexus.nexus.address, [{ source, intervalMs: 1_000, deadlineMs: 10_000, finite: true }], {
    collectIntervalMs: 3_600_000,
  });
  await eventually("the end of the recording", () => {
    const { ended, snapshotsRead, snapshotsDelivered } = producer.replayed();
    balance(producer);
    return ended && snapshotsRead === snapshotsDelivered;
  });
  expect(producer.replayed()).toEqual({ snapshotsRead: BigInt(count), snapshotsDelivered: BigInt(count), ended: true, failure: null });
  expect(cpuOf(sink.samples)).toEqual(Array.from({ length: count }, (_, i) => BigInt(i)));
  expect(producer.stats().dropped.size).toBe(0);
  expect(collector.stats()).toMatchObject({ dropped: new Map(), refused: new Map(), failures: new Map() });
});

/** Stands between collector and producer and spoils what goes through: not asking, losing answers whole or in part. */
async function spoiler(target: SocketAddress, fate: () => "pass" | "refuse" | "lose" | "cut"): Promise<SocketAddress> {
  const server = createServer((request, response) => {
    const what = fate();
    if (what === "refuse") return void response.destroy();
    const onward = httpRequest({ host: target.host, port: target.port, path: request.url, headers: request.headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const body = Buffer.concat(chunks);
        if (what === "lose") return void response.destroy();
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (what === "cut") response.write(body.subarray(0, body.length / 2), () => response.destroy());
        else response.end(body);
      });
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    onward.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

test("every sample is stored once, whatever of requests, answers and inserts is lost on the way", async () => {
  const seed = (Math.random() * 2 ** 32) >>> 0;
  console.log(`seed ${seed}`);
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let spoiling = true;
  let taken = 0;
  const source = new ScriptedSource("kstat", () =>
    report(taken >= 4_000 ? [] : Array.from({ length: 40 }, () => zoneSnapshot(1, NOW + BigInt(taken), BigInt(taken++)))),
  );
  const nexus = await startNexus();
  const sink = new MemorySink();
  const lose = (): void => {
    if (spoiling && random() < 0.3) throw new ZonemeterError("unavailable", "The store does not answer.");
  };
  sink.faults = { before: lose, after: lose };
  const producer = await produce(null, [{ source, intervalMs: 5, deadlineMs: 10_000, finite: false }], { collectIntervalMs: 30_000 });
  const between = await spoiler(producer.address, () => {
    const drawn = spoiling ? random() : 1;
    return drawn < 0.15 ? "refuse" : drawn < 0.3 ? "lose" : drawn < 0.45 ? "cut" : "pass";
  });
  const collector = await collect(nexus.nexus.address, sink);
  const { nexusProducers } = await import("../../src/generated/index.ts");
  await nexusProducers.cpapiProducersPost({
    client: nexus.client,
    body: { id: producer.producerId, kind: "service", address: formatSocketAddress(between), interval: { secs: 0n, nanos: 10_000_000 } },
  });
  await eventually("all samples to be produced", () => {
    balance(producer);
    return taken >= 4_000;
  });
  await eventually("some failures", () => collector.stats().failures.size > 0);
  spoiling = false;
  await eventually("all samples to be stored", () => new Set(cpuOf(sink.samples)).size === 4_000);
  await collector.flush(20_000);
  expect(sorted(cpuOf(sink.samples)), `seed ${seed}`).toEqual(Array.from({ length: 4_000 }, (_, i) => BigInt(i)));
  balance(producer);
  expect(producer.stats().dropped.size).toBe(0);
  const { stored, dropped, refused } = collector.stats();
  expect([dropped.size, refused.size]).toEqual([0, 0]);
  expect(stored).toBe(BigInt(sink.samples.length));
});

describe("a store that does not keep up", () => {
  test("stops no polling; the oldest samples of stock producers go, and are counted", async () => {
    const { nexusProducers } = await import("../../src/generated/index.ts");
    const nexus = await startNexus();
    const sink = new MemorySink();
    let hang = true;
    let release: () => void = () => undefined;
    sink.faults = { before: () => (hang ? new Promise<void>((resolve) => (release = resolve)) : undefined) };
    const stock = await startFakeProducer((_request, response, poll) => sendSamples(response, heatSamples(poll * 100, 100)));
    cleanups.push(() => stock.close());
    const collector = await collect(nexus.nexus.address, sink, { queueSamples: 500 }, KETTLES);
    await nexusProducers.cpapiProducersPost({
      client: nexus.client,
      body: { id: COLLECTOR, kind: "service", address: formatSocketAddress(stock.address), interval: { secs: 0n, nanos: 20_000_000 } },
    });
    await eventually("an overflow", () => (collector.stats().dropped.get("queue_full") ?? 0n) > 1_000n);
    expect(collector.stats().queued).toBe(500);
    await stock.close();
    await eventually("the end of polling", () => (collector.stats().failures.get("unreachable") ?? 0n) > 0n);
    hang = false;
    release();
    await collector.flush(10_000);
    const { samplesCollected, stored, dropped, queued } = collector.stats();
    expect(stored + dropped.get("queue_full")!).toBe(samplesCollected);
    expect(queued).toBe(0);
    // The newest are there, and those of the insert that was under way.
    expect(valuesOf(sink.samples).slice(-500)).toEqual(Array.from({ length: 500 }, (_, i) => samplesCollected - 500n + BigInt(i)));
  });

  test("makes our producers keep their samples, for as long as they have room, and nobody else drains them", async () => {
    let taken = 0;
    const source = new ScriptedSource("kstat", () =>
      report(taken >= 1_000 ? [] : Array.from({ length: 50 }, () => zoneSnapshot(1, NOW + BigInt(taken), BigInt(taken++)))),
    );
    const nexus = await startNexus();
    const sink = new MemorySink();
    let down = true;
    sink.faults = {
      before: () => {
        if (down) throw new ZonemeterError("unavailable", "The store is down.");
      },
    };
    const producer = await produce(nexus.nexus.address, [{ source, intervalMs: 5, deadlineMs: 10_000, finite: false }]);
    const collector = await collect(nexus.nexus.address, sink, { queueSamples: 300 });
    await eventually("many polls while the store is down", () => taken >= 1_000 && collector.stats().collections > 30n);
    expect(collector.stats().queued + collector.stats().inserting).toBeLessThanOrEqual(300);
    expect(producer.stats().delivered).toBe(0n);
    const looked = await fetch(`http://${formatSocketAddress(producer.address)}/${producer.producerId}`);
    expect((await looked.text()).length).toBeGreaterThan(1_000);
    expect(producer.stats().delivered).toBe(0n);
    down = false;
    await eventually("all samples", () => new Set(cpuOf(sink.samples)).size === 1_000);
    expect(cpuOf(sink.samples)).toEqual(Array.from({ length: 1_000 }, (_, i) => BigInt(i)));
    expect(producer.stats().dropped.size).toBe(0);
    balance(producer);
  });

  test("keeps its own counters, which reach the store as timeseries", async () => {
    const nexus = await startNexus();
    const sink = new MemorySink();
    const producer = await produce(nexus.nexus.address, []);
    const collector = await collect(nexus.nexus.address, sink, { selfMetricsMs: 100 });
    await eventually("the first ones", () =>
      sink.samples.some(({ timeseriesName }) => timeseriesName === "zonemeter_collector:collections"),
    );
    const own = sink.samples.filter(({ target }) => target.name === "zonemeter_collector");
    expect(own[0]!.target.fields).toEqual([{ name: "collector_id", value: { type: "uuid", value: COLLECTOR } }]);
    expect(own.map(({ timeseriesName }) => timeseriesName).slice(0, 2)).toEqual([
      "zonemeter_collector:collections",
      "zonemeter_collector:samples_collected",
    ]);
    expect(own[0]!.metric.fields).toEqual([{ name: "producer_id", value: { type: "uuid", value: producer.producerId } }]);
    expect(collector.stats().refused.size).toBe(0);
  });
});

test("the end: a last collection, an insert, an acknowledgement, and the producer has nothing left", async () => {
  const source = new ScriptedSource("kstat", (read) => report(read === 0 ? [zoneSnapshot(1, NOW, 7n)] : []));
  const nexus = await startNexus();
  const sink = new MemorySink();
  const collector = await collect(nexus.nexus.address, sink, { batchIntervalMs: 3_600_000 });
  const producer = await produce(nexus.nexus.address, [{ source, intervalMs: 3_600_000, deadlineMs: 10_000, finite: false }], {
    collectIntervalMs: 3_600_000,
  });
  await eventually("the first collection", () => collector.stats().collections > 0n);
  const stopped = producer.stop(20_000);
  await collector.flush(20_000);
  await stopped;
  await collector.stop(5_000);
  expect(cpuOf(sink.samples)).toEqual([7n]);
  expect(producer.stats()).toMatchObject({ buffered: 0 });
  balance(producer);
});
