import { QUERY_UPSAMPLE_FACTOR, type FieldType } from "../core/index.ts";
import type { Align, GroupBy, Operation, Reducer } from "./ast.ts";
import { joined } from "./check-join.ts";
import { mapped } from "./check-map.ts";
import type { Dialect } from "./dialect.ts";
import { list } from "./messages.ts";
import { queryError } from "./query-error.ts";
import { fieldOf, requireAligned, requireOneNumber } from "./requirements.ts";
import type { TableSchema } from "./table-schema.ts";
import type { DataType } from "./table.ts";

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
  if (periodNs === 0n)
    throw queryError(
      "parse",
      `A period of zero gives no windows: write one such as 1m, and at most ${QUERY_UPSAMPLE_FACTOR} times finer than the samples.`,
      position,
    );
  requireOneNumber(align, table, position);
  if (method === "interpolate" && dialect === "upstream")
    throw queryError("not_implemented", "Upstream names interpolate but does not have it.", position);
  const isDelta = table.columns[0]!.metricType === "delta";
  if (method === "rate" && !isDelta)
    throw queryError("type_mismatch", `rate needs a counter, and ${table.name} is a gauge here: use mean_within.`, position);
  if (method === "interpolate" && isDelta)
    throw queryError("type_mismatch", `interpolate needs a gauge, and ${table.name} is a counter: use rate or mean_within.`, position);
  return { ...table, columns: [{ ...table.columns[0]!, metricType: "gauge", dataType: "double" }], alignment: { method, periodNs } };
}

function grouped(groupBy: GroupBy, tables: readonly TableSchema[], text: string): TableSchema {
  const { position } = groupBy;
  const [table, second] = tables;
  if (table === undefined || second !== undefined) {
    throw queryError(
      "single_table_required",
      `group_by takes one table, and here are ${tables.length} (${list(
        tables.map(({ name }) => name),
        "and",
      )}): group each in its own query, or join them and map.`,
      position,
    );
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
