import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeTable, parse, plan, QUERY_ERROR_KINDS } from "../../src/oxql/index.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import { NOW_NS } from "./ferry-catalogue.ts";

const document = readFileSync(new URL("../../docs/oxql.md", import.meta.url), "utf8");

/** Indented blocks are whole queries over the product's own timeseries. */
const examples = document.match(/(?:^ {4}(?:get|\{) .*\n(?: {4}.*\n)*)/gm) ?? [];

describe("docs/oxql.md", () => {
  it("has examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(examples)("%s", (example) => {
    const { tables } = plan(parse(example, { nowNs: NOW_NS }), loadCatalogue());
    expect(tables.map(describeTable)).toEqual([expect.stringContaining("gauge double every ")]);
  });

  it("names every error kind", () => {
    expect(Object.keys(QUERY_ERROR_KINDS).filter((kind) => !document.includes(`\`${kind}\``))).toEqual([]);
  });
});
