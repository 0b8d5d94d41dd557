import { afterEach, describe, expect, it } from "vitest";
import { Catalogue, type TimeseriesSchema } from "../../src/core/index.ts";
import type { OxqlData } from "../../src/oxql/index.ts";
import { GuardedData, QueryService, WallBreach } from "../../src/query/index.ts";
import { queryRequest, send, serveCustomers, type CustomerApi } from "../support/customer-api.ts";
import { recordingLogger } from "../support/logs.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { memoryData } from "../support/memory-data.ts";
import { PEOPLE, PROJECTS } from "../support/people.ts";
import { BOTH, HIDDEN, NOW_NS, seriesOf, VISIBLE } from "../support/two-worlds.ts";

const apis: CustomerApi[] = [];
afterEach(async () => {
  await Promise.all(apis.splice(0).map(({ listener }) => listener.close(0)));
});

const never = new AbortController().signal;
const requestOf = (schema: TimeseriesSchema) => ({ schema, alternatives: [], limit: null, lookBack: false, maxRows: 100 });

describe("the plan's wall, alone", () => {
  it("lets nothing hidden through to the store for customers", async () => {
    const data = memoryData([...BOTH].flatMap(seriesOf));
    for (const project of [null, PROJECTS.shopWeb]) {
      const guarded = new GuardedData(data, "customer", project);
      for (const schema of HIDDEN) await expect(guarded.select(requestOf(schema), never)).rejects.toBeInstanceOf(WallBreach);
    }
    expect(data.requests).toEqual([]);
  });

  it("stands before every way that a store has, and opens none that it does not know", async () => {
    const asked: unknown[] = [];
    const data: OxqlData = {
      select: async () => ({ series: [], statements: [] }),
      selectWindows: async (request) => {
        asked.push(request);
        return null;
      },
    };
    const windows = (schema: TimeseriesSchema) => ({ ...requestOf(schema), endTimeNs: NOW_NS, periodNs: 1n, counts: false });
    const guarded = new GuardedData(Object.assign(data, { selectEverything: async () => [] }), "customer", PROJECTS.shopWeb);
    for (const schema of HIDDEN) await expect(guarded.selectWindows!(windows(schema), never)).rejects.toBeInstanceOf(WallBreach);
    expect(asked).toEqual([]);
    await guarded.selectWindows!(windows(VISIBLE[0]!), never);
    expect(asked).toEqual([
      expect.objectContaining({
        alternatives: [
          {
            fields: [expect.objectContaining({ identifier: "silo_id" }), expect.objectContaining({ identifier: "project_id" })],
            times: [],
          },
        ],
      }),
    ]);
    expect(guarded).not.toHaveProperty("selectEverything");
    expect(new GuardedData(memoryData([]), "customer", null).selectWindows).toBeUndefined();
  });

  it("lets what customers may see through, and everything for operators", async () => {
    const data = memoryData([...BOTH].flatMap(seriesOf));
    for (const schema of VISIBLE.filter(({ datumType }) => datumType !== "bytes"))
      await new GuardedData(data, "customer", null).select(requestOf(schema), never);
    for (const schema of HIDDEN)
      expect((await new GuardedData(data, "operator", null).select(requestOf(schema), never)).series.length).toBeGreaterThan(0);
    expect(data.requests).toHaveLength(VISIBLE.length - 1 + HIDDEN.length);
  });
});

describe("a catalogue that is wrong", () => {
  /** A service for customers whose catalogue holds everything. */
  function serviceOver(catalogue: Catalogue) {
    const { logger, lines } = recordingLogger();
    const data = memoryData([...BOTH].flatMap(seriesOf));
    const service = new QueryService({ audience: "customer", catalogue, store: data, clock: new ManualClock(NOW_NS), logger });
    const run = (text: string): Promise<unknown> =>
      service
        .run({ text, principal: PEOPLE.fleet, project: null, requestId: "r", signal: never })
        .catch((error: unknown) => (error as Error).message);
    return { service, data, lines, run };
  }
  const QUERIES = [
    "get zone:cpu | last 1",
    "get machine:busyyy | last 1",
    "{ get machine:load | last 1; get machine:loads | last 1 } | last 1",
  ];

  it("shows customers nothing: answers are those of a right one, and the log is loud", async () => {
    const wrong = serviceOver(BOTH);
    const right = serviceOver(new Catalogue(VISIBLE));
    expect(wrong.service.catalogueFor(PEOPLE.fleet).names()).toEqual(right.service.catalogueFor(PEOPLE.fleet).names());
    for (const query of QUERIES) expect(await wrong.run(query)).toEqual(await right.run(query));
    expect(wrong.lines.filter(({ level }) => level === "error").map(({ fields }) => fields["surplus"])).toEqual([HIDDEN.length]);
    expect(right.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("is stopped before the store even where it becomes wrong in the middle of a query, and looks like an unknown name", async () => {
    // Visible to the first who looks, which is the catalogue's wall, and hidden from then on: only the wall before the store is left.
    let looks = 0;
    const turning = VISIBLE.map((schema) =>
      schema.timeseriesName === "machine:load"
        ? Object.defineProperty({ ...schema }, "visibility", { get: () => (looks++ === 0 ? "customer" : "operator_only") })
        : schema,
    );
    const wrong = serviceOver(new Catalogue(turning));
    const right = serviceOver(new Catalogue(VISIBLE.filter(({ timeseriesName }) => timeseriesName !== "machine:load")));
    const query = "get machine:load | last 1";
    looks = 0;
    expect(await wrong.run(query)).toBe(await right.run(query));
    expect(looks).toBeGreaterThan(1);
    expect(wrong.data.requests).toEqual([]);
    const errors = wrong.lines.filter(({ level }) => level === "error").map(({ fields }) => fields);
    expect(errors[0]).toEqual({ wall: "plan", audience: "customer", principal: "fleet wall", requestId: "r", timeseries: "machine:load" });
    expect(wrong.service.catalogueFor(PEOPLE.fleet).names()).not.toContain("machine:load");
  });

  it("grows while the service runs, and is looked at anew each time", async () => {
    const schemas = VISIBLE.slice(1);
    const { logger } = recordingLogger();
    const growing = new Catalogue([]);
    Object.defineProperty(growing, Symbol.iterator, { value: () => schemas[Symbol.iterator]() });
    Object.defineProperty(growing, "size", { get: () => schemas.length });
    const data = memoryData([...BOTH].flatMap(seriesOf));
    const service = new QueryService({ audience: "customer", catalogue: growing, store: data, clock: new ManualClock(NOW_NS), logger });
    const run = () =>
      service.run({ text: "get machine:busy | last 1", principal: PEOPLE.fleet, project: null, requestId: "r", signal: never }).then(
        () => "answered",
        () => "refused",
      );
    expect(await run()).toBe("refused");
    schemas.push(VISIBLE[0]!, ...HIDDEN);
    expect(await run()).toBe("answered");
    expect(service.catalogueFor(PEOPLE.fleet).names()).toEqual(new Catalogue(VISIBLE).names());
  });
});

/** Texts by which people get out of other query languages, and into tables next door. */
const ESCAPES: readonly string[] = [
  "get zone:cpu | last 1",
  "get machine:load | last 1; get zone:cpu | last 1",
  "get machine:load | last 1; SET ROLE operator",
  "get machine:load | last 1 -- get zone:cpu",
  "get machine:load /* | */ | last 1",
  "get machine:load | last 1\0| get zone:cpu",
  "SELECT * FROM oximeter_internal.zone",
  "get machine:load | last 1 UNION ALL SELECT * FROM system.tables",
  "get remote('127.0.0.1', oximeter_internal.zone) | last 1",
  "get url:csv | last 1",
  "get system:tables | last 1",
  "get oximeter_internal.zone:cpu | last 1",
  "get `oximeter_internal`.`zone`:cpu | last 1",
  "get ../zone:cpu | last 1",
  "get zone:* | last 1",
  "get *:* | last 1",
  "get ZONE:CPU | last 1",
  "get zone :cpu | last 1",
  "get zone:\u200bcpu | last 1",
  "get zone\uff1acpu | last 1",
  "get \u202eupc:enoz | last 1",
  "get zoné:cpu | last 1",
  `get ${"z".repeat(2_000)}:cpu | last 1`,
  `get machine:load | filter instance ~= "${"(a*)*".repeat(100)}b" | last 1`,
  `get machine:load | filter instance ~= "(?{system('id')})" | last 1`,
  `get machine:load | filter instance == "x' OR 1=1 OR 'a'='a" | last 1`,
  `get machine:load | filter instance == '\\u{27} UNION SELECT name FROM system.tables --' | last 1`,
  `get machine:load | filter instance ~= "') UNION ALL SELECT 1 --" | last 1`,
  "get machine:load | filter zone:cpu > 1 | last 1",
  "get machine:load | filter timeseries_name == 'zone:cpu' | last 1",
  "get machine:load | filter instance == (select 1) | last 1",
  "get machine:load | filter instance in [zone:cpu] | last 1",
  "get machine:load | filter timestamp > @now() - 1m | align mean_within(30s) | map zone:cpu * 1",
  "get machine:load | filter timestamp > @now() - 1m | align mean_within(30s) | group_by [zone:cpu]",
  "get machine:load | filter timestamp > @now() - 1m | top 1 by zone:cpu",
  "get machine:load | order by zone | last 1",
  "get machine:load | last 99999999999999999999",
  "{ get machine:load | last 1; get zone:cpu | last 1 } | join",
  `${"{".repeat(300)} get zone:cpu ${"}".repeat(300)} | last 1`,
  `get machine:load | last 1 ${" ".repeat(5_000)}`,
  "describe zone:cpu",
  "explain get zone:cpu | last 1",
  "show timeseries",
  "get",
  "",
];

describe("an attempt to get at what is hidden", () => {
  it.each(ESCAPES.map((text, index) => [index, text.slice(0, 60), text] as const))("%i: %s", async (_index, _shown, text) => {
    const withHidden = await serveCustomers(BOTH, BOTH);
    const without = await serveCustomers(new Catalogue(VISIBLE), VISIBLE);
    apis.push(withHidden, without);
    for (const request of [
      queryRequest(text, "fleet"),
      queryRequest(text, "silo", "web"),
      queryRequest(text, "fleet", null, { include_summaries: true }),
    ]) {
      const answer = await send(withHidden, request);
      expect(answer).toEqual(await send(without, request));
      expect([200, 400]).toContain(answer.status);
      // Nothing of a hidden name but what the asker wrote himself, nothing of the inside.
      const own = new Set(text.match(/[a-z_]+:[a-z_]+/g) ?? []);
      for (const { timeseriesName } of HIDDEN.filter(({ timeseriesName: name }) => !own.has(name) && !text.includes(name)))
        expect(answer.body).not.toContain(timeseriesName);
      expect(answer.body.replace(JSON.stringify(text).slice(1, -1), "")).not.toMatch(/ClickHouse|chdb|DB::Exception|node_modules|\.ts:\d/);
    }
    expect(withHidden.data.requests).toEqual(without.data.requests);
    for (const { schema } of withHidden.data.requests) expect(schema.visibility).toBe("customer");
  });

  it("finds only visible ones in the list, each with the same date everywhere and always", async () => {
    const api = await serveCustomers(BOTH, BOTH);
    apis.push(api);
    const { body } = await send(api, { ...queryRequest("", "fleet"), method: "GET", path: "/v1/system/timeseries/schemas", body: null });
    const { items } = JSON.parse(body) as { items: { timeseries_name: string; created: string }[] };
    expect(items.map(({ timeseries_name }) => timeseries_name)).toEqual(new Catalogue(VISIBLE).names());
    expect(new Set(items.map(({ created }) => created))).toEqual(new Set(["1970-01-01T00:00:00Z"]));
  });

  it("is not told what ran in the store", async () => {
    const api = await serveCustomers(BOTH, BOTH);
    apis.push(api);
    const { body } = await send(api, queryRequest("get machine:load | last 1", "fleet", null, { include_summaries: true }));
    expect(body).toMatch(/"query_summaries":null}$/);
  });
});
