import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store, WindowData } from "../../src/store/index.ts";
import { Random } from "../support/random.ts";
import { fieldIs, freshDirectory, NOW_NS, openStoreAt, selectRows, timeIs, type SampleRow } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";
import { schemaOf } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;

/** One window as an answer has it, and as the samples make it. */
interface Window {
  readonly series: string;
  readonly startTimeNs: bigint | null;
  readonly window: number;
  readonly samples: number;
  readonly times: readonly [bigint, bigint];
  readonly values: readonly unknown[];
}

describe("samples put together by window", () => {
  const seed = Number(process.hrtime.bigint() % 1_000_000_007n);
  const random = new Random(seed);
  const directory = freshDirectory();
  let store: Store & WindowData;

  beforeAll(async () => {
    store = await openStoreAt(directory.path);
    const snapshots = [];
    for (let zone = 0; zone < 5; zone++) {
      let startTimeNs = NOW_NS - 900n * MINUTE;
      let count = 2n ** 63n - BigInt(random.below(1e12));
      for (
        let timestampNs = NOW_NS - 300n * MINUTE + BigInt(random.below(1e9));
        timestampNs < NOW_NS;
        timestampNs += BigInt(5 + random.below(60)) * SECOND
      ) {
        count += BigInt(random.below(1e12));
        const at = { zone, type: ["ntp", "nexus"][zone % 2]!, startTimeNs, timestampNs };
        const gauge = { memory_resident: 2n ** 52n + BigInt(random.below(1e12)) };
        snapshots.push(zoneSnapshot({ ...at, values: { "cpu_nsec(state=user)": count, ...(random.chance(0.5) ? gauge : {}) } }));
        if (random.chance(0.2)) snapshots.push(zoneSnapshot({ ...at, timestampNs: timestampNs + 1n, values: gauge }));
        if (random.chance(0.01)) startTimeNs = timestampNs;
      }
    }
    await store.insert(snapshots.flat(), "all");
    await store.insert(snapshots.slice(0, 200).flat(), "some again");
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  const ask = async (
    name: string,
    type: string,
    endTimeNs: bigint,
    periodNs: bigint,
    count: number,
    maxRows = 100_000,
  ): Promise<Window[]> => {
    const request = { schema: schemaOf(name), alternatives: [[fieldIs("zone_type", "==", type)]], endTimeNs, periodNs, count, maxRows };
    const { series } = await store.selectWindows(request, new AbortController().signal);
    return series.flatMap(({ fields, startTimeNs, windows, samples, firstTimesNs, lastTimesNs, counters, sums }) =>
      Array.from(windows, (window, i) => ({
        series: fields.map((field) => `${field.name}=${String(field.value.value)}`).join(" "),
        startTimeNs,
        window,
        samples: samples[i]!,
        times: [firstTimesNs[i]!, lastTimesNs[i]!] as const,
        values: counters === null ? [sums![i]] : [counters.first[i], counters.last[i]],
      })),
    );
  };

  const expected = async (name: string, type: string, endTimeNs: bigint, periodNs: bigint, count: number): Promise<Window[]> => {
    const fromNs = endTimeNs - BigInt(count) * periodNs;
    const rows = await selectRows(store, name, {
      where: [fieldIs("zone_type", "==", type)],
      times: [timeIs(">", fromNs), timeIs("<=", endTimeNs)],
    });
    const groups = new Map<string, SampleRow[]>();
    for (const row of rows) {
      const key = `${row.series} ${row.startTimeNs} ${(row.timestampNs - fromNs - 1n) / periodNs}`;
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    return [...groups.values()].map((group) => {
      const [first, last] = [group[0]!, group.at(-1)!];
      const values =
        first.startTimeNs === null ? [Number(group.reduce((sum, { value }) => sum + (value as bigint), 0n))] : [first.value, last.value];
      const window = Number((first.timestampNs - fromNs - 1n) / periodNs);
      return {
        series: first.series,
        startTimeNs: first.startTimeNs,
        window,
        samples: group.length,
        times: [first.timestampNs, last.timestampNs],
        values,
      };
    });
  };

  const sorted = (windows: readonly Window[]): Window[] => {
    const key = ({ series, startTimeNs, window }: Window): string => `${series} ${startTimeNs} ${String(window).padStart(9, "0")}`;
    return [...windows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  };

  it(`come to what the samples come to (seed ${seed})`, async () => {
    for (let question = 0; question < 20; question++) {
      const name = random.pick(["zone_resource:cpu_nsec", "zone_resource:memory_resident"]);
      const asked = [
        name,
        random.pick(["ntp", "nexus"]),
        NOW_NS - BigInt(random.below(7200)) * SECOND,
        BigInt(1 + random.below(900)) * SECOND,
        1 + random.below(200),
      ] as const;
      const windows = await ask(...asked);
      expect(sorted(windows), `${seed} ${asked.join(" ")}`).toEqual(sorted(await expected(...asked)));
    }
  });

  it("come in order, each series by itself", async () => {
    const windows = await ask("zone_resource:cpu_nsec", "ntp", NOW_NS, MINUTE, 300);
    expect(windows.length).toBeGreaterThan(200);
    for (const [i, window] of windows.entries()) {
      const before = windows[i - 1];
      if (before?.series === window.series && before.startTimeNs === window.startTimeNs)
        expect(window.window).toBeGreaterThan(before.window);
    }
  });

  it("are refused beyond the limit, and for what are no integers", async () => {
    await expect(ask("zone_resource:cpu_nsec", "ntp", NOW_NS, MINUTE, 300, 10)).rejects.toMatchObject({ code: "limit", kind: "row_limit" });
    await expect(ask("zone_resource:cpu_used", "ntp", NOW_NS, MINUTE, 300)).rejects.toMatchObject({ code: "query", kind: "non_numeric" });
  });
});
