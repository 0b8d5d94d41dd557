import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeTable, parse, plan } from "../../src/oxql/index.ts";
import { loadCatalogue } from "../../src/schema/index.ts";

interface Question {
  readonly id: string;
  readonly oxql: (parameters: { readonly end: string; readonly zone: string }) => string;
}

const { QUESTIONS } = (await import(new URL("../../bench/questions.mjs", import.meta.url).href)) as { QUESTIONS: readonly Question[] };
const document = withoutBreaks(readFileSync(new URL("../../docs/oxql.md", import.meta.url), "utf8"));
const NOW_NS = 1_795_219_200_000_000_000n;

const GIVES: Readonly<Record<string, readonly RegExp[]>> = {
  Q1: [/gauge double every 1m$/],
  Q2: [/gauge double every 15m$/],
  Q3: [/zone_name: string.*gauge double every 1m$/],
  Q4: [/^zone_resource:cpu_nsec \{zone_type: string\}: gauge double every 1h$/],
  Q5: [/delta integer$/, /gauge integer$/, /gauge integer$/],
  Q6: [/gauge integer$/],
  Q7: [/gauge double every 5m$/],
  Q8: [/\{sled_serial: string, zone_name: string\}: gauge double every 1m$/],
};

describe("the eight questions", () => {
  it.each(QUESTIONS)("$id plans over the product's timeseries, and is explained", ({ id, oxql }) => {
    const text = oxql({ end: "@now(1m)", zone: "oxz_nexus_65a11c18-7f59-41ac-b9e7-680627f996e7" });
    const { tables } = plan(parse(text, { nowNs: NOW_NS }), loadCatalogue());
    expect(tables.map(describeTable)).toEqual(GIVES[id]!.map((wanted) => expect.stringMatching(wanted)));
    expect(document.includes(withoutBreaks(text)), text).toBe(true);
  });
});

function withoutBreaks(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
