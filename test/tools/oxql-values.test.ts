import { expect, test } from "vitest";
import { importTool } from "../support/import-tool.ts";

interface Input {
  readonly name: string;
  readonly fields: readonly unknown[];
}

const { differenceOfValues, tableOf, fieldsOf } = await importTool<{
  differenceOfValues: (ideal: unknown, actual: unknown, inputs: readonly Input[]) => string | null;
  tableOf: (table: unknown) => unknown;
  fieldsOf: (fields: unknown) => unknown[];
}>("conformance/oxql-values.mjs");

const node = (value: string) => ({ node: { type: "string", value } });

const series = (name: string, ...values: number[]) => ({
  fields: node(name),
  points: {
    start_times: null,
    timestamps: values.map((_value, second) => `2030-01-01T00:00:0${second}Z`),
    values: [{ metric_type: "gauge", values: { type: "double", values } }],
  },
});

const input = (name: string, value: string): Input => ({ name, fields: fieldsOf(node(value)) });

test("plain values stand in the order of their own table's input, whatever that of another table is", () => {
  const inputs = [input("fan:rpm", "b"), input("fan:rpm", "a"), input("nic:tx", "a"), input("nic:tx", "b")];
  const tables = [
    tableOf({ name: "fan:rpm", timeseries: [series("a", 1), series("b", 2)] }),
    tableOf({ name: "nic:tx", timeseries: [series("a", 3), series("b", 4)] }),
  ];
  expect(
    differenceOfValues(
      [
        [[2], [1]],
        [[3], [4]],
      ],
      tables,
      inputs,
    ),
  ).toBeNull();
  expect(
    differenceOfValues(
      [
        [[1], [2]],
        [[3], [4]],
      ],
      tables,
      inputs,
    ),
  ).toContain("values");
});

test("a joined table has the order of its first name's input", () => {
  const inputs = [input("nic:tx", "b"), input("fan:rpm", "a"), input("fan:rpm", "b"), input("nic:tx", "a")];
  const tables = [tableOf({ name: "fan:rpm,nic:tx", timeseries: [series("b", 2), series("a", 1)] })];
  expect(differenceOfValues([[[1], [2]]], tables, inputs)).toBeNull();
});
