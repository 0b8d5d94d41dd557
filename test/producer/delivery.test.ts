import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PRODUCER_RESPONSE_SAMPLES } from "../../src/core/index.ts";
import { Delivery, type Collection } from "../../src/producer/delivery.ts";
import { GroupBuffer } from "../../src/producer/group-buffer.ts";
import { Ledger } from "../../src/producer/ledger.ts";
import type { SampleGroup } from "../../src/producer/sample-group.ts";
import { ManualClock } from "../support/manual-clock.ts";

const INTERVAL_MS = 30_000;
const INTERVAL_NS = 30_000_000_000n;
const COLLECTOR = "c0ffee00-0000-4000-8000-000000000001";
const never = new AbortController().signal;

/** A group of `size` samples whose values count on from `first`. */
function group(first: number, size = 1): SampleGroup {
  const values = Array.from({ length: size }, (_, i) => BigInt(first + i));
  const series = values.map(() => ({
    timeseriesName: "a:b",
    timeseriesVersion: 1,
    metric: { name: "b", fields: [] },
    datumType: "u64" as const,
  }));
  return {
    source: "kstat",
    target: { name: "a", fields: [] },
    timestampNs: BigInt(first),
    startTimeNs: 0n,
    series,
    values,
    partial: false,
  };
}

function setUp(capacity = 1_000, closing: () => SampleGroup | null = () => null, expecting: () => boolean = () => false) {
  const clock = new ManualClock(0n, 1n);
  const ledger = new Ledger();
  const buffers = [new GroupBuffer(capacity), new GroupBuffer(capacity)] as const;
  const delivered: bigint[] = [];
  const delivery = new Delivery({
    buffers,
    ledger,
    closing,
    expecting,
    collectIntervalMs: INTERVAL_MS,
    clock,
    onDelivered: (groups) => delivered.push(...valuesOf(groups)),
  });
  const push = (...groups: SampleGroup[]): void => {
    for (const each of groups) {
      ledger.produced += BigInt(each.values.length);
      ledger.drop("ring_full", buffers[0].push(each)?.values.length ?? 0);
    }
  };
  const ask = (stored: string | null, maxSamples = 100): Promise<Collection> =>
    delivery.collect({ collectorId: COLLECTOR, stored, maxSamples }, never);
  const bare = (): Promise<Collection> => delivery.collect(null, never);
  const balanced = (): void => expect(ledger.delivered + ledger.droppedInAll + BigInt(delivery.buffered)).toBe(ledger.produced);
  return { clock, ledger, buffers, delivery, delivered, push, ask, bare, balanced };
}

const valuesOf = (groups: readonly SampleGroup[]): bigint[] => groups.flatMap((each) => [...each.values] as bigint[]);

describe("a stock collector", () => {
  test("drains everything, and gets it again in order where its response did not go out whole", async () => {
    const { push, bare, ledger, delivery, balanced } = setUp();
    push(group(1, 2), group(3, 2));
    const lost = await bare();
    expect(valuesOf(lost.groups)).toEqual([1n, 2n, 3n, 4n]);
    expect(lost.batch).toBeNull();
    push(group(5));
    balanced();
    lost.settle(false);
    const whole = await bare();
    expect(valuesOf(whole.groups)).toEqual([1n, 2n, 3n, 4n, 5n]);
    expect(delivery.buffered).toBe(5);
    whole.settle(true);
    whole.settle(false);
    expect(delivery.buffered).toBe(0);
    expect(ledger.delivered).toBe(5n);
    expect((await bare()).groups).toEqual([]);
  });

  test("gets at most the cap at once and is told of the rest", async () => {
    const { push, bare } = setUp(20_000);
    for (let i = 0; i < PRODUCER_RESPONSE_SAMPLES / 100 + 1; i++) push(group(i * 100, 100));
    const first = await bare();
    expect(valuesOf(first.groups)).toHaveLength(PRODUCER_RESPONSE_SAMPLES);
    expect(first.more).toBe(true);
    first.settle(true);
    const second = await bare();
    expect(valuesOf(second.groups)).toHaveLength(100);
    expect(second.more).toBe(false);
  });

  test("waits until the one before it has its response", async () => {
    const { push, bare } = setUp();
    push(group(1));
    const first = await bare();
    let second: Collection | undefined;
    const asked = bare().then((collection) => (second = collection));
    for (let i = 0; i < 20; i++) await Promise.resolve();
    expect(second).toBeUndefined();
    first.settle(false);
    await asked;
    expect(valuesOf(second!.groups)).toEqual([1n]);
    second!.settle(true);
  });

  test("that gives up waiting leaves those behind it in order", async () => {
    const { push, bare, delivery } = setUp();
    push(group(1));
    const first = await bare();
    const giving = new AbortController();
    const given = delivery.collect(null, giving.signal);
    const third = bare();
    giving.abort();
    await expect(given).rejects.toMatchObject({ code: "unavailable" });
    first.settle(true);
    expect((await third).groups).toEqual([]);
  });
});

describe("an acknowledging collector", () => {
  test("gets a batch again, same number and content, until it says that it is stored", async () => {
    const { push, ask, delivered, balanced } = setUp();
    push(group(1), group(2));
    const first = await ask(null);
    push(group(3));
    const again = await ask(null);
    expect(again.batch).toBe(first.batch);
    expect(first.batch).toMatch(/^[0-9a-f]{16}:1$/);
    expect(again.groups).toEqual(first.groups);
    expect(again.more).toBe(true);
    expect(delivered).toEqual([]);
    const second = await ask(first.batch);
    expect(delivered).toEqual([1n, 2n]);
    expect(second.batch).toBe(first.batch!.replace(":1", ":2"));
    expect(valuesOf(second.groups)).toEqual([3n]);
    expect(second.more).toBe(false);
    const none = await ask(second.batch);
    expect(none).toMatchObject({ groups: [], batch: null, more: false });
    balanced();
  });

  test("releases nothing by a number that is not the last one", async () => {
    const { push, ask, delivered } = setUp();
    push(group(1));
    const { batch } = await ask(null);
    await ask(batch!.replace(":1", ":2"));
    await ask(`0123456789abcdef:1`);
    expect(delivered).toEqual([]);
    await ask(batch);
    expect(delivered).toEqual([1n]);
  });

  test("gets no more than it has room for, a group in parts if need be", async () => {
    const { push, ask, delivered } = setUp();
    push(group(1, 2), group(3, 5), group(8));
    const first = await ask(null, 4);
    expect(valuesOf(first.groups)).toEqual([1n, 2n]);
    const second = await ask(first.batch, 4);
    expect(valuesOf(second.groups)).toEqual([3n, 4n, 5n, 6n]);
    expect(second.groups[0]!.partial).toBe(true);
    const third = await ask(second.batch, 4);
    expect(valuesOf(third.groups)).toEqual([7n, 8n]);
    expect(third.groups[0]!.partial).toBe(false);
    await ask(third.batch, 0);
    expect(delivered).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]);
  });

  test("that asks for none gets none, but has acknowledged and is alive", async () => {
    const { push, ask, bare, delivered } = setUp();
    push(group(1), group(2));
    const { batch } = await ask(null, 1);
    expect(await ask(null, 0)).toMatchObject({ groups: [], batch: null, more: true });
    expect(delivered).toEqual([]);
    await ask(batch, 0);
    expect(delivered).toEqual([1n]);
    expect(valuesOf((await bare()).groups)).toEqual([2n]);
    expect(valuesOf((await ask(null, 9)).groups)).toEqual([2n]);
  });

  test("whose room has shrunk gets the samples under a new number, and the old one frees nothing", async () => {
    const { push, ask, delivered } = setUp();
    push(group(1), group(2), group(3));
    const wide = await ask(null, 3);
    const narrow = await ask(null, 2);
    expect(valuesOf(narrow.groups)).toEqual([1n, 2n]);
    expect(narrow.batch).not.toBe(wide.batch);
    await ask(wide.batch, 2);
    expect(delivered).toEqual([]);
    await ask(narrow.batch, 0);
    expect(delivered).toEqual([1n, 2n]);
  });

  test("keeps others from draining while it lives, and no longer", async () => {
    const { push, ask, bare, clock, delivered, balanced } = setUp();
    push(group(1), group(2));
    const kept = await ask(null, 1);
    clock.pass(3n * INTERVAL_NS - 1n);
    const looked = await bare();
    expect(valuesOf(looked.groups)).toEqual([1n, 2n]);
    looked.settle(true);
    expect(delivered).toEqual([]);
    expect((await ask(null, 1)).groups).toEqual(kept.groups);
    clock.pass(3n * INTERVAL_NS);
    const drained = await bare();
    expect(valuesOf(drained.groups)).toEqual([1n, 2n]);
    drained.settle(true);
    expect(delivered).toEqual([1n, 2n]);
    // The number of the batch that was drained meanwhile means nothing any more.
    push(group(3));
    const later = await ask(kept.batch);
    expect(later.batch).not.toBe(kept.batch);
    expect(delivered).toEqual([1n, 2n]);
    balanced();
  });
});

test("the closing group ends a collection, and comes once in an interval even where there is always more", async () => {
  const { push, ask, clock } = setUp(1_000, () => group(9_000, 3));
  for (let i = 0; i < 20; i++) push(group(i));
  const first = await ask(null, 10);
  expect(valuesOf(first.groups)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 9000n, 9001n, 9002n]);
  const second = await ask(first.batch, 10);
  expect(valuesOf(second.groups)).toEqual([7n, 8n, 9n, 10n, 11n, 12n, 13n, 14n, 15n, 16n]);
  const third = await ask(second.batch, 10);
  expect(valuesOf(third.groups)).toEqual([17n, 18n, 19n, 9000n, 9001n, 9002n]);
  for (let i = 0; i < 20; i++) push(group(i));
  clock.pass(INTERVAL_NS);
  expect(valuesOf((await ask(third.batch, 5)).groups)).toEqual([0n, 1n, 9000n, 9001n, 9002n]);
});

test("while a recording is on its way there is always more, and the closing group only once in an interval", async () => {
  let expecting = true;
  const { push, ask } = setUp(
    1_000,
    () => group(9_000),
    () => expecting,
  );
  push(group(1));
  const first = await ask(null);
  expect(valuesOf(first.groups)).toEqual([1n, 9000n]);
  expect(first.more).toBe(true);
  expect(await ask(first.batch)).toMatchObject({ groups: [], batch: null, more: true });
  expect(await ask(first.batch, 0)).toMatchObject({ more: true });
  expecting = false;
  const last = await ask(first.batch);
  expect(valuesOf(last.groups)).toEqual([9000n]);
  expect(last.more).toBe(false);
});

test("a full buffer gives up its oldest groups, those that came back first, and counts their samples", async () => {
  const { push, bare, ledger, balanced } = setUp(3);
  push(group(1, 2), group(3), group(4));
  const out = await bare();
  push(group(5), group(6));
  out.settle(false);
  balanced();
  expect(ledger.dropped).toEqual(new Map([["ring_full", 3n]]));
  expect(valuesOf((await bare()).groups)).toEqual([4n, 5n, 6n]);
});

test("produced = delivered + dropped + buffered at any moment, and an acknowledging collector gets every sample that was kept, once and in order", async () => {
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom("push", "push", "ask", "lose", "acknowledge", "bare", "bare-lost", "time"),
      size: fc.integer({ min: 1, max: 7 }),
      max: fc.integer({ min: 0, max: 12 }),
    }),
    { maxLength: 120 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 2, max: 20 }), async (script, capacity) => {
      const { push, ask, bare, clock, delivered, balanced, ledger } = setUp(capacity);
      let next = 0;
      let stored: string | null = null;
      const storedValues: bigint[] = [];
      for (const { kind, size, max } of script) {
        if (kind === "push") {
          push(group(next, size));
          next += size;
        } else if (kind === "ask" || kind === "lose") {
          const { groups, batch } = await ask(stored, max);
          expect(valuesOf(groups).length).toBeLessThanOrEqual(max);
          if (kind === "ask" && batch !== null) {
            stored = batch;
            storedValues.push(...valuesOf(groups));
          }
        } else if (kind === "acknowledge") await ask(stored, 0);
        else if (kind === "bare" || kind === "bare-lost") (await bare()).settle(kind === "bare");
        else clock.pass(INTERVAL_NS);
        balanced();
      }
      expect(delivered).toEqual(delivered.toSorted((a, b) => Number(a - b)));
      expect(new Set(delivered).size).toBe(delivered.length);
      expect(BigInt(delivered.length)).toBe(ledger.delivered);
      // A stock collector may have come between when ours was away for three intervals: only then can a sample be stored twice.
      if (!script.some(({ kind }) => kind === "time")) expect(new Set(storedValues).size).toBe(storedValues.length);
    }),
    { numRuns: 500 },
  );
});
