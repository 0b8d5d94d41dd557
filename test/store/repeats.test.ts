import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sample } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { ask } from "../../src/store/ask.ts";
import { openEmbeddedEngine } from "../../src/store/embedded-engine.ts";
import { RowBinaryReader } from "../../src/store/row-binary-reader.ts";
import type { Store } from "../../src/store/index.ts";
import { freshDirectory, NOW_NS, openStoreAt, selectRows } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";

const SECOND = 1_000_000_000n;
const START = NOW_NS - 7n * 86_400n * SECOND;

const snapshots = (count: number, user: bigint): Sample[] =>
  Array.from({ length: count }, (_, i) =>
    zoneSnapshot({
      startTimeNs: START,
      timestampNs: NOW_NS - BigInt(i) * 10n * SECOND,
      values: { "cpu_nsec(state=user)": user + BigInt(i), memory_resident: 4_096n },
    }),
  ).flat();

describe("samples that come again", () => {
  const directory = freshDirectory();
  let store: Store;

  beforeEach(async () => {
    store = await openStoreAt(directory.path);
  });

  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  const storedRows = async (): Promise<bigint> => {
    await store.close();
    const engine = await openEmbeddedEngine(directory.path, silentLogger);
    const rows = new RowBinaryReader(
      await ask(
        engine,
        "SELECT sum(rows) FROM system.parts WHERE active AND database = 'oximeter_internal' AND table LIKE 'zone%' AND table NOT LIKE '%series'",
      ),
    ).u64();
    await engine.close();
    store = await openStoreAt(directory.path);
    return rows;
  };

  it("add nothing under their old token, also after reopening", async () => {
    await store.insert(snapshots(20, 0n), "a");
    expect(await store.insert(snapshots(20, 0n), "a")).toMatchObject({ stored: 40 });
    expect(await storedRows()).toBe(20n);
    await store.insert(snapshots(20, 0n), "a");
    expect(await storedRows()).toBe(20n);
  });

  it("are one sample under another token", async () => {
    await store.insert(snapshots(20, 0n), "a");
    await store.insert(snapshots(20, 0n), "b");
    expect(await storedRows()).toBe(40n);
    expect(await selectRows(store, "zone_resource:cpu_nsec")).toHaveLength(20);
    const last = await selectRows(store, "zone_resource:cpu_nsec", { limit: { end: "last", count: 3 }, lookBack: true });
    expect(last.map(({ timestampNs }) => (NOW_NS - timestampNs) / SECOND)).toEqual([30n, 20n, 10n, 0n]);
  });

  it("with another value count as the larger one, whichever came first", async () => {
    await store.insert(snapshots(3, 5n), "a");
    await store.insert(snapshots(3, 9n), "b");
    await store.insert(snapshots(3, 7n), "c");
    const values = async (limit: { end: "first" | "last"; count: number } | null): Promise<unknown[]> =>
      (await selectRows(store, "zone_resource:cpu_nsec", { limit })).map(({ value }) => value);
    expect(await values(null)).toEqual([11n, 10n, 9n]);
    expect(await values({ end: "last", count: 1 })).toEqual([9n]);
    expect(await values({ end: "first", count: 2 })).toEqual([11n, 10n]);
  });

  it("within one batch are one sample", async () => {
    await store.insert([...snapshots(4, 0n), ...snapshots(4, 0n), ...snapshots(4, 1n)], "a");
    expect(await storedRows()).toBe(4n);
    expect((await selectRows(store, "zone_resource:cpu_nsec")).map(({ value }) => value)).toEqual([4n, 3n, 2n, 1n]);
  });

  it("of a batch that half failed are completed under the same token", async () => {
    // Days are parts of their own, as after a crash between two of them.
    const yesterday = snapshots(2, 0n).map((sample) => ({ ...sample, timestampNs: sample.timestampNs - 86_400n * SECOND }) as Sample);
    await store.insert(yesterday, "a");
    await store.insert([...yesterday, ...snapshots(2, 0n)], "a");
    expect(await storedRows()).toBe(4n);
  });
});
