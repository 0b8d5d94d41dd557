import { QUERY_UPSAMPLE_FACTOR, type FieldType, type TextPosition } from "../core/index.ts";
import type { Align, Arithmetic, GroupBy, Join, MapOperation, Operation, Reducer } from "./ast.ts";
import { columnsNamed } from "./column-names.ts";
import type { Dialect } from "./dialect.ts";
import { formatDuration } from "./format-duration.ts";
import { list } from "./messages.ts";
import { didYouMean } from "./nearest.ts";
import { placeWithin } from "./place-within.ts";
import { queryError, type QueryErrorKind } from "./query-error.ts";
import { isNumericType, type TableSchema } from "./table-schema.ts";
import type { DataType } from "./table.ts";
import { operationWord } from "./words.ts";

/**
 * The tables that come out of an operation other than get, group and filter, or the first reason why it cannot take those that come in.
 * `text` is what positions point into.
 */
export function outputOf(operation: Operation, tables: readonly TableSchema[], dialect: Dialect, text: string): readonly TableSchema[] {
  switch (operation.kind) {
    case "align":
      return tables.map((table) => aligned(operation, table, dialect));
    case "group_by":
      return [grouped(operation, tables, text)];
    case "join":
      return [joined(operation, tables, text)];
    case "map":
      return tables.map((table) => mapped(operation, table));
    case "rank":
      for (const table of tables) requireOneNumber(operation, table, operation.position);
      return tables;
    default:
      return tables;
  }
}

function aligned(align: Align, table: TableSchema, dialect: Dialect): TableSchema {
  const { method, periodNs, position } = align;
  if (periodNs === 0n) throw queryError("parse", `A period of zero gives no windows: write one such as 1m, and at most ${QUERY_UPSAMPLE_FACTOR} times finer than the samples.`, position);
  requireOneNumber(align, table, position);
  if (method === "interpolate" && dialect === "upstream") throw queryError("not_implemented", "Upstream names interpolate but does not have it.", position);
  const isDelta = table.columns[0]!.metricType === "delta";
  if (method === "rate" && !isDelta) throw queryError("type_mismatch", `rate needs a counter, and ${table.name} is a gauge here: use mean_within.`, position);
  if (method === "interpolate" && isDelta) throw queryError("type_mismatch", `interpolate needs a gauge, and ${table.name} is a counter: use rate or mean_within.`, position);
  return { ...table, columns: [{ ...table.columns[0]!, metricType: "gauge", dataType: "double" }], alignment: { method, periodNs } };
}

function grouped(groupBy: GroupBy, tables: readonly TableSchema[], text: string): TableSchema {
  const { position } = groupBy;
  const [table, second] = tables;
  if (table === undefined || second !== undefined) {
    throw queryError("single_table_required", `group_by takes one table, and here are ${tables.length} (${list(tables.map(({ name }) => name), "and")}): group each in its own query, or join them and map.`, position);
  }
  requireAligned("group_by", table, position);
  requireOneNumber(groupBy, table, position);
  const fields = new Map<string, FieldType>();
  for (const name of groupBy.fields) fields.set(name, fieldOf(name, table, "unknown_group_field", position, text));
  const column = table.columns[0]!;
  return { ...table, fields, columns: [{ ...column, dataType: reducedType(groupBy.reducer, column.dataType) }] };
}

/** Only these keep whole numbers whole. */
function reducedType(reducer: Reducer, dataType: DataType): DataType {
  if (reducer === "count") return "integer";
  return reducer === "sum" || reducer === "min" || reducer === "max" ? dataType : "double";
}

function joined({ on, position }: Join, tables: readonly TableSchema[], text: string): TableSchema {
  const [first, ...later] = tables;
  if (first === undefined || later.length === 0) {
    throw queryError("multiple_tables_required", `join takes two tables or more, and here is ${first?.name ?? "none"}: put the gets in a group, { get a:b; get c:d } | … | join.`, position);
  }
  for (const table of tables) requireAligned("join", table, position);
  for (const table of later) requireSamePeriod(first, table, position);
  for (const table of tables) requireOneColumn("join", table, position);
  for (const table of later) {
    if (on === null) requireSameFields(first, table, position);
    else for (const name of on) requireSharedField(name, first, table, position, text);
  }
  return { ...first, name: tables.map(({ name }) => name).join(","), columns: tables.flatMap(({ columns }) => columns) };
}

function requireSamePeriod(first: TableSchema, table: TableSchema, position: TextPosition): void {
  const [a, b] = [first.alignment!.periodNs, table.alignment!.periodNs];
  if (a === b) return;
  throw queryError("join_period_mismatch", `${first.name} is aligned to ${formatDuration(a)} and ${table.name} to ${formatDuration(b)}: join needs one period.`, position);
}

function requireSameFields(first: TableSchema, table: TableSchema, position: TextPosition): void {
  const shared = [...first.fields].filter(([name, type]) => table.fields.get(name) === type).map(([name]) => name);
  if (shared.length === first.fields.size && shared.length === table.fields.size) return;
  const differing = [...new Set([...first.fields.keys(), ...table.fields.keys()])].filter((name) => !shared.includes(name));
  const advice = shared.length === 0 ? "group_by common fields first" : `group_by the common ones first, or join on [${shared.join(", ")}]`;
  throw queryError("join_field_mismatch", `${first.name} and ${table.name} differ in their fields, in ${list(differing, "and")}. To join them, ${advice}.`, position);
}

function requireSharedField(name: string, first: TableSchema, table: TableSchema, position: TextPosition, text: string): void {
  const type = fieldOf(name, first, "join_field_mismatch", position, text);
  const other = fieldOf(name, table, "join_field_mismatch", position, text);
  if (type === other) return;
  throw queryError("join_field_mismatch", `"${name}" is ${type} in ${first.name} but ${other} in ${table.name}, and values of different types are never equal.`, placeWithin(text, position, name));
}

function mapped({ expression, position }: MapOperation, table: TableSchema): TableSchema {
  requireAligned("map", table, position);
  checkArithmetic(expression, table);
  return { ...table, columns: [{ name: table.name, metricType: "gauge", dataType: "double" }] };
}

function checkArithmetic(expression: Arithmetic, table: TableSchema): void {
  switch (expression.kind) {
    case "constant":
      return;
    case "column":
      checkColumn(expression.name, expression.position, table);
      return;
    case "negate":
      checkArithmetic(expression.operand, table);
      return;
    case "binary":
      checkArithmetic(expression.left, table);
      checkArithmetic(expression.right, table);
      return;
    case "ago": {
      const { periodNs } = table.alignment!;
      if (expression.durationNs % periodNs !== 0n) {
        throw queryError("type_mismatch", `ago looks back ${formatDuration(expression.durationNs)}, which is not a multiple of the period of ${formatDuration(periodNs)}.`, expression.position);
      }
      checkArithmetic(expression.operand, table);
    }
  }
}

function checkColumn(name: string, position: TextPosition, table: TableSchema): void {
  const named = columnsNamed(table.name, table.columns.length, name);
  const names = table.columns.length === 1 ? ["datum"] : table.columns.map((column) => column.name);
  if (name === "datum" && table.columns.length > 1) {
    throw queryError("datum_on_nd_table", `${table.name} has ${names.length} values a point: name the one that is meant, ${list(names)}.`, position);
  }
  if (named.length > 1) throw queryError("invalid_identifier", `"${name}" stands for ${named.length} columns of ${table.name}: write the whole name, ${list(names)}.`, position);
  const column = table.columns[named[0] ?? -1];
  if (column === undefined) {
    const isField = table.fields.has(name) ? `, and ${name} is a field` : "";
    throw queryError("invalid_identifier", `${table.name} has no column "${name}"${isField}: map computes with ${list(names)}.${didYouMean(name, names)}`, position);
  }
  if (!isNumericType(column.dataType)) throw queryError("non_numeric", `"${name}" holds ${column.dataType} values: only numbers can be computed with.`, position);
}

function requireAligned(word: string, table: TableSchema, position: TextPosition): void {
  if (table.alignment !== null) return;
  throw queryError("not_aligned", `${word} needs aligned data, and ${table.name} is not: put an align before it, such as align mean_within(1m).`, position);
}

function requireOneColumn(word: string, table: TableSchema, position: TextPosition): void {
  if (table.columns.length === 1) return;
  throw queryError("multi_dimensional", `${table.name} has ${table.columns.length} values a point, and ${word} takes one: do it before the join, or map them to one.`, position);
}

function requireOneNumber(operation: Operation, table: TableSchema, position: TextPosition): void {
  const word = operationWord(operation);
  requireOneColumn(word, table, position);
  const { dataType } = table.columns[0]!;
  if (isNumericType(dataType)) return;
  throw queryError("non_numeric", `${table.name} holds ${dataType} values, and ${word} takes numbers only.`, position);
}

function fieldOf(name: string, table: TableSchema, kind: QueryErrorKind, position: TextPosition, text: string): FieldType {
  const type = table.fields.get(name);
  if (type !== undefined) return type;
  const names = [...table.fields.keys()];
  const has = names.length === 0 ? "It has no fields." : `It has ${list(names, "and")}.`;
  throw queryError(kind, `${table.name} has no field "${name}".${didYouMean(name, names)} ${has}`, placeWithin(text, position, name));
}
