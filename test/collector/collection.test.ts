import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { formatSocketAddress, type Sample, type SocketAddress } from "../../src/core/index.ts";
import { startCollector, type Collector, type CollectorOptions } from "../../src/collector/index.ts";
import { startFakeProducer, sendSamples, type Answer, type FakeProducer } from "../support/fake-producer.ts";
import { heatSample, heatSamples, KETTLES, valuesOf } from "../support/kettle-samples.ts";
import { recordingLogger } from "../support/logs.ts";
import { MemorySink } from "../support/memory-sink.ts";
import { endpoint, post, startTestNexus, uuid, type TestNexus } from "../support/nexus.ts";
import { until } from "../support/until.ts";

const COLLECTOR = "c0ffee00-0000-4000-8000-000000000001";
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(
  options: Partial<CollectorOptions> = {},
): Promise<{ collector: Collector; sink: MemorySink; nexus: TestNexus; lines: ReturnType<typeof recordingLogger>["lines"] }> {
  const nexus = await startTestNexus({ expirySweepMs: 20 });
  cleanups.push(() => nexus.stop());
  const { logger, lines } = recordingLogger();
  const sink = new MemorySink();
  const { limits, ...rest } = options;
  const collector = await startCollector({
    collectorId: COLLECTOR,
    host: "127.0.0.1",
    port: 0,
    nexus: nexus.nexus.address,
    sink,
    catalogue: KETTLES,
    firstPollAtOnce: true,
    logger,
    limits: { batchIntervalMs: 10, refreshMs: 30, firstRefreshMs: 10, ...limits },
    ...rest,
  });
  cleanups.push(() => collector.stop(1_000));
  await collector.registered;
  return { collector, sink, nexus, lines };
}

async function produce(answer: Answer): Promise<FakeProducer> {
  const producer = await startFakeProducer(answer);
  cleanups.push(() => producer.close());
  return producer;
}

async function register(nexus: TestNexus, number: number, address: SocketAddress, intervalMs = 3_600_000): Promise<void> {
  const answer = await post(
    nexus,
    endpoint(number, {
      address: formatSocketAddress(address),
      interval: { secs: BigInt(Math.floor(intervalMs / 1_000)), nanos: (intervalMs % 1_000) * 1e6 },
    }),
  );
  if (!answer.ok) throw new Error(answer.message);
}

const eventually = (what: string, holds: () => boolean): Promise<true> => until(what, 15_000, async () => (holds() ? true : undefined));

describe("what producers answer", () => {
  test("every digit of every value reaches the store, and the request is what upstream's is", async () => {
    const values = [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];
    const producer = await produce((_request, response) =>
      sendSamples(
        response,
        values.map((value, i) => heatSample(i, value)),
        { "content-type": "text/plain" },
      ),
    );
    const { sink, nexus, collector } = await start();
    await register(nexus, 1, producer.address);
    await eventually("the samples", () => sink.samples.length === values.length);
    expect(valuesOf(sink.samples)).toEqual(values);
    expect(sink.samples[0]).toEqual(heatSample(0, 0n));
    expect(producer.requests[0]!.url).toBe(`/${uuid(1)}`);
    expect(producer.requests[0]!.headers["api-version"]).toBeUndefined();
    expect(collector.stats()).toMatchObject({ producers: 1, collections: 1n, samplesCollected: 7n, stored: 7n, queued: 0 });
  });

  test.each<[string, string, Answer]>([
    ["an error status", "500", (_request, response) => void response.writeHead(500).end("oh no")],
    ["a redirection", "302", (_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end()],
    [
      "another producer's place",
      "404",
      (_request, response) => void response.writeHead(404).end('{"request_id":"x","message":"Not Found"}'),
    ],
    ["garbage", "deserialization", (_request, response) => void response.writeHead(200).end("<html>hello</html>")],
    ["nothing at all", "deserialization", (_request, response) => void response.writeHead(200).end()],
    ["one bad sample among good ones", "deserialization", (_request, response) => void response.writeHead(200).end(badBody())],
    [
      "a body that breaks off",
      "deserialization",
      (_request, response) => void response.writeHead(200, { "content-length": 1_000 }).write("[", () => response.destroy()),
    ],
    ["a connection that is closed", "unreachable", (_request, response) => void response.destroy()],
    ["silence", "timeout", () => undefined],
    ["a body without an end", "timeout", (_request, response) => void response.writeHead(200).write("[")],
  ])("%s fails as %s, and the next collection goes on", async (_what, reason, answer) => {
    const producer = await produce((request, response, poll) =>
      poll === 0 ? answer(request, response, poll) : sendSamples(response, heatSamples(0, 3)),
    );
    const { collector, sink, nexus, lines } = await start({ limits: { collectionTimeoutMs: 300 } });
    await register(nexus, 1, producer.address, 50);
    await eventually("the next collection", () => sink.samples.length >= 3);
    // While one hangs its timer goes on.
    const failures = [...collector.stats().failures].filter(([other]) => other !== "collections in progress");
    expect(failures).toEqual([[reason, 1n]]);
    expect(lines.find(({ fields }) => fields["reason"] === reason)).toMatchObject({ level: "warn", fields: { producer: uuid(1) } });
  });

  test("nobody at the address is unreachable", async () => {
    const producer = await produce(() => undefined);
    const { collector, nexus } = await start();
    await producer.close();
    await register(nexus, 1, producer.address);
    await eventually("the failure", () => collector.stats().failures.has("unreachable"));
  });

  test.each([true, false])("a body of 1 GiB is cut off at the limit (length announced: %s)", async (announced) => {
    let written = 0;
    const flood = (request: IncomingMessage, response: Parameters<Answer>[1]): void => {
      const chunk = Buffer.alloc(256 * 1024, 0x20);
      response.writeHead(200, announced ? { "content-length": 1024 ** 3 } : {});
      const pump = (): void => {
        while (!request.socket.destroyed && written < 1024 ** 3) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", pump);
        }
      };
      pump();
    };
    const producer = await produce(flood);
    const { collector, nexus } = await start({ limits: { collectionMaxBytes: 2 * 1024 ** 2 } });
    await register(nexus, 1, producer.address);
    await eventually("the failure", () => collector.stats().failures.has("too_large"));
    // What was on its way in sockets when the line was cut.
    expect(written).toBeLessThan(64 * 1024 ** 2);
    expect(collector.stats()).toMatchObject({ collections: 0n, queued: 0 });
  });

  test("samples that are not as declared are refused one by one and counted; those that nothing declares go to the store", async () => {
    const good = heatSample(1);
    const bad: Sample[] = [
      heatSample(2, 2n, { timeseriesName: "kettle:noise", metric: { ...good.metric, name: "noise" } }),
      heatSample(3, 3n, { timeseriesVersion: 2 }),
      heatSample(4, 4n, { datum: { type: "u64", value: 4n } }),
      heatSample(5, 5n, { metric: { name: "heat", fields: [] } }),
      heatSample(6, 6n, { metric: { name: "heat", fields: [{ name: "mood", value: { type: "u8", value: 1n } }] } }),
      heatSample(7, 7n, {
        target: { name: "kettle", fields: [...good.target.fields, ...good.metric.fields] },
        metric: { name: "heat", fields: [] },
      }),
      heatSample(8, 8n, { target: { ...good.target, name: "oven" } }),
    ];
    const missing = heatSample(9, 9n, { datum: { type: "missing", datumType: "cumulative_u64", startTimeNs: 1n } });
    const producer = await produce((_request, response) => sendSamples(response, [good, ...bad, missing, heatSample(10)]));
    const { collector, sink, nexus } = await start();
    sink.refuse = (sample) => (sample.datum.type === "missing" ? "missing_datum" : null);
    await register(nexus, 1, producer.address);
    await eventually("the samples", () => sink.samples.length === 3);
    expect(sink.samples.map(({ timeseriesName }) => timeseriesName)).toEqual(["kettle:heat", "kettle:noise", "kettle:heat"]);
    expect(valuesOf(sink.samples)).toEqual([1n, 10n]);
    expect(collector.stats()).toMatchObject({
      samplesCollected: 10n,
      refused: new Map([
        ["schema_mismatch", 6n],
        ["missing_datum", 1n],
      ]),
    });
  });

  test("collections of one producer never overlap: one waits, those after it are failures", async () => {
    let open: () => void = () => undefined;
    const producer = await produce((_request, response, poll) => {
      if (poll === 0) open = () => sendSamples(response, heatSamples(0, 1));
      else sendSamples(response, []);
    });
    const { collector, nexus } = await start();
    await register(nexus, 1, producer.address, 20);
    await eventually("refused ticks", () => (collector.stats().failures.get("collections in progress") ?? 0n) >= 2n);
    expect(producer.requests).toHaveLength(1);
    open();
    await eventually("the next one", () => producer.requests.length >= 2);
  });
});

function badBody(): string {
  const response = { body: "" };
  sendSamples({ writeHead: () => ({ end: (body: Buffer) => (response.body = body.toString()) }) } as never, heatSamples(0, 2));
  return response.body.replace('"value":1}', '"value":1.0}');
}

describe("the list of producers", () => {
  test("an unchanged producer is left alone by refreshes, however long its interval", async () => {
    const producer = await produce((_request, response) => sendSamples(response, []));
    const { collector, nexus } = await start({ limits: { refreshMs: 5 } });
    await register(nexus, 1, producer.address, 400);
    await eventually("two collections on the timer", () => producer.requests.length >= 3);
    expect(collector.stats().failures.size).toBe(0);
  });

  test("a producer that moves is collected from at its new address, also while a collection hangs at the old one", async () => {
    const old = await produce(() => undefined);
    const now = await produce((_request, response) => sendSamples(response, heatSamples(0, 2)));
    const { collector, sink, nexus } = await start();
    await register(nexus, 1, old.address);
    await eventually("the first request", () => old.requests.length === 1);
    await register(nexus, 1, now.address);
    await eventually("the samples", () => sink.samples.length === 2);
    expect(collector.stats()).toMatchObject({ producers: 1, collections: 1n, failures: new Map() });
  });

  test("a producer that is no longer listed is let go, and one that is deleted comes back with the next list", async () => {
    const one = await produce((_request, response) => sendSamples(response, []));
    const two = await produce((_request, response) => sendSamples(response, []));
    const { collector, nexus } = await start({ limits: { refreshMs: 50 } });
    await register(nexus, 1, one.address, 20);
    nexus.clock.pass(400_000_000_000n);
    await register(nexus, 2, two.address, 20);
    await eventually("both", () => collector.stats().producers === 2);
    const url = `http://${formatSocketAddress(collector.address)}/producers/${uuid(2)}`;
    const headers = { "api-version": "1.0.0" };
    expect((await fetch(url, { method: "DELETE", headers })).status).toBe(204);
    await eventually("its return", () => collector.stats().producers === 2);
    // The first one's lease ends; Nexus asks by the same API, or leaves it out of the list.
    nexus.clock.pass(300_000_000_000n);
    await eventually("one to be gone", () => collector.stats().producers === 1);
    const seen = one.requests.length;
    await eventually("more of the other", () => two.requests.length > seen + 5);
    expect(one.requests.length).toBeLessThanOrEqual(seen + 1);
  });

  test("the last list is kept while Nexus does not answer", async () => {
    const producer = await produce((_request, response) => sendSamples(response, []));
    const { collector, nexus } = await start();
    await register(nexus, 1, producer.address, 20);
    await eventually("the producer", () => collector.stats().producers === 1);
    await nexus.nexus.close();
    await eventually("a failed refresh", () => collector.stats().refreshFailure !== null);
    const seen = producer.requests.length;
    await eventually("more collections", () => producer.requests.length > seen + 2);
    expect(collector.stats().producers).toBe(1);
  });
});

test("the collector tells of itself and its producers", async () => {
  const good = await produce((_request, response) => sendSamples(response, heatSamples(0, 4)));
  const bad = await produce((_request, response) => void response.writeHead(503).end());
  const { collector, nexus } = await start();
  await register(nexus, 1, good.address);
  await register(nexus, 2, bad.address, 7_250);
  await eventually("both", () => collector.stats().collections === 1n && collector.stats().failures.size === 1);
  const get = async (path: string): Promise<unknown> =>
    (await fetch(`http://${formatSocketAddress(collector.address)}${path}`, { headers: { "api-version": "1.0.0" } })).json();
  expect(await get("/info")).toEqual({ id: COLLECTOR, last_refresh: expect.stringMatching(/^\d{4}-.*Z$/) as string });
  const listed = (await get("/producers?limit=1")) as { items: unknown[]; next_page: string };
  expect(listed.items).toEqual([
    { id: uuid(1), kind: "service", address: formatSocketAddress(good.address), interval: { secs: 3600, nanos: 0 } },
  ]);
  const rest = (await get(`/producers?page_token=${listed.next_page}`)) as { items: unknown[]; next_page: null };
  expect(rest).toEqual({ items: [expect.objectContaining({ id: uuid(2), interval: { secs: 7, nanos: 250_000_000 } })], next_page: null });
  expect(await get(`/producers/${uuid(1)}`)).toMatchObject({
    n_collections: 1,
    n_failures: 0,
    last_success: {
      n_samples: 4,
      started_at: expect.stringMatching(/Z$/) as string,
      time_queued: { secs: 0 },
      time_collecting: { secs: 0 },
    },
    last_failure: null,
  });
  expect(await get(`/producers/${uuid(2)}`)).toMatchObject({
    n_collections: 0,
    n_failures: 1,
    last_success: null,
    last_failure: { reason: "503" },
  });
  expect(
    (await fetch(`http://${formatSocketAddress(collector.address)}/producers/${uuid(3)}`, { headers: { "api-version": "1.0.0" } })).status,
  ).toBe(404);
});

test("ids that Nexus gives are used as they are, and a collector that Nexus refuses says so", async () => {
  const nexus = await startFakeProducer(
    (_request, response) => void response.writeHead(403).end('{"request_id":"x","message":"you may not"}'),
  );
  cleanups.push(() => nexus.close());
  const { logger } = recordingLogger();
  const collector = await startCollector({
    collectorId: COLLECTOR,
    host: "127.0.0.1",
    port: 0,
    nexus: nexus.address,
    sink: new MemorySink(),
    catalogue: KETTLES,
    firstPollAtOnce: true,
    logger,
  });
  cleanups.push(() => collector.stop(1_000));
  await expect(collector.registered).rejects.toMatchObject({ code: "config", message: expect.stringContaining("you may not") as string });
});

test("stopping ends hanging collections and closes what was open", async () => {
  const producer = await produce(() => undefined);
  const { collector, nexus } = await start();
  await register(nexus, 1, producer.address);
  await eventually("the request", () => producer.requests.length === 1);
  await collector.stop(1_000);
  await expect(
    new Promise((resolve, reject) => {
      const socket = connect(collector.address.port, "127.0.0.1", () => resolve(socket.destroy()));
      socket.once("error", reject);
    }),
  ).rejects.toThrow("ECONNREFUSED");
});
