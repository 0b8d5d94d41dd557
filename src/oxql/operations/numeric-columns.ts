import type { Column } from "../table.ts";

export type NumericColumn = Extract<Column, { type: "integer" | "double" }>;

export function isNumeric(column: Column): column is NumericColumn {
  return column.type === "integer" || column.type === "double";
}
