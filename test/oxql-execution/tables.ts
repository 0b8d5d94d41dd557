import { fieldSet, type FieldSet } from "../../src/core/index.ts";
import {
  parseOperation,
  runOperation,
  type Column,
  type OperationContext,
  type Table,
  type TableOperationNode,
  type Timeseries,
} from "../../src/oxql/index.ts";

export const SECOND_NS = 1_000_000_000n;
/** 2030-01-01T00:00:00Z */
export const DAY_NS = 1_893_456_000n * SECOND_NS;

/** Runs one operation, given as text, on tables. */
export function run(text: string, tables: readonly Table[], context: Partial<OperationContext> = {}): Table[] {
  const endTimeNs = context.endTimeNs ?? DAY_NS + 3_600n * SECOND_NS;
  const operation = parseOperation(text, { nowNs: endTimeNs }) as TableOperationNode;
  return runOperation(tables, operation, { ...context, endTimeNs });
}

export function stringFields(fields: Readonly<Record<string, string>>): FieldSet {
  return fieldSet(Object.entries(fields).map(([name, value]) => ({ name, value: { type: "string", value } as const })));
}

/** A gauge with one sample every second from DAY_NS on, aligned to the second unless told otherwise. */
export function everySecond(fields: FieldSet, column: Column, aligned = true): Timeseries {
  const timestampsNs = BigInt64Array.from({ length: column.values.length }, (_, row) => DAY_NS + BigInt(row) * SECOND_NS);
  const alignment = aligned ? { endTimeNs: DAY_NS, periodNs: SECOND_NS } : null;
  return { fields, points: { startTimesNs: null, timestampsNs, dimensions: [{ metricType: "gauge", values: column }] }, alignment };
}

/** Null is missing. */
export function doubles(values: readonly (number | null)[]): Column {
  return { type: "double", values: Float64Array.from(values, (value) => value ?? 0), present: presence(values) };
}

/** Null is missing. As i64 where all fit, else as u64 where all fit, else as plain bigints. */
export function integers(values: readonly (bigint | null)[]): Column {
  const filled = values.map((value) => value ?? 0n);
  const fits = (array: BigInt64Array | BigUint64Array): boolean => filled.every((value, row) => array[row] === value);
  const column = [BigInt64Array.from(filled), BigUint64Array.from(filled)].find(fits) ?? filled;
  return { type: "integer", values: column, present: presence(values) };
}

/** The values of a column, null for missing ones. */
export function listed(column: Column): unknown[] {
  return Array.from(column.values as ArrayLike<unknown>, (value, row) =>
    column.present !== null && column.present[row] === 0 ? null : value,
  );
}

export function onlyColumn(tables: readonly Table[]): Column {
  return tables[0]!.timeseries[0]!.points.dimensions[0]!.values;
}

function presence(values: readonly unknown[]): Uint8Array | null {
  return values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
}
