import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../src/store/index.ts";
import { freshDirectory, fieldIs, NOW_NS, openStoreAt, selectRows, timeIs } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";

const SECOND = 1_000_000_000n;
const START = NOW_NS - 3600n * SECOND;

describe("a store over the embedded engine", () => {
  const directory = freshDirectory();
  let store: Store;

  beforeAll(async () => {
    store = await openStoreAt(directory.path);
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  it("gives back what was stored", async () => {
    const report = await store.insert(
      zoneSnapshot({
        startTimeNs: START,
        timestampNs: NOW_NS - 10n * SECOND,
        values: { "cpu_nsec(state=user)": 5n, "cpu_nsec(state=sys)": 6n, memory_resident: 7n, cpu_used: 0.5 },
      }),
      "batch 1",
    );
    expect(report).toEqual({ stored: 4, refused: new Map(), messages: [] });
    const rows = await selectRows(store, "zone_resource:cpu_nsec", {
      where: [fieldIs("state", "==", "sys")],
      times: [timeIs(">", NOW_NS - 60n * SECOND)],
    });
    expect(rows).toMatchObject([{ startTimeNs: START, timestampNs: NOW_NS - 10n * SECOND, value: 6n }]);
    expect(await selectRows(store, "zone_resource:cpu_used")).toMatchObject([
      { startTimeNs: null, timestampNs: NOW_NS - 10n * SECOND, value: 0.5 },
    ]);
    expect(await store.latestZones(START, new AbortController().signal)).toMatchObject([
      { startTimeNs: START, values: { "cpu_nsec(state=user)": 5n, memory_resident: 7n } },
    ]);
  });
});
