import { didYouMean, type FieldType, type TextPosition } from "../core/index.ts";
import type { Operation } from "./ast.ts";
import { list } from "./messages.ts";
import { placeWithin } from "./place-within.ts";
import { queryError, type QueryErrorKind } from "./query-error.ts";
import { isNumericType, type TableSchema } from "./table-schema.ts";
import { operationWord } from "./words.ts";

// What operations ask of a table. `word` is what the operation is called.

/** Throws `not_aligned`. */
export function requireAligned(word: string, table: TableSchema, position: TextPosition): void {
  if (table.alignment !== null) return;
  throw queryError(
    "not_aligned",
    `${word} needs aligned data, and ${table.name} is not: put an align before it, such as align mean_within(1m).`,
    position,
  );
}

/** Throws `multi_dimensional`. */
export function requireOneColumn(word: string, table: TableSchema, position: TextPosition): void {
  if (table.columns.length === 1) return;
  throw queryError(
    "multi_dimensional",
    `${table.name} has ${table.columns.length} values a point, and ${word} takes one: do it before the join, or map them to one.`,
    position,
  );
}

/** Throws `multi_dimensional` or `non_numeric`. */
export function requireOneNumber(operation: Operation, table: TableSchema, position: TextPosition): void {
  const word = operationWord(operation);
  requireOneColumn(word, table, position);
  const { dataType } = table.columns[0]!;
  if (isNumericType(dataType)) return;
  throw queryError("non_numeric", `${table.name} holds ${dataType} values, and ${word} takes numbers only.`, position);
}

/** The type of a field that an operation lists; throws `kind`, marking the name in the list, where there is none. */
export function fieldOf(name: string, table: TableSchema, kind: QueryErrorKind, position: TextPosition, text: string): FieldType {
  const type = table.fields.get(name);
  if (type !== undefined) return type;
  const names = [...table.fields.keys()];
  const has = names.length === 0 ? "It has no fields." : `It has ${list(names, "and")}.`;
  throw queryError(kind, `${table.name} has no field "${name}".${didYouMean(name, names)} ${has}`, placeWithin(text, position, name));
}
