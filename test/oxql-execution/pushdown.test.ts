import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Catalogue, fieldSetIdentity, type FieldSet } from "../../src/core/index.ts";
import { execute, parse, type OxqlData, type SelectRequest, type Table } from "../../src/oxql/index.ts";
import { printFilter } from "../../src/oxql/printer.ts";
import { asExpression } from "../../src/oxql/select-request.ts";
import { memoryData, type StoredSample } from "../support/memory-data.ts";
import { testSchema } from "../support/oxql-script.ts";

const FIELDS = { site: "string", tank: "u16", up: "bool" } as const;
const GAUGE = testSchema("tank:level", "f64", FIELDS);
const COUNTER = testSchema("meter:litres", "cumulative_u64", FIELDS);
const CATALOGUE = new Catalogue([GAUGE, COUNTER]);

const DAY_NS = BigInt(Date.parse("2030-01-01T00:00:00Z")) * 1_000_000n;
const SECOND_NS = 1_000_000_000n;
const NOW_NS = DAY_NS + 300n * SECOND_NS;

/** The one request of a query that has one get. */
async function requestOf(text: string): Promise<SelectRequest> {
  const data = memoryData([]);
  await execute(parse(text, { nowNs: NOW_NS }), { catalogue: CATALOGUE, data, nowNs: NOW_NS, signal: new AbortController().signal });
  expect(data.requests).toHaveLength(1);
  return data.requests[0]!;
}

async function asked(text: string): Promise<string> {
  const request = await requestOf(text);
  const expression = asExpression(request);
  const limit = request.limit === null ? "" : ` | ${request.limit.end} ${request.limit.count}`;
  return (expression === null ? "everything" : printFilter(expression)) + limit;
}

describe("what the store is asked for", () => {
  test.each([
    ["fields and times", 'filter site == "a" && timestamp > @00:01:00', "site == 'a' && timestamp > @00:01:00"],
    ["nothing about values", 'filter site == "a" && datum > 1.0', "site == 'a'"],
    ["nothing where an alternative is about values", 'filter site == "a" || datum > 1.0', "everything"],
    ["each alternative", 'filter (site == "a" && tank > 3) || site ~= "^b"', "site == 'a' && tank > 3 || site ~= '^b'"],
    ["no order of booleans", "filter up > false && tank == 1", "tank == 1"],
    ["equalities as a list", "filter tank == 1 || tank == 2 || tank == 5", "tank in [1, 2, 5]"],
    [
      "equalities beside others as a list",
      "filter (tank == 1 || tank == 2) && timestamp > @00:01:00",
      "tank in [1, 2] && timestamp > @00:01:00",
    ],
    ["negations as opposite comparisons", 'filter !(site == "a" || timestamp <= @00:01:00)', "site != 'a' && timestamp > @00:01:00"],
    ["a list of times as their span", "filter timestamp in [@00:02:00, @00:01:00]", "timestamp >= @00:01:00 && timestamp <= @00:02:00"],
    ["a limit behind a filter", "filter tank == 1 | last 2", "tank == 1 | last 2"],
    ["the smaller of two limits", "last 5 | last 2", "everything | last 2"],
    ["the first of two unlike limits", "first 5 | last 2", "everything | first 5"],
    ["no limit behind a test of values", "filter tank == 1 && datum > 1.0 | last 2", "tank == 1"],
    ["a field filter behind a limit", "last 2 | filter tank == 1", "tank == 1 | last 2"],
    ["a time filter that cuts the far side behind a limit", "last 2 | filter timestamp > @00:01:00", "timestamp > @00:01:00 | last 2"],
    ["no time filter that cuts the near side behind a limit", "last 2 | filter timestamp < @00:01:00", "everything | last 2"],
    ["no limit through an alignment", "filter tank == 1 | align mean_within(10s) | last 2", "tank == 1"],
    [
      "a lower bound one period earlier through an alignment",
      "align mean_within(10s) | filter timestamp > @00:01:00",
      "timestamp > @2030-01-01T00:00:50",
    ],
    [
      "an instant as its window through an alignment",
      "align mean_within(10s) | filter timestamp == @00:01:00",
      "timestamp >= @2030-01-01T00:00:50 && timestamp <= @00:01:00",
    ],
    ["an upper bound as it is through an alignment", "align mean_within(10s) | filter timestamp <= @00:01:00", "timestamp <= @00:01:00"],
    ["fields through an alignment and a test of values not", "align mean_within(10s) | filter tank == 1 && datum > 1.0", "tank == 1"],
    [
      "two alignments",
      "align mean_within(10s) | align mean_within(60s) | filter timestamp > @00:02:00",
      "timestamp > @2030-01-01T00:00:50",
    ],
    ["nothing about a value by its name, and no limit with it", "filter tank == 1 && level > 2.0 | last 2", "tank == 1"],
    ["no limit before a test of a value by its name either", "last 5 | filter level > 2.0 | last 2", "everything"],
    [
      "grouped fields",
      'align mean_within(10s) | group_by [site] | filter site == "a" && timestamp <= @00:01:00',
      "site == 'a' && timestamp <= @00:01:00",
    ],
    ["nothing through a ranking", 'align mean_within(10s) | top 3 | filter site == "a"', "everything"],
    [
      "what ago looks at",
      "align mean_within(10s) | map datum - ago(ago(datum, 20s) + datum, 30s) | filter timestamp > @00:02:00",
      "timestamp > @2030-01-01T00:01:00",
    ],
  ])("%s", async (_title, pipeline, wanted) => {
    expect(await asked(`get tank:level | ${pipeline}`)).toBe(wanted);
  });

  test("a counter's last samples with the one before them", async () => {
    expect(await asked("get meter:litres | last 2")).toBe("everything | last 3");
    expect(await asked("get meter:litres | first 2")).toBe("everything | first 2");
  });

  test("a counter's range with the sample before it, a gauge's without", async () => {
    expect((await requestOf("get meter:litres | filter timestamp > @00:01:00")).lookBack).toBe(true);
    expect((await requestOf("get meter:litres | filter tank == 1")).lookBack).toBe(false);
    expect((await requestOf("get tank:level | filter timestamp > @00:01:00")).lookBack).toBe(false);
  });

  test("more of a counter's last samples where the oldest of them is missing", async () => {
    const values = [5n, 9n, null, null, 20n];
    const samples = values.map((value, row) => ({ startTimeNs: DAY_NS, timestampNs: timeOf(row), value }));
    const data = memoryData([{ timeseriesName: "meter:litres", fields: fields("a", 0), samples }]);
    const query = parse("get meter:litres | last 1", { nowNs: NOW_NS });
    const { tables } = await execute(query, { catalogue: CATALOGUE, data, nowNs: NOW_NS, signal: new AbortController().signal });
    expect(data.requests.map(({ limit }) => limit?.count)).toEqual([2, 17]);
    expect([...(tables[0]!.timeseries[0]!.points.dimensions[0]!.values.values as BigInt64Array)]).toEqual([11n]);
  });

  test("everything where there are too many alternatives to list", async () => {
    const many = Array.from({ length: 70 }, (_, index) => `tank > ${index} && tank < 9`).join(" || ");
    expect(await asked(`get tank:level | filter ${many} | last 2`)).toBe("everything");
  });

  test("the conditions of the enclosing query, in every subquery", async () => {
    const data = memoryData([]);
    const text = "get tank:level | filter tank == 1; get meter:litres | first 5";
    await execute(parse(`{ ${text} } | filter site == "a" | first 3`, { nowNs: NOW_NS }), {
      catalogue: CATALOGUE,
      data,
      nowNs: NOW_NS,
      signal: new AbortController().signal,
    });
    const [gauge, counter] = data.requests;
    expect(printFilter(asExpression(gauge!)!)).toBe("site == 'a' && tank == 1");
    expect(gauge!.limit).toEqual({ end: "first", count: 3 });
    expect(printFilter(asExpression(counter!)!)).toBe("site == 'a'");
    expect(counter!.limit).toEqual({ end: "first", count: 3 });
  });
});

describe("push-down changes nothing", () => {
  const series = ["a", "b", "c"].flatMap((site, index) => [
    { timeseriesName: "tank:level", fields: fields(site, index), samples: gaugeSamples(index) },
    { timeseriesName: "meter:litres", fields: fields(site, index), samples: counterSamples(index) },
  ]);

  /** Breaks the contract on purpose: every operation runs on everything there is. */
  const everything: OxqlData = {
    select: (request, signal) => memoryData(series).select({ ...request, alternatives: [], limit: null, lookBack: false }, signal),
  };

  test("whatever the pipeline", async () => {
    await fc.assert(
      fc.asyncProperty(pipelines(), async (text) => {
        const query = parse(text, { nowNs: NOW_NS });
        const ask = async (data: OxqlData): Promise<unknown> => {
          const { tables } = await execute(query, { catalogue: CATALOGUE, data, nowNs: NOW_NS, signal: new AbortController().signal });
          return comparable(tables);
        };
        expect(await ask(memoryData(series)), text).toEqual(await ask(everything));
      }),
      { numRuns: 1500 },
    );
  });
});

function fields(site: string, index: number): FieldSet {
  return [
    { name: "site", value: { type: "string", value: site } },
    { name: "tank", value: { type: "u16", value: BigInt(index) } },
    { name: "up", value: { type: "bool", value: index > 0 } },
  ];
}

/** Every 10 s for the whole five minutes, so that no window lacks a sample. */
function gaugeSamples(index: number): StoredSample[] {
  return Array.from({ length: 30 }, (_, row) => ({
    startTimeNs: null,
    timestampNs: timeOf(row),
    value: ((row * 7 + index * 5) % 11) + 0.5,
  }));
}

/** With a restart in the middle. Nothing is missing: a difference over missing samples spans more where it is taken from a look-back. */
function counterSamples(index: number): StoredSample[] {
  return Array.from({ length: 30 }, (_, row) => {
    const restarted = row >= 12 + index;
    const value = BigInt((restarted ? row - 11 - index : row + 1) * (3 + index) + (row % 3));
    return { startTimeNs: restarted ? timeOf(11 + index) + 3n * SECOND_NS : DAY_NS, timestampNs: timeOf(row), value };
  });
}

function timeOf(row: number): bigint {
  return DAY_NS + BigInt(10 * (row + 1)) * SECOND_NS;
}

/** Points with a value, rounded: the two ways may add up in another order. */
function comparable(tables: readonly Table[]): unknown {
  return tables.map(({ name, timeseries }) => {
    const rows = timeseries.map(({ fields: own, points }) => {
      const { present, values } = points.dimensions[0]!.values;
      const kept = Array.from(points.timestampsNs, (time, row) => `${points.startTimesNs?.[row]} ${time} ${rounded(values[row])}`);
      return [fieldSetIdentity(own), kept.filter((_text, row) => present === null || present[row] === 1)] as const;
    });
    return { name, timeseries: Object.fromEntries(rows.filter(([, kept]) => kept.length > 0)) };
  });
}

function rounded(value: unknown): string {
  return typeof value === "number" ? value.toPrecision(9) : String(value);
}

/** Texts of queries of one get, with operations in any order that plans. */
function pipelines(): fc.Arbitrary<string> {
  const time = fc.integer({ min: 0, max: 60 }).map((step) => `@00:0${Math.floor(step / 12)}:${String((step % 12) * 5).padStart(2, "0")}`);
  const timeTest = fc.tuple(fc.constantFrom("<", "<=", ">", ">=", "==", "!="), time).map(([operator, at]) => `timestamp ${operator} ${at}`);
  const fieldTest = fc.constantFrom('site == "a"', 'site != "b"', 'site ~= "[bc]"', 'site > "a"', "tank in [0, 2]");
  const limits = fc.tuple(fc.constantFrom("first", "last"), fc.integer({ min: 1, max: 12 })).map(([end, count]) => `${end} ${count}`);
  const expression = (valueTest: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        timeTest,
        fieldTest,
        valueTest,
        fc
          .tuple(tie("any"), fc.constantFrom("&&", "||", "^"), tie("any"))
          .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
        tie("any").map((inner) => `!(${inner})`),
      ),
    })).any;
  const filters = (valueTest: fc.Arbitrary<string>): fc.Arbitrary<string> => expression(valueTest).map((text) => `filter ${text}`);
  const raw = (literals: readonly string[]): fc.Arbitrary<string[]> =>
    fc.array(fc.oneof(filters(fc.constantFrom(...literals).map((literal) => `datum > ${literal}`)), limits), { maxLength: 3 });
  const doubles = fc.constantFrom("0.4", "3.0", "6.5").map((literal) => `datum > ${literal}`);
  const aligned = fc.oneof(
    filters(doubles),
    limits,
    fc.constantFrom("map datum - ago(datum, 40s)", "align mean_within(40s)", "top 2 by max", "bottom 2"),
  );
  const grouped = fc.constantFrom<string[]>([], ["group_by [site, tank, up], sum"], ["group_by [site, tank, up], p50"]);
  const tail = (method: string): fc.Arbitrary<string[]> =>
    fc.oneof(
      fc.constant<string[]>([]),
      fc
        .tuple(
          fc.constantFrom("10s", "20s", "40s"),
          fc.array(aligned, { maxLength: 3 }),
          grouped,
          fc.option(filters(doubles), { nil: null }),
        )
        .map(([period, some, group, last]) => [
          `align ${method}(${period === "10s" && some.some((text) => text.startsWith("map")) ? "20s" : period})`,
          ...some,
          ...group,
          ...(last === null ? [] : [last]),
        ]),
    );
  const gauge = fc.tuple(raw(["0.5", "4.0", "9.0"]), tail("mean_within")).map(([some, rest]) => ["get tank:level", ...some, ...rest]);
  const counter = fc
    .tuple(raw(["0", "5", "9"]), fc.constantFrom("rate", "mean_within").chain(tail))
    .map(([some, rest]) => ["get meter:litres", ...some, ...rest]);
  return fc.oneof(gauge, counter).map((operations) => operations.join(" | "));
}
