import { afterEach, describe, expect, test } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { Inserter, type CollectorDropReason, type InserterOptions } from "../../src/collector/inserter.ts";
import { SampleQueue, type Delivery } from "../../src/collector/sample-queue.ts";
import { Tally } from "../../src/collector/tally.ts";
import type { RefusalReason } from "../../src/store/index.ts";
import { gate } from "../support/gate.ts";
import { heatSamples, valuesOf } from "../support/kettle-samples.ts";
import { recordingLogger } from "../support/logs.ts";
import { MemorySink } from "../support/memory-sink.ts";
import { until } from "../support/until.ts";

const running: Inserter[] = [];
afterEach(async () => void (await Promise.all(running.splice(0).map((inserter) => inserter.stop()))));

const never = new AbortController().signal;
const FAST = { firstMs: 1, factor: 1, capMs: 1, spread: 0 };
const numbers = (first: number, count: number): bigint[] => Array.from({ length: count }, (_, i) => BigInt(first + i));

/** A delivery of `count` samples from number `first`; `outcomes` gets whether they were stored. */
function delivery(first: number, count: number, more: Partial<Delivery> = {}, outcomes: boolean[] = []): Delivery {
  return {
    samples: heatSamples(first, count),
    name: `d${first}`,
    keptByProducer: false,
    urgent: false,
    settled: (stored) => void outcomes.push(stored),
    ...more,
  };
}

function setUp(capacity: number, options: Partial<InserterOptions> = {}) {
  const dropped = new Tally<CollectorDropReason>();
  const refused = new Tally<RefusalReason>();
  const queue = new SampleQueue(capacity, (samples) => dropped.add("queue_full", samples));
  const sink = new MemorySink();
  const { logger, lines } = recordingLogger();
  const start = (): Inserter => {
    const inserter = new Inserter({
      queue,
      sink,
      dropped,
      refused,
      logger,
      batchSamples: 10,
      batchIntervalMs: 3_600_000,
      backoff: FAST,
      ...options,
    });
    running.push(inserter);
    return inserter;
  };
  return { queue, sink, dropped, refused, lines, start };
}

describe("the queue", () => {
  test("gives up the oldest samples of stock producers, one by one, and none of those that producers keep", () => {
    const { queue, dropped } = setUp(10);
    const room = queue.reserve(3)!;
    queue.addLoose(delivery(0, 4));
    queue.addKept(delivery(10, 3, { keptByProducer: true }), room);
    queue.addLoose(delivery(20, 5));
    expect(queue.samples).toBe(10);
    expect(dropped.entries()).toEqual(new Map([["queue_full", 2n]]));
    queue.addLoose(delivery(30, 12));
    expect(queue.samples).toBe(10);
    expect(dropped.sum).toBe(14n);
    const left = queue.take(100);
    expect(left.map(({ samples }) => valuesOf(samples))).toEqual([numbers(10, 3), numbers(35, 7)]);
    expect(left[1]!.name).not.toBe("d30");
  });

  test("keeps reserved room free until it is released, and refuses to reserve next to nothing", () => {
    const { queue, dropped } = setUp(1_000);
    const room = queue.reserve(700)!;
    expect(room.samples).toBe(700);
    expect(queue.reserve(1_000)!.samples).toBe(300);
    expect(queue.reserve(1)).toBeNull();
    let told = 0;
    queue.whenRoom(() => told++);
    queue.addLoose(delivery(0, 10));
    expect(dropped.sum).toBe(10n);
    room.release();
    room.release();
    expect([queue.reserved, told]).toEqual([300, 1]);
    queue.addLoose(delivery(0, 600));
    expect(queue.reserve(1_000)).toBeNull();
  });

  test("cuts large answers into pieces that fit an insert, each with a name of its own", () => {
    const { queue } = setUp(100_000);
    queue.addLoose(delivery(0, 25_000));
    const pieces = [queue.take(10_000), queue.take(10_000), queue.take(10_000)].flat();
    expect(pieces.map(({ name, samples }) => [name, samples.length])).toEqual([
      ["d0.0", 10_000],
      ["d0.1", 10_000],
      ["d0.2", 5_000],
    ]);
    expect(queue.samples).toBe(0);
  });
});

describe("inserting", () => {
  test("waits for enough samples, and puts several deliveries into one insert", async () => {
    const { queue, sink, start } = setUp(1_000);
    const inserter = start();
    const outcomes: boolean[] = [];
    queue.addLoose(delivery(0, 4, {}, outcomes));
    queue.addLoose(delivery(4, 5, {}, outcomes));
    for (let i = 0; i < 50; i++) await Promise.resolve();
    expect(sink.tokens).toEqual([]);
    queue.addLoose(delivery(9, 1, {}, outcomes));
    await inserter.drain(never);
    expect(valuesOf(sink.samples)).toEqual(numbers(0, 10));
    expect(sink.tokens).toHaveLength(1);
    expect(outcomes).toEqual([true, true, true]);
    expect(inserter.stored).toBe(10n);
  });

  test("does not wait longer than the batch interval, nor with what is urgent", async () => {
    const { queue, sink, start } = setUp(1_000, { batchIntervalMs: 5 });
    start();
    queue.addLoose(delivery(0, 1));
    await until("the insert", 5_000, async () => sink.tokens[0]);
    const urgent = setUp(1_000);
    urgent.start();
    urgent.queue.addLoose(delivery(0, 1, { urgent: true }));
    await until("the insert", 5_000, async () => urgent.sink.tokens[0]);
    expect(urgent.sink.tokens).toEqual(["d0"]);
  });

  test("a failed insert is tried again as it is, with its token, and what came meanwhile goes into the next", async () => {
    const { queue, sink, start, lines } = setUp(1_000);
    const fail = gate();
    sink.faults = {
      before: async (insert) => {
        if (insert === 0) await fail.opened;
        if (insert < 3) throw new ZonemeterError("unavailable", "ClickHouse does not answer.");
      },
    };
    const inserter = start();
    queue.addLoose(delivery(0, 10));
    await until("the first try", 5_000, async () => sink.tokens[0]);
    queue.addLoose(delivery(10, 10));
    fail.open();
    await inserter.drain(never);
    expect(sink.tokens).toEqual(["d0", "d0", "d0", "d0", "d10"]);
    expect(valuesOf(sink.samples)).toEqual(numbers(0, 20));
    expect(lines.filter(({ message }) => message.includes("tried again"))).toHaveLength(3);
    expect(inserter.lastFailure).toBeNull();
  });

  test("an insert whose answer was lost is not stored twice", async () => {
    const { queue, sink, start } = setUp(1_000);
    sink.faults = {
      after: (insert) => {
        if (insert === 0) throw new ZonemeterError("unavailable", "The connection broke off.");
      },
    };
    const inserter = start();
    queue.addLoose(delivery(0, 10));
    await inserter.drain(never);
    expect(sink.tokens).toEqual(["d0", "d0"]);
    expect(valuesOf(sink.samples)).toEqual(numbers(0, 10));
  });

  test("an insert that hangs is tried again after its time", async () => {
    const { queue, sink, start } = setUp(1_000, { insertTimeoutMs: 5 });
    sink.faults = { before: (insert) => (insert === 0 ? new Promise(() => undefined) : undefined) };
    const inserter = start();
    queue.addLoose(delivery(0, 10));
    await inserter.drain(never);
    expect(sink.tokens).toEqual(["d0", "d0"]);
  });

  test("an insert that the store cannot take is given up: loose samples are counted, kept ones go back", async () => {
    const { queue, sink, start, dropped } = setUp(1_000);
    sink.faults = {
      before: (insert) => {
        if (insert < 3) throw new TypeError("cannot encode");
      },
    };
    const inserter = start();
    const outcomes: boolean[] = [];
    queue.addKept(delivery(0, 4, { keptByProducer: true }, outcomes), queue.reserve(4)!);
    queue.addLoose(delivery(4, 6, {}, outcomes));
    await inserter.drain(never);
    expect(outcomes).toEqual([false, false]);
    expect(dropped.entries()).toEqual(new Map([["insert_failed", 6n]]));
    queue.addLoose(delivery(10, 10, {}, outcomes));
    await inserter.drain(never);
    expect(outcomes).toEqual([false, false, true]);
    expect(valuesOf(sink.samples)).toEqual(numbers(10, 10));
  });

  test("while the store does not answer it is asked again for as long as is allowed", async () => {
    const { queue, sink, start, dropped } = setUp(1_000, { retryMs: 30 });
    sink.faults = {
      before: () => {
        throw new ZonemeterError("unavailable", "ClickHouse does not answer.");
      },
    };
    const inserter = start();
    queue.addLoose(delivery(0, 10));
    await inserter.drain(never);
    expect(sink.tokens.length).toBeGreaterThan(3);
    expect(new Set(sink.tokens)).toEqual(new Set(["d0"]));
    expect(dropped.entries()).toEqual(new Map([["insert_failed", 10n]]));
  });

  test("what the store refuses is counted", async () => {
    const { queue, sink, start, refused } = setUp(1_000);
    sink.refuse = (sample) => (valuesOf([sample])[0]! % 3n === 0n ? "expired" : null);
    const inserter = start();
    queue.addLoose(delivery(0, 10));
    await inserter.drain(never);
    expect(refused.entries()).toEqual(new Map([["expired", 4n]]));
    expect(inserter.stored).toBe(6n);
  });

  test("stopping ends a hanging insert and the waits", async () => {
    const { queue, sink, start } = setUp(1_000);
    sink.faults = { before: () => new Promise(() => undefined) };
    const inserter = start();
    queue.addLoose(delivery(0, 10));
    const drained = inserter.drain(never);
    await until("the insert", 5_000, async () => sink.tokens[0]);
    await inserter.stop();
    await drained;
    expect(queue.samples).toBe(0);
  });
});
