import { didYouMean, isIntegerType, ZonemeterError, type Catalogue, type FieldType, type TextPosition } from "../core/index.ts";
import type { Filter, FilterExpression, Literal } from "./ast.ts";
import { columnsNamed, metricName } from "./column-names.ts";
import type { Dialect } from "./dialect.ts";
import { list } from "./messages.ts";
import type { Term } from "./normal-form.ts";
import { queryError } from "./query-error.ts";
import { compileRegex } from "./regex.ts";
import { offsetInLiteral } from "./strings.ts";
import { comesFromCounter, isDistributionType, type TableSchema } from "./table-schema.ts";
import type { DataType } from "./table.ts";
import { literalAdvice } from "./type-advice.ts";
import { HISTOGRAM_PARTS } from "./words.ts";

/** What something is called in a message and which literals it is compared with. */
export interface Comparable {
  readonly type: FieldType | DataType | "timestamp";
  readonly literal: Literal["type"];
}

export interface FilterContext {
  readonly catalogue: Catalogue;
  readonly dialect: Dialect;
  /** What positions point into. */
  readonly text: string;
}

/**
 * Checks every comparison against every table. Throws the first of `invalid_identifier`, `type_mismatch` (a regular expression that is
 * none, too), `datum_on_nd_table`, `unsupported_filter_identifier` and `start_time_not_cumulative`.
 */
export function checkFilter(filter: Filter, tables: readonly TableSchema[], context: FilterContext): void {
  for (const term of termsOf(filter.expression)) {
    for (const table of tables) checkTerm(term, table, context);
    checkPattern(term, context.text);
  }
}

/** All comparisons of an expression, from left to right. */
export function termsOf(expression: FilterExpression): Term[] {
  switch (expression.kind) {
    case "comparison":
    case "in":
      return [expression];
    case "not":
      return termsOf(expression.operand);
    default:
      return [...termsOf(expression.left), ...termsOf(expression.right)];
  }
}

function checkTerm(term: Term, table: TableSchema, context: FilterContext): void {
  const comparable = comparableOf(term, table, context);
  const literals = term.kind === "in" ? term.literals : [term.literal];
  for (const literal of literals) {
    if (literal.type === comparable.literal) continue;
    const what = `"${term.identifier}" of ${table.name} is ${withArticle(comparable.type)}`;
    const isPattern = term.kind === "comparison" && term.operator === "~=";
    const advice = isPattern ? "~= is for strings, so use ==, <, > and the like" : literalAdvice(comparable, literal);
    throw queryError("type_mismatch", `${what}: ${advice}.`, literal.position);
  }
}

/** What the identifier stands for in the table; a field comes before a special name. */
function comparableOf(term: Term, table: TableSchema, { catalogue, dialect }: FilterContext): Comparable {
  const { identifier } = term;
  const position = { ...term.position, length: identifier.length };
  const field = table.fields.get(identifier);
  if (field !== undefined) return { type: field, literal: literalOfField(field) };
  if (identifier === "timestamp") return { type: "timestamp", literal: "timestamp" };
  if (identifier === "start_time" && comesFromCounter(table, catalogue)) {
    if (table.columns.every(({ metricType }) => metricType === "delta")) return { type: "timestamp", literal: "timestamp" };
    throw queryError(
      "start_time_not_cumulative",
      `${table.name} has no start times any more once it is aligned: filter by start_time before the align.`,
      position,
    );
  }
  if (identifier === "datum" && table.columns.length > 1) {
    const names = table.columns.map(({ name }) => name);
    throw queryError(
      "datum_on_nd_table",
      `${table.name} has ${names.length} values a point: name the one that is meant, ${list(names)}.`,
      position,
    );
  }
  if (identifier === "datum" || dialect !== "upstream") {
    const named = columnsNamed(table.name, table.columns.length, identifier);
    if (named.length > 1) {
      const advice = identifier.includes(":")
        ? "filter before the join"
        : `write the whole name, ${list(named.map((index) => table.columns[index]!.name))}`;
      throw queryError("invalid_identifier", `"${identifier}" stands for ${named.length} columns of ${table.name}: ${advice}.`, position);
    }
    const column = table.columns[named[0] ?? -1];
    if (column !== undefined && !isDistributionType(column.dataType))
      return { type: column.dataType, literal: column.dataType as Literal["type"] };
  }
  if (
    table.columns.some(({ dataType }) => isDistributionType(dataType)) &&
    (identifier === "datum" || HISTOGRAM_PARTS.includes(identifier))
  ) {
    const kind = identifier === "datum" ? "invalid_identifier" : "unsupported_filter_identifier";
    throw queryError(
      kind,
      `${table.name} is a histogram, which can be filtered by its fields and by time only, not by ${identifier}.`,
      position,
    );
  }
  throw unknownIdentifier(identifier, table, position);
}

function unknownIdentifier(identifier: string, table: TableSchema, position: TextPosition): ZonemeterError {
  const columns = table.columns.length > 1 ? table.columns.map(({ name }) => name) : ["datum"];
  const names = [
    ...table.fields.keys(),
    "timestamp",
    ...(table.columns.some(({ dataType }) => isDistributionType(dataType)) ? [] : columns),
  ];
  return queryError(
    "invalid_identifier",
    `${table.name} has no "${identifier}".${meant(identifier, names)} It has ${list(names, "and")}.`,
    position,
  );
}

/** What the special names are called elsewhere. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ...["time", "ts", "date", "at"].map((name) => [name, "timestamp"] as const),
  ...["value", "val", "data"].map((name) => [name, "datum"] as const),
]);

/** ` Did you mean x?` for the nearest name, where a column may be called by its metric alone, too. */
function meant(identifier: string, names: readonly string[]): string {
  const other = OTHER_NAMES.get(identifier);
  if (other !== undefined && names.includes(other)) return ` Did you mean ${other}?`;
  return didYouMean(identifier, [...names, ...names.filter((name) => name.includes(":")).map(metricName)]);
}

/** The literal that a field of the type is compared with. */
export function literalOfField(type: FieldType): Literal["type"] {
  if (isIntegerType(type)) return "integer";
  return type === "bool" ? "boolean" : type;
}

/** The place of a pattern's error is within the pattern; the query's error shows it within the literal. */
function checkPattern(term: Term, text: string): void {
  if (term.kind === "in" || term.operator !== "~=" || term.literal.type !== "string") return;
  const { value, position } = term.literal;
  try {
    compileRegex(value);
  } catch (error) {
    if (!(error instanceof ZonemeterError)) throw error;
    if (error.position === null) throw queryError("type_mismatch", error.message, position);
    const source = text.slice(position.offset, position.offset + position.length);
    const start = offsetInLiteral(source, error.position.offset);
    const end = offsetInLiteral(source, error.position.offset + error.position.length);
    // A literal over several lines is marked from its start: line and column are known there.
    const within = source.includes("\n")
      ? position
      : { ...position, offset: position.offset + start, column: position.column + start, length: end - start };
    throw queryError("type_mismatch", error.message, within);
  }
}

function withArticle(type: string): string {
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}
