import { fieldValue } from "../../core/index.ts";
import type { Filter, FilterExpression } from "../ast.ts";
import { columnsNamed } from "../column-names.ts";
import { describeTimeseries } from "../describe-timeseries.ts";
import { pickPoints, slicePoints } from "../points.ts";
import { queryError } from "../query-error.ts";
import type { Table, Timeseries } from "../table.ts";
import { combine, negate, YES, type Verdict } from "../verdict.ts";
import { HISTOGRAM_PARTS } from "../words.ts";
import { literalTypeFor, testColumn, testField, testTimes, type Test } from "./comparison.ts";
import type { OperationContext } from "./context.ts";

/**
 * Keeps the points for which the expression holds, as an ordinary boolean expression over fields and the point; a timeseries without
 * such points goes. A comparison with a missing value fails, and so does its negation. Throws `invalid_identifier`, `type_mismatch`,
 * `multi_dimensional` or `unsupported_filter_identifier`, for tables that have timeseries.
 */
export function filter(tables: readonly Table[], operation: Filter, context: OperationContext): Table[] {
  return tables.map((table) => {
    const [first] = table.timeseries;
    if (first === undefined) return table;
    check(operation.expression, table.name, first, context);
    return { name: table.name, timeseries: table.timeseries.flatMap((series) => keep(series, operation.expression, table.name)) };
  });
}

function keep(series: Timeseries, expression: FilterExpression, tableName: string): Timeseries[] {
  const verdict = judge(expression, series, tableName);
  if (typeof verdict === "number") return verdict === YES && series.points.timestampsNs.length > 0 ? [series] : [];
  const kept = verdict.reduce((count, answer) => count + (answer === YES ? 1 : 0), 0);
  if (kept === 0) return [];
  const first = verdict.indexOf(YES);
  // A range of times is the usual case, and needs no copy.
  if (verdict.lastIndexOf(YES) - first + 1 === kept) return [{ ...series, points: slicePoints(series.points, first, first + kept) }];
  const rows = new Uint32Array(kept);
  for (let i = first, next = 0; next < kept; i++) if (verdict[i] === YES) rows[next++] = i;
  return [{ ...series, points: pickPoints(series.points, rows) }];
}

function judge(expression: FilterExpression, series: Timeseries, tableName: string): Verdict {
  switch (expression.kind) {
    case "and":
    case "or":
    case "xor":
      return combine(expression.kind, judge(expression.left, series, tableName), judge(expression.right, series, tableName));
    case "not":
      return negate(judge(expression.operand, series, tableName));
    case "comparison":
    case "in":
      return judgeTest(expression, series, tableName);
  }
}

function judgeTest(test: Test, series: Timeseries, tableName: string): Verdict {
  const field = fieldValue(series.fields, test.identifier);
  if (field !== undefined) return testField(test, field);
  const { startTimesNs, timestampsNs, dimensions } = series.points;
  if (test.identifier === "timestamp") return testTimes(test, timestampsNs);
  if (test.identifier === "start_time") return testTimes(test, startTimesNs!);
  const [column] = columnsNamed(tableName, dimensions.length, test.identifier);
  return testColumn(test, dimensions[column!]!.values);
}

/** All timeseries of a table have the same shape, so the first one tells. */
function check(expression: FilterExpression, tableName: string, series: Timeseries, context: OperationContext): void {
  if (expression.kind === "not") return check(expression.operand, tableName, series, context);
  if (expression.kind !== "comparison" && expression.kind !== "in") {
    check(expression.left, tableName, series, context);
    return check(expression.right, tableName, series, context);
  }
  const type = literalTypeOf(expression, tableName, series, context);
  const { identifier } = expression;
  const literals = expression.kind === "in" ? expression.literals : [expression.literal];
  for (const literal of literals) {
    if (literal.type === type) continue;
    throw queryError(
      "type_mismatch",
      `"${identifier}" of ${tableName} is compared with a ${type}, not with a ${literal.type}.`,
      literal.position,
    );
  }
  const regex = expression.kind === "comparison" && (expression.operator === "~=" || expression.operator === "!~=");
  if (regex && type !== "string") {
    throw queryError("type_mismatch", `"${identifier}" of ${tableName} is a ${type}: ~= needs a string.`, expression.position);
  }
}

/** The literal type that the identifier is compared with. */
function literalTypeOf(test: Test, tableName: string, series: Timeseries, { dialect }: OperationContext): string {
  const { identifier, position } = test;
  const field = fieldValue(series.fields, identifier);
  if (field !== undefined) return literalTypeFor(field.type)!;
  if (identifier === "timestamp") return "timestamp";
  const { startTimesNs, dimensions } = series.points;
  if (identifier === "start_time" && startTimesNs !== null) return "timestamp";
  if (identifier === "datum" && dimensions.length > 1) {
    throw queryError(
      "multi_dimensional",
      `${tableName} has ${dimensions.length} values a point: name one of them instead of datum.`,
      position,
    );
  }
  const named = identifier === "datum" || dialect !== "upstream" ? columnsNamed(tableName, dimensions.length, identifier) : [];
  if (named.length > 1)
    throw queryError("invalid_identifier", `"${identifier}" stands for ${named.length} columns of ${tableName}.`, position);
  const column = named[0] === undefined ? undefined : dimensions[named[0]];
  const type = column === undefined ? null : literalTypeFor(column.values.type);
  if (type !== null) return type;
  if (dimensions.some(({ values }) => literalTypeFor(values.type) === null) && HISTOGRAM_PARTS.includes(identifier)) {
    throw queryError(
      "unsupported_filter_identifier",
      `"${identifier}" is a part of a histogram, and histograms are filtered by field and time only.`,
      position,
    );
  }
  throw queryError("invalid_identifier", `${describeTimeseries(tableName, series.fields)} has no "${identifier}" to filter by.`, position);
}
