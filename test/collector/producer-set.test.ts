import { afterEach, expect, test } from "vitest";
import { Agent } from "undici";
import { systemClock } from "../../src/core/index.ts";
import { ByteBudget } from "../../src/collector/byte-budget.ts";
import { ProducerSet } from "../../src/collector/producer-set.ts";
import type { Endpoint } from "../../src/collector/producer-task.ts";
import { SampleCheck } from "../../src/collector/sample-check.ts";
import { SampleQueue } from "../../src/collector/sample-queue.ts";
import { Tally } from "../../src/collector/tally.ts";
import { ProducerResultsReader } from "../../src/wire/index.ts";
import { sendSamples, startFakeProducer, type FakeProducer } from "../support/fake-producer.ts";
import { heatSamples, KETTLES } from "../support/kettle-samples.ts";
import { recordingLogger } from "../support/logs.ts";
import { uuid } from "../support/nexus.ts";
import { until } from "../support/until.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(firstPollAtOnce: boolean) {
  const producer = await startFakeProducer((_request, response) => sendSamples(response, heatSamples(0, 1)));
  const dispatcher = new Agent();
  const draws: number[] = [];
  const queue = new SampleQueue(1_000, () => undefined);
  const set = new ProducerSet(
    {
      collectorId: uuid(99),
      runId: "run",
      dispatcher,
      reader: new ProducerResultsReader(),
      check: new SampleCheck(KETTLES),
      refused: new Tally(),
      queue,
      budget: new ByteBudget(1_000_000),
      clock: systemClock,
      logger: recordingLogger().logger,
      timeoutMs: 10_000,
      maxBytes: 1_000_000,
      random: () => {
        draws.push(1);
        return 1e-7;
      },
    },
    firstPollAtOnce,
  );
  cleanups.push(
    () => producer.close(),
    () => dispatcher.destroy(),
    () => set.stop(),
  );
  return { producer, set, draws, queue };
}

const endpoint = (number: number, { address }: FakeProducer, intervalMs = 3_600_000): Endpoint => ({
  id: uuid(number),
  kind: "service",
  address,
  intervalMs,
});
const polls = (producer: FakeProducer, count: number): Promise<true> =>
  until(`${count} polls`, 10_000, async () => (producer.requests.length >= count ? true : undefined));

test("a new producer is first polled after a random part of its interval", async () => {
  const { producer, set, draws } = await setUp(false);
  await set.apply([endpoint(1, producer), endpoint(2, producer)]);
  await polls(producer, 2);
  expect(draws).toHaveLength(2);
  await set.apply([endpoint(1, producer), endpoint(2, producer)]);
  expect(draws).toHaveLength(2);
});

test("or at once, where that is wanted; a changed interval starts its timer again at a random place", async () => {
  const { producer, set, draws } = await setUp(true);
  await set.apply([endpoint(1, producer)]);
  await polls(producer, 1);
  expect(draws).toHaveLength(0);
  const [task] = set.all();
  await set.apply([endpoint(1, producer, 1_800_000)]);
  await polls(producer, 2);
  expect(draws).toHaveLength(1);
  expect(set.all()).toEqual([task]);
  expect(task!.details).toMatchObject({ collections: 2n, endpoint: { intervalMs: 1_800_000 } });
});

test("the set is what is listed, in order of ids", async () => {
  const { producer, set } = await setUp(true);
  await set.apply([endpoint(3, producer), endpoint(1, producer), endpoint(2, producer)]);
  expect(set.all().map((task) => task.details.endpoint.id)).toEqual([uuid(1), uuid(2), uuid(3)]);
  const kept = set.get(uuid(2));
  await set.apply([endpoint(2, producer), endpoint(4, producer)]);
  expect(set.all().map((task) => task.details.endpoint.id)).toEqual([uuid(2), uuid(4)]);
  expect(set.get(uuid(2))).toBe(kept);
  await set.remove(uuid(2));
  await set.remove(uuid(2));
  expect(set.size).toBe(1);
});
