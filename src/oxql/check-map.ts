import { didYouMean, type TextPosition } from "../core/index.ts";
import type { Arithmetic, MapOperation } from "./ast.ts";
import { columnsNamed, metricName } from "./column-names.ts";
import { formatDuration } from "./format-duration.ts";
import { list } from "./messages.ts";
import { queryError } from "./query-error.ts";
import { requireAligned } from "./requirements.ts";
import { isNumericType, type TableSchema } from "./table-schema.ts";

/** The table that a map gives for one table. */
export function mapped({ expression, position }: MapOperation, table: TableSchema): TableSchema {
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
        throw queryError(
          "type_mismatch",
          `ago looks back ${formatDuration(expression.durationNs)}, which is not a multiple of the period of ${formatDuration(periodNs)}.`,
          expression.position,
        );
      }
      checkArithmetic(expression.operand, table);
    }
  }
}

function checkColumn(name: string, position: TextPosition, table: TableSchema): void {
  const named = columnsNamed(table.name, table.columns.length, name);
  const names = table.columns.length === 1 ? ["datum"] : table.columns.map((column) => column.name);
  if (name === "datum" && table.columns.length > 1) {
    throw queryError(
      "datum_on_nd_table",
      `${table.name} has ${names.length} values a point: name the one that is meant, ${list(names)}.`,
      position,
    );
  }
  if (named.length > 1)
    throw queryError(
      "invalid_identifier",
      `"${name}" stands for ${named.length} columns of ${table.name}: write the whole name, ${list(names)}.`,
      position,
    );
  const column = table.columns[named[0] ?? -1];
  if (column === undefined) {
    const isField = table.fields.has(name) ? `, and ${name} is a field` : "";
    throw queryError(
      "invalid_identifier",
      `${table.name} has no column "${name}"${isField}: map computes with ${list(names)}.${didYouMean(name, [...names, ...table.columns.map((each) => metricName(each.name))])}`,
      position,
    );
  }
  if (!isNumericType(column.dataType))
    throw queryError("non_numeric", `"${name}" holds ${column.dataType} values: only numbers can be computed with.`, position);
}
