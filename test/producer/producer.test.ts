import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { request } from "undici";
import { fieldValue, formatSocketAddress, type Sample } from "../../src/core/index.ts";
import { startProducer, type Producer, type ProducerOptions } from "../../src/producer/index.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import { readProducerResults } from "../../src/wire/index.ts";
import { gate } from "../support/gate.ts";
import { recordingLogger } from "../support/logs.ts";
import { report, ScriptedSource, SLED, zoneSnapshot } from "../support/scripted-source.ts";
import { until } from "../support/until.ts";

const catalogue = loadCatalogue();
const COLLECTOR = "c0ffee00-0000-4000-8000-000000000001";
const NOW = 1_790_000_000_000_000_000n;
let stateDir = "";
const producers: Producer[] = [];
beforeEach(async () => void (stateDir = await mkdtemp(join(tmpdir(), "zm-producer-"))));
afterEach(async () => {
  await Promise.all(producers.splice(0).map((producer) => producer.stop(0)));
  await rm(stateDir, { recursive: true });
});

async function start(
  more: Partial<ProducerOptions> = {},
  source = new ScriptedSource("kstat", (read) =>
    report(read === 0 ? [zoneSnapshot(1, NOW, 2n ** 64n - 1n), zoneSnapshot(2, NOW, 0n)] : []),
  ),
) {
  const { logger, lines } = recordingLogger();
  const producer = await startProducer({
    host: "127.0.0.1",
    port: 0,
    stateDir,
    nexus: null,
    sled: SLED,
    sources: [{ source, intervalMs: 3_600_000, deadlineMs: 10_000, finite: false }],
    compareSources: false,
    collectIntervalMs: 30_000,
    catalogue,
    waitForClock: async () => undefined,
    logger,
    ...more,
  });
  producers.push(producer);
  const url = `http://${formatSocketAddress(producer.address)}`;
  return {
    producer,
    lines,
    source,
    url,
    get: (path = producer.producerId, headers: Record<string, string> = {}) => get(`${url}/${path}`, headers),
  };
}

async function get(url: string, headers: Record<string, string> = {}) {
  const { statusCode, headers: answered, body } = await request(url, { headers });
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status: statusCode, headers: answered, text: bytes.toString(), samples: () => samplesIn(bytes) };
}

const samplesIn = (bytes: Buffer): Sample[] =>
  readProducerResults(bytes).flatMap((result) => (result.status === "ok" ? [...result.samples] : []));
const zoneValues = (samples: readonly Sample[]): unknown[] =>
  samples.filter(({ target }) => target.name === "zone_resource").map(({ datum }) => (datum as { value: unknown }).value);
const sampledOnce = (producer: Producer): Promise<true> =>
  until("the first sample", 5_000, async () => (producer.stats().buffered > 0 ? true : undefined));
const acknowledging = (stored?: string, maxSamples = 1_000): Record<string, string> => ({
  "zonemeter-collector": COLLECTOR,
  "zonemeter-max-samples": String(maxSamples),
  ...(stored === undefined ? {} : { "zonemeter-stored": stored }),
});
const balance = ({ producer }: { producer: Producer }): void => {
  const { produced, delivered, dropped, buffered } = producer.stats();
  expect(delivered + [...dropped.values()].reduce((a, b) => a + b, 0n) + BigInt(buffered)).toBe(produced);
};

describe("GET /{producer_id}", () => {
  test("a stock collector drains one item for each source and the producer's own, every digit there", async () => {
    const one = await start();
    await sampledOnce(one.producer);
    const first = await one.get();
    expect([first.status, first.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(first.text).toContain('"value":18446744073709551615');
    const results = readProducerResults(Buffer.from(first.text));
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(zoneValues(first.samples())).toEqual([18446744073709551615n, 0n]);
    const own = first.samples().filter(({ target }) => target.name === "zonemeter_producer");
    expect(own.map(({ metric }) => metric.name)).toEqual([
      "snapshots_taken",
      "readings_missing",
      "source_duration_nsec",
      "intervals_missed",
      "source_interval_nsec",
    ]);
    expect(fieldValue(own[0]!.target.fields, "producer_id")).toEqual({ type: "uuid", value: one.producer.producerId });
    expect(own[0]!.datum).toMatchObject({ type: "cumulative_u64", value: 2n });
    const second = await one.get();
    expect(zoneValues(second.samples())).toEqual([]);
    const again = second.samples().find(({ metric }) => metric.name === "snapshots_taken")!;
    expect(again.datum).toEqual(own[0]!.datum);
    expect(again.timestampNs).toBeGreaterThan(own[0]!.timestampNs);
    balance(one);
  });

  test("another id is not found, what is no id is a bad parameter, and neither drains anything", async () => {
    const one = await start();
    await sampledOnce(one.producer);
    const other = await one.get("00000000-0000-4000-8000-000000000000");
    expect([other.status, JSON.parse(other.text)]).toEqual([404, { request_id: other.headers["x-request-id"], message: "Not Found" }]);
    const bad = await one.get("my-zone");
    expect(bad.status).toBe(400);
    expect((JSON.parse(bad.text) as { message: string }).message).toMatch(/^bad parameter in URL path:/);
    expect(zoneValues((await one.get(one.producer.producerId.toUpperCase())).samples())).toEqual([18446744073709551615n, 0n]);
  });

  test("a client that goes away before it has everything loses nothing", async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => zoneSnapshot(1, NOW + BigInt(i), BigInt(i)));
    const one = await start({}, new ScriptedSource("kstat", (read) => report(read === 0 ? many : [])));
    await until("the samples", 5_000, async () => (one.producer.stats().buffered === 10_000 ? true : undefined));
    await new Promise<void>((resolve) => {
      const socket = connect(one.producer.address.port, "127.0.0.1", () =>
        socket.write(`GET /${one.producer.producerId} HTTP/1.1\r\nhost: x\r\n\r\n`),
      );
      socket.once("data", () => socket.destroy());
      socket.once("close", () => resolve());
    });
    const values: unknown[] = [];
    while (values.length < 10_000) values.push(...zoneValues((await one.get()).samples()));
    expect(values).toEqual(many.map((_, i) => BigInt(i)));
    balance(one);
  });

  test("a source that fails says why in its place, and hides no other", async () => {
    const one = await start(
      {},
      new ScriptedSource("kstat", () => {
        throw new Error("kstat: cannot open /dev/kstat");
      }),
    );
    await until("the failure", 5_000, async () => one.producer.stats().sources.get("kstat")!.lastFailure ?? undefined);
    const results = readProducerResults(Buffer.from((await one.get()).text));
    expect(results[0]).toEqual({ status: "err", error: { type: "datum_error", content: "kstat: cannot open /dev/kstat" } });
    const own = results[1] as { status: "ok"; samples: Sample[] };
    const failures = own.samples.find(({ metric }) => metric.name === "source_failures")!;
    expect(failures.metric.fields).toEqual([
      { name: "reason", value: { type: "string", value: "defect" } },
      { name: "source", value: { type: "string", value: "kstat" } },
    ]);
  });
});

test("an acknowledging collector gets numbered batches, a bare GET meanwhile only looks", async () => {
  const one = await start();
  await sampledOnce(one.producer);
  const first = await one.get(undefined, acknowledging());
  const batch = String(first.headers["zonemeter-batch"]);
  expect(batch).toMatch(/^[0-9a-f]{16}:1$/);
  expect(first.headers["zonemeter-more"]).toBe("false");
  const looked = await one.get();
  expect(looked.headers["zonemeter-batch"]).toBeUndefined();
  expect(zoneValues(looked.samples())).toEqual([18446744073709551615n, 0n]);
  const again = await one.get(undefined, acknowledging());
  expect([again.text, again.headers["zonemeter-batch"]]).toEqual([first.text, batch]);
  expect(one.producer.stats().delivered).toBe(0n);
  const none = await one.get(undefined, acknowledging(batch, 0));
  expect(none.samples()).toEqual([]);
  expect(one.producer.stats()).toMatchObject({ delivered: BigInt(first.samples().length), buffered: 0 });
  balance(one);
});

test("a collector that comes before the first read is told that there will be more, and waits no interval for it", async () => {
  const first = gate();
  const one = await start({}, new ScriptedSource("kstat", async () => (await first.opened, report([zoneSnapshot(1, NOW, 5n)]))));
  await until("the read", 5_000, async () => (one.source.reads > 0 ? true : undefined));
  expect((await one.get(undefined, acknowledging(undefined, 0))).headers["zonemeter-more"]).toBe("true");
  first.open();
  await sampledOnce(one.producer);
  const answer = await one.get(undefined, acknowledging());
  expect(zoneValues(answer.samples())).toEqual([5n]);
  expect(answer.headers["zonemeter-more"]).toBe("false");
});

test("headers that make no sense are those of a stock collector", async () => {
  const one = await start();
  await sampledOnce(one.producer);
  const answer = await one.get(undefined, { "zonemeter-collector": "me", "zonemeter-stored": "x" });
  expect(answer.headers["zonemeter-batch"]).toBeUndefined();
  expect(one.producer.stats().delivered).toBe(BigInt(answer.samples().length));
});

test("self-metrics wait for the clock, as stamps of an unset one would poison them", async () => {
  const one = await start({
    waitForClock: (signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  });
  expect((await one.get()).samples()).toEqual([]);
});

describe("the producer id", () => {
  test("is kept over restarts", async () => {
    const first = await start();
    await first.producer.stop(0);
    expect((await readFile(join(stateDir, "producer-id"), "utf8")).trim()).toBe(first.producer.producerId);
    expect((await start()).producer.producerId).toBe(first.producer.producerId);
    expect(await readdir(stateDir)).toEqual(["producer-id"]);
  });

  test("is made anew where its file is damaged, with one sentence", async () => {
    await writeFile(join(stateDir, "producer-id"), "5b5a2d2e-7c1e-4a55");
    const one = await start();
    expect(one.producer.producerId).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    expect(one.lines.filter(({ message }) => message.includes("holds no producer id"))).toHaveLength(1);
    expect((await readFile(join(stateDir, "producer-id"), "utf8")).trim()).toBe(one.producer.producerId);
  });

  test("needs a directory that can be used", async () => {
    await writeFile(join(stateDir, "file"), "");
    await expect(start({ stateDir: join(stateDir, "file") })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("cannot be used") as string,
    });
  });
});

describe("stopping", () => {
  test("gives a living collector its last chance, then closes", async () => {
    const one = await start();
    await sampledOnce(one.producer);
    const first = await one.get(undefined, acknowledging());
    const stopped = one.producer.stop(10_000);
    expect(one.producer.stop(10_000)).toBe(stopped);
    await one.get(undefined, acknowledging(String(first.headers["zonemeter-batch"]), 0));
    await stopped;
    expect(one.producer.stats().buffered).toBe(0);
    expect(one.source.closed).toBe(true);
    await expect(one.get()).rejects.toThrow();
  });

  test("does not wait for collectors that never came", async () => {
    const one = await start();
    await sampledOnce(one.producer);
    await one.producer.stop(3_600_000);
    expect(one.producer.stats().buffered).toBe(2);
    expect(one.lines.some(({ message }) => message.includes("are lost"))).toBe(true);
  });
});

describe("two sources that measure one metric of one sled", () => {
  const resident = (source: "kstat" | "vmusage", bytes: bigint, more: readonly string[] = []) =>
    new ScriptedSource(source, (read) =>
      report(
        read > 0
          ? []
          : [
              zoneSnapshot(1, NOW, 0n, {
                source,
                readings: ["memory_resident", ...more].map((metric) => ({ metric, labels: {}, value: bytes })),
              }),
            ],
      ),
    );
  /** `metric source value` of all that the producer gives of the zone. */
  async function given(compareSources: boolean): Promise<string[]> {
    const sources = [resident("kstat", 100n), resident("vmusage", 96n, ["processes"])].map((source) => ({
      source,
      intervalMs: 3_600_000,
      deadlineMs: 10_000,
      finite: false,
    }));
    const one = await start({ sources, compareSources });
    await until("both sources", 5_000, async () =>
      [...one.producer.stats().sources.values()].every(({ snapshotsTaken }) => snapshotsTaken === 1n) && one.producer.stats().buffered >= 2
        ? true
        : undefined,
    );
    return (await one.get())
      .samples()
      .filter(({ target }) => target.name === "zone_resource")
      .map(
        ({ metric, datum }) =>
          `${metric.name} ${String(fieldValue(metric.fields, "source")?.value)} ${String((datum as { value: unknown }).value)}`,
      )
      .sort();
  }

  test("give one series of it, the first one's, and each what the other lacks", async () => {
    expect(await given(false)).toEqual(["memory_resident kstat 100", "processes vmusage 96"]);
  });

  test("give one each, told apart by the field source, where they are to be compared", async () => {
    expect(await given(true)).toEqual(["memory_resident kstat 100", "memory_resident vmusage 96", "processes vmusage 96"]);
  });
});
