import { expect, it } from "vitest";
import { systemClock } from "../../src/core/index.ts";
import { freshDirectory, openStoreAt, selectRows } from "../support/store-at.ts";
import { until } from "../support/until.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";

const DAY = 86_400_000_000_000n;

it("samples expire by whole days, and with them what is known of their series", async () => {
  const directory = freshDirectory();
  const nowNs = systemClock.wallNs();
  let store = await openStoreAt(directory.path);
  for (const [zone, age] of [3n, 9n, 40n].entries()) {
    await store.insert(
      zoneSnapshot({ zone, startTimeNs: nowNs - 50n * DAY, timestampNs: nowNs - age * DAY, values: { "cpu_nsec(state=user)": age } }),
      `zone ${zone}`,
    );
  }
  await store.close();
  store = await openStoreAt(directory.path, { retentionDays: 7, clock: systemClock });
  const left = await until("the end of what is older than seven days", 30_000, async () => {
    const values = (await selectRows(store, "zone_resource:cpu_nsec")).map(({ value }) => value);
    return values.length === 1 ? values : undefined;
  });
  expect(left).toEqual([3n]);
  expect(await store.latestZones(0n, new AbortController().signal)).toHaveLength(1);
  await store.close();
  directory.remove();
});
