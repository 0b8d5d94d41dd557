import { describe, expect, test } from "vitest";
import { Catalogue, ZonemeterError } from "../../src/core/index.ts";
import { execute, parse, type ExecuteOptions, type OxqlData, type QueryOutcome, type Selection } from "../../src/oxql/index.ts";
import { memoryData, type StoredSeries } from "../support/memory-data.ts";
import { testSchema } from "../support/oxql-script.ts";
import { DAY_NS, listed, SECOND_NS, stringFields } from "./tables.ts";

const NOW_NS = DAY_NS + 7_200n * SECOND_NS;
const NAMES = ["a:one", "a:two", "a:three", "a:four", "a:five", "a:six"];
const CATALOGUE = new Catalogue([
  ...NAMES.map((name) => testSchema(name, "f64", { id: "string" })),
  testSchema("a:blob", "bytes", { id: "string" }),
]);

function ask(text: string, data: OxqlData, options: Partial<ExecuteOptions> = {}): Promise<QueryOutcome> {
  return execute(parse(text, { nowNs: NOW_NS }), {
    catalogue: CATALOGUE,
    data,
    nowNs: NOW_NS,
    signal: new AbortController().signal,
    ...options,
  });
}

/** `count` timeseries with `samples` samples, one a second. */
function gauges(name: string, count: number, samples: number): StoredSeries[] {
  return Array.from({ length: count }, (_, index) => ({
    timeseriesName: name,
    fields: stringFields({ id: String(index) }),
    samples: Array.from({ length: samples }, (_unused, row) => ({
      startTimeNs: null,
      timestampNs: DAY_NS + BigInt(row + 1) * SECOND_NS,
      value: row,
    })),
  }));
}

describe("the outcome", () => {
  test("tells the end, the rows and the statements of all gets in their order", async () => {
    const data = memoryData([...gauges("a:one", 2, 5), ...gauges("a:two", 1, 4)]);
    const outcome = await ask("{ get a:two; get a:one } | filter timestamp <= @00:00:03", data);
    expect(outcome.endTimeNs).toBe(DAY_NS + 3n * SECOND_NS);
    expect(outcome.rowsFetched).toBe(9);
    expect(outcome.statements.map(({ text }) => text)).toEqual(["a:two", "a:one"]);
    expect(outcome.tables.map(({ name }) => name)).toEqual(["a:two", "a:one"]);
  });

  test("ranks best first", async () => {
    const series = [3, 9, 6].map((value, index) => ({
      ...gauges("a:one", 1, 1)[0]!,
      fields: stringFields({ id: `${index}` }),
      samples: [{ startTimeNs: null, timestampNs: DAY_NS, value }],
    }));
    const order = async (rank: string): Promise<unknown[]> => {
      const { tables } = await ask(`get a:one | filter timestamp <= @00:00:00 | align mean_within(1s) | ${rank}`, memoryData(series));
      return tables[0]!.timeseries.map(({ points }) => listed(points.dimensions[0]!.values)[0]);
    };
    expect(await order("top 2")).toEqual([9, 6]);
    expect(await order("bottom 3")).toEqual([3, 6, 9]);
  });
});

describe("refusals", () => {
  test("a name outside the catalogue, even where the store has it, is never asked for", async () => {
    const data = memoryData(gauges("a:one", 1, 1));
    await expect(ask("get a:one | last 1", data, { catalogue: new Catalogue([]) })).rejects.toMatchObject({
      code: "query",
      kind: "unknown_timeseries",
    });
    expect(data.requests).toEqual([]);
  });

  test("bytes", async () => {
    await expect(ask("get a:blob | last 1", memoryData([]))).rejects.toMatchObject({ kind: "not_implemented" });
  });

  test("show the place in the query", async () => {
    await expect(ask("get a:one | last 1 | group_by [id]", memoryData(gauges("a:one", 1, 1)))).rejects.toThrow(
      "1 | get a:one | last 1 | group_by [id]\n  |                      ^^^^^^^^^^^^^",
    );
  });

  test("rows of gets that run side by side are counted together", async () => {
    const data = memoryData([...gauges("a:one", 1, 60), ...gauges("a:two", 1, 60)]);
    const asked = ask("{ get a:one; get a:two } | filter timestamp > @00:00:00", data, { limits: { maxRows: 100 } });
    await expect(asked).rejects.toMatchObject({ code: "query", kind: "row_limit" });
    await expect(asked).rejects.toThrow(
      /more than 100 rows, and a:(one|two) brings it over: shorten its time range, or filter on its fields \(id\)/,
    );
  });

  test("an engine that does not answer is passed on", async () => {
    const down = new ZonemeterError("unavailable", "The store does not answer.");
    await expect(ask("get a:one | last 1", { select: () => Promise.reject(down) })).rejects.toBe(down);
  });
});

/** Selections that end when told to, or when their signal fires. */
class HeldData implements OxqlData {
  running = 0;
  most = 0;
  ended = 0;
  readonly #held: { name: string; settle: (selection: Selection) => void; fail: (error: unknown) => void }[] = [];

  get waiting(): string[] {
    return this.#held.map(({ name }) => name);
  }

  async select(request: Parameters<OxqlData["select"]>[0], signal: AbortSignal): Promise<Selection> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      return await new Promise<Selection>((settle, fail) => {
        signal.addEventListener("abort", () => fail(signal.reason));
        this.#held.push({ name: request.schema.timeseriesName, settle, fail });
      });
    } finally {
      this.running -= 1;
      this.ended += 1;
    }
  }

  release(): void {
    this.#held.shift()!.settle({ series: [], statements: [] });
  }

  fail(error: unknown): void {
    this.#held.shift()!.fail(error);
  }
}

async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("subqueries", () => {
  const all = `{ ${NAMES.map((name) => `get ${name} | last 1`).join("; ")} }`;

  test("are fetched side by side, a few at a time, and answered in the query's order", async () => {
    const data = new HeldData();
    const asked = ask(all, data);
    await turns();
    expect(data.waiting).toEqual(NAMES.slice(0, 4));
    while (data.ended < NAMES.length) {
      data.release();
      await turns();
    }
    expect((await asked).tables.map(({ name }) => name)).toEqual(NAMES);
    expect(data.most).toBe(4);
  });

  test("end together: one that fails stops the others, and nothing is left running", async () => {
    const data = new HeldData();
    const asked = ask(all, data);
    const outcome = expect(asked).rejects.toThrow("broken");
    await turns();
    data.fail(new Error("broken"));
    await outcome;
    expect(data.running).toBe(0);
    expect(data.ended).toBe(4);
  });

  test("end with the query's signal, whose reason is given", async () => {
    const data = new HeldData();
    const controller = new AbortController();
    const outcome = expect(ask(all, data, { signal: controller.signal })).rejects.toThrow("the caller has gone");
    await turns();
    controller.abort(new Error("the caller has gone"));
    await outcome;
    expect(data.running).toBe(0);
  });
});

describe("long work", () => {
  const series = gauges("a:one", 60, 600);
  const long =
    "get a:one | filter timestamp <= @01:00:00 | align mean_within(100ms) | map datum * 2 + ago(datum, 2s) | group_by [id], max | filter datum > 1.0";

  test("leaves the event loop to others in between", async () => {
    let ticks = 0;
    let asking = true;
    const ticking = (async () => {
      while (asking) {
        await new Promise((resolve) => setImmediate(resolve));
        ticks += 1;
      }
    })();
    await ask(long, memoryData(series), { limits: { maxPoints: 10_000_000, slicePoints: 5_000 } });
    asking = false;
    await ticking;
    // The data source gives up its turn once; all others are between slices of the computation.
    expect(ticks).toBeGreaterThan(5);
  });

  test.each(["group_by [id], max", "group_by [], sum"])("gives the same in slices as in one go: %s", async (grouping) => {
    const shape = async (slicePoints: number): Promise<unknown> => {
      const text = long.replace("100ms", "2s").replace("group_by [id], max", grouping);
      const { tables } = await ask(text, memoryData(series), { limits: { slicePoints } });
      return tables.map(({ timeseries }) =>
        timeseries.map(({ fields, points }) => [fields, [...points.timestampsNs], listed(points.dimensions[0]!.values)]),
      );
    };
    expect(await shape(700)).toEqual(await shape(Number.MAX_SAFE_INTEGER));
  });

  test("stops between slices when the signal fires", async () => {
    const controller = new AbortController();
    const data: OxqlData = {
      select: async (request, signal) => {
        const selection = await memoryData(series).select(request, signal);
        controller.abort(new Error("enough"));
        return selection;
      },
    };
    await expect(ask(long, data, { signal: controller.signal })).rejects.toThrow("enough");
  });

  test("counts the points of all slices against one limit", async () => {
    const asked = ask("get a:one | filter timestamp <= @00:10:00 | align mean_within(1s) | last 1", memoryData(series), {
      limits: { maxPoints: 35_999, slicePoints: 700 },
    });
    await expect(asked).rejects.toMatchObject({ kind: "point_limit" });
    await ask("get a:one | filter timestamp <= @00:10:00 | align mean_within(1s) | last 1", memoryData(series), {
      limits: { maxPoints: 36_000, slicePoints: 700 },
    });
  });
});
