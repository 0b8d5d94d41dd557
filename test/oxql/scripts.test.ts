import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Catalogue, fieldSetIdentity, formatRfc3339, ZonemeterError } from "../../src/core/index.ts";
import { execute, parse, plan, type Column, type QueryOutcome, type Table } from "../../src/oxql/index.ts";
import { memoryData } from "../support/memory-data.ts";
import { parseScript, type ExpectedTable, type ScriptCase } from "../support/oxql-script.ts";

const FOLDER = new URL(".", import.meta.url);
const TOLERANCE = 1e-9;

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".txt"))) {
  describe(file, () => {
    const cases = parseScript(readFileSync(new URL(file, FOLDER), "utf8"));
    test.each(cases.map((each) => [`${each.title} (line ${each.line})`, each] as const))("%s", (_title, each) => run(each));
  });
}

async function run(each: ScriptCase): Promise<void> {
  if (each.fails !== null) {
    const error = await ask(each).then(
      () => expect.unreachable("the query was answered"),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ZonemeterError);
    const { kind, message } = error as ZonemeterError;
    expect(`${kind}: ${message}`).toContain(`${each.fails.kind}: `);
    expect(message).toContain(each.fails.words);
    return;
  }
  expect(each.expected, "a case expects something").not.toEqual([]);
  const { tables } = await ask(each);
  expect(shown(tables, each.expected)).toEqual(each.expected.map(shownExpected));
}

async function ask(each: ScriptCase): Promise<QueryOutcome> {
  const catalogue = new Catalogue(each.schemas);
  const query = parse(each.query, { nowNs: each.nowNs, dialect: each.dialect });
  plan(query, catalogue, { dialect: each.dialect });
  const { signal } = new AbortController();
  return execute(query, {
    catalogue,
    data: memoryData(each.series),
    nowNs: each.nowNs,
    signal,
    dialect: each.dialect,
    limits: each.limits,
  });
}

type Shown = { name: string; timeseries: Record<string, string[]> };

/** Tables in words, each value as the script writes it where it is close enough to be that. */
function shown(tables: readonly Table[], expected: readonly ExpectedTable[]): Shown[] {
  return tables.map(({ name, timeseries }, index) => {
    const series = timeseries.map(({ fields, points }): [string, string[]] => {
      const identity = fieldSetIdentity(fields);
      const wanted = expected[index]?.timeseries.find((each) => fieldSetIdentity(each.fields) === identity);
      const rows = Array.from(points.timestampsNs, (timestampNs, row) => {
        const values = points.dimensions.map(({ values: column }, dimension) =>
          valueText(column, row, wanted?.points[row]?.values[dimension]),
        );
        return pointText(points.startTimesNs === null ? null : points.startTimesNs[row]!, timestampNs, values);
      });
      return [identity, rows];
    });
    return { name, timeseries: Object.fromEntries(series) };
  });
}

function shownExpected({ name, timeseries }: ExpectedTable): Shown {
  // A delta starts where the one before it ended, unless it is the first of its incarnation.
  const rows = timeseries.map(({ fields, points }): [string, string[]] => [
    fieldSetIdentity(fields),
    points.map((point, row) => {
      const before = points[row - 1];
      const start =
        before !== undefined && before.startTimeNs === point.startTimeNs && point.startTimeNs !== null
          ? before.timestampNs
          : point.startTimeNs;
      return pointText(
        start,
        point.timestampNs,
        point.values.map((value) => value ?? "_"),
      );
    }),
  ]);
  return { name, timeseries: Object.fromEntries(rows) };
}

function pointText(startNs: bigint | null, timestampNs: bigint, values: readonly string[]): string {
  const span = startNs === null ? "" : `${formatRfc3339(startNs)} to `;
  return `${span}${formatRfc3339(timestampNs)}: ${values.join("|")}`;
}

function valueText(column: Column, row: number, wanted: string | null | undefined): string {
  if (column.present !== null && column.present[row] === 0) return "_";
  const value = column.values[row];
  if (column.type === "string") return JSON.stringify(value);
  if (column.type !== "double" || wanted === null || wanted === undefined) return String(value);
  const close = Math.abs(Number(wanted) - (value as number)) <= TOLERANCE * Math.abs(value as number);
  return close ? wanted : String(value);
}
