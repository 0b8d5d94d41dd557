import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, print, readResultJson, type Table } from "../../src/oxql/index.ts";
import { withinProject } from "../../src/query/project-query.ts";
import { queryRequest, send, serveCustomers, type CustomerApi } from "../support/customer-api.ts";
import { PROJECTS, SILO_OF_BANK, SILO_OF_SHOP, type Person } from "../support/people.ts";
import { BOTH, NOW_NS } from "../support/two-worlds.ts";

let api: CustomerApi;
beforeAll(async () => {
  api = await serveCustomers(BOTH, BOTH);
});
afterAll(async () => {
  await api.listener.close(0);
});
beforeEach(() => {
  api.data.requests.length = 0;
  api.lines.length = 0;
});

const ask = (person: Person, project: string | null, query = "get machine:load | last 1") =>
  send(api, queryRequest(query, person, project));

/** The values of a field over all timeseries of an answer. */
function valuesOf(body: string, field: string): unknown[] {
  return (readResultJson(body) as Table[]).flatMap(({ timeseries }) =>
    timeseries.map(({ fields }) => fields.find(({ name }) => name === field)!.value.value),
  );
}

describe("a project's filters", () => {
  const silo = `filter silo_id == "${SILO_OF_SHOP}"`;
  const project = `filter project_id == "${PROJECTS.shopWeb.id}"`;
  it.each([
    ["get machine:load", `get machine:load | ${silo} | ${project}`],
    ["get machine:load | filter load > 1.0 | last 2", `get machine:load | ${silo} | ${project} | filter load > 1.0 | last 2`],
    [
      "{ get machine:load; { get machine:busy | last 1 } | first 2 } | last 1",
      `{ get machine:load | ${silo} | ${project}; { get machine:busy | ${silo} | ${project} | last 1 } | first 2 } | last 1`,
    ],
  ])("stand after every get of %s", (text, expected) => {
    expect(print(withinProject(parse(text, { nowNs: NOW_NS }), PROJECTS.shopWeb, BOTH))).toBe(expected);
  });
});

describe("a query within a project", () => {
  it("gives the project's rows, and none of a silo that uses the same id", async () => {
    for (const [person, project] of [
      ["silo", "web"],
      ["fleet", PROJECTS.shopWeb.id],
      ["operator", PROJECTS.shopWeb.id.toUpperCase()],
    ] as const) {
      const { status, body } = await ask(person, project);
      expect(status).toBe(200);
      expect(valuesOf(body, "instance")).toEqual(["front"]);
      expect(valuesOf(body, "silo_id")).toEqual([SILO_OF_SHOP]);
    }
  });

  it("asks the store for nothing else, however many conditions the query has", async () => {
    const many = Array.from({ length: 200 }, (_, i) => `instance ~= "^f" && datum > ${i}.5`).join(" || ");
    for (const query of ["get machine:load", `get machine:load | filter ${many.slice(0, many.lastIndexOf(" || ", 3_900))}`]) {
      expect((await ask("silo", "web", query)).status).toBe(200);
      const { alternatives } = api.data.requests.pop()!;
      expect(alternatives.length).toBeGreaterThan(0);
      for (const { fields } of alternatives) {
        for (const [name, id] of [
          ["silo_id", SILO_OF_SHOP],
          ["project_id", PROJECTS.shopWeb.id],
        ]) {
          expect(fields).toContainEqual(
            expect.objectContaining({
              identifier: name,
              operator: "==",
              literal: expect.objectContaining({ type: "uuid", value: id }) as unknown,
            }),
          );
        }
      }
    }
  });

  it.each([
    `get machine:load | filter project_id == "${PROJECTS.bankWeb.id}" | last 1`,
    `get machine:load | filter silo_id == "${SILO_OF_BANK}" || true == true | last 1`,
    `get machine:load | filter !(project_id == "${PROJECTS.shopWeb.id}") | last 1`,
    `{ get machine:load | last 1; get machine:busy | filter silo_id != "${SILO_OF_SHOP}" | last 1 }`,
  ])("gives nothing of others for %s", async (query) => {
    const { body, status } = await ask("silo", "web", query);
    if (status === 200) for (const id of valuesOf(body, "project_id")) expect(id).toBe(PROJECTS.shopWeb.id);
    else expect(status).toBe(400);
    if (status === 200) for (const id of valuesOf(body, "silo_id")) expect(id).toBe(SILO_OF_SHOP);
  });

  it("refuses a timeseries that belongs to no project, at any depth, and tells nothing of its fields", async () => {
    for (const query of ["get hardware:temperature | last 1", "{ get machine:load | last 1; { get hardware:temperature | last 1 } }"]) {
      const { status, body } = await ask("silo", "web", query);
      expect(status).toBe(400);
      expect(body).toContain("hardware:temperature cannot be queried per project: it does not say which project it belongs to.");
      expect(body).not.toContain("slot");
    }
    expect(api.data.requests).toEqual([]);
  });

  it("says that a name does not exist before it says that another belongs to no project", async () => {
    const { status, body } = await ask("silo", "web", "{ get hardware:temperature | last 1; get zone:cpu | last 1 }");
    expect(status).toBe(400);
    expect(body).toContain('There is no timeseries \\"zone:cpu\\".');
  });

  it("answers a project that is not there and one that may not be read alike", async () => {
    const absent = await ask("project", "nowhere");
    expect(absent).toMatchObject({ status: 404, body: '{"request_id":"ID","message":"Not Found"}' });
    for (const [person, project] of [
      ["project", "web"],
      ["project", PROJECTS.shopWeb.id],
      ["project", PROJECTS.bankWeb.id],
      ["silo", PROJECTS.bankWeb.id],
      ["fleet", "00000009-aaaa-4bbb-8ccc-dddddddddddd"],
      ["silo", "web'; DROP TABLE"],
    ] as const) {
      expect(await ask(person, project), `${person} ${project}`).toEqual(absent);
      expect(await ask(person, project, "no query at all"), `${person} ${project}`).toEqual(absent);
    }
    expect(api.data.requests).toEqual([]);
  });

  it("finds a name in one's own silo, and asks for the id where it says too little", async () => {
    expect((await ask("project", "till")).status).toBe(200);
    expect((await ask("silo", "till")).status).toBe(200);
    expect(await ask("fleet", "web")).toMatchObject({ status: 400, body: expect.stringContaining("ask for it by its id") as string });
  });
});

describe("the whole fleet", () => {
  it.each(["silo", "project"] as const)("is not for a %s viewer", async (person) => {
    const { status, body } = await ask(person, null);
    expect({ status, body: JSON.parse(body) as unknown }).toMatchObject({ status: 403, body: { error_code: "Forbidden" } });
    const request = queryRequest("", person);
    expect((await send(api, { ...request, method: "GET", path: "/v1/system/timeseries/schemas", body: null })).status).toBe(403);
    expect(api.data.requests).toEqual([]);
  });

  it.each(["fleet", "operator"] as const)("is for %s, as customers see it", async (person) => {
    const { status, body } = await ask(person, null);
    expect(status).toBe(200);
    expect(valuesOf(body, "instance").sort()).toEqual(["counter", "front", "front", "stray"]);
    expect((await ask(person, null, "get zone:cpu | last 1")).status).toBe(400);
  });
});

describe("the audit log", () => {
  const audits = () => api.lines.filter(({ fields }) => fields["audit"] === "query").map(({ level, fields }) => ({ level, ...fields }));

  it("has a line for each query: who, what, how much, how long, with which status", async () => {
    await ask("silo", "web", "get machine:load | last 1");
    await ask("fleet", null, "get zone:cpu | last 1");
    await ask("project", null);
    await ask("project", "nowhere");
    expect(audits()).toEqual([
      expect.objectContaining({
        level: "info",
        principal: "shop keeper",
        project: "web",
        query: "get machine:load | last 1",
        status: 200,
        rows: 1,
        durationMs: expect.any(Number) as number,
      }),
      expect.objectContaining({ principal: "fleet wall", query: "get zone:cpu | last 1", status: 400 }),
      expect.objectContaining({ principal: "till maker", status: 403 }),
      expect.objectContaining({ principal: "till maker", project: "nowhere", status: 404 }),
    ]);
  });

  it("cuts a text that is too long", async () => {
    await ask("fleet", null, `get machine:load | filter instance == "${"x".repeat(50_000)}"`);
    expect(String((audits()[0] as Record<string, unknown>)["query"]).length).toBe(4_097);
  });
});
