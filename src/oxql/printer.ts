import type { Arithmetic, FilterExpression, Literal, Operation, Query } from "./ast.ts";
import { formatDuration } from "./format-duration.ts";
import { formatIpv6Groups, ipAddressBytes } from "./ip-address.ts";
import type { Term } from "./normal-form.ts";
import { quoteString } from "./strings.ts";

/**
 * The query as text on one line, in one canonical form: `parse` gives the same tree back (but for positions), and printing that gives
 * the same text. It may be longer than what was parsed, and so than the limit for a query.
 */
export function print(query: Query): string {
  return query.operations.map(printOperation).join(" | ");
}

export function printOperation(operation: Operation): string {
  switch (operation.kind) {
    case "get":
      return `get ${operation.timeseriesName}`;
    case "group":
      return `{ ${operation.queries.map(print).join("; ")} }`;
    case "filter":
      return `filter ${printFilter(operation.expression)}`;
    case "align":
      return `align ${operation.method}(${formatDuration(operation.periodNs)})`;
    case "group_by":
      return `group_by [${operation.fields.join(", ")}]${operation.reducer === "mean" ? "" : `, ${operation.reducer}`}`;
    case "join":
      return operation.on === null ? "join" : `join on [${operation.on.join(", ")}]`;
    case "limit":
      return `${operation.end} ${operation.count}`;
    case "rank":
      return `${operation.end} ${operation.count}${operation.reducer === "mean" ? "" : ` by ${operation.reducer}`}`;
    case "map":
      return `map ${printArithmetic(operation.expression)}`;
  }
}

const FILTER_TOKENS = { or: "||", and: "&&", xor: "^" } as const;
/** Higher binds tighter. */
const FILTER_LEVELS: Readonly<Record<FilterExpression["kind"], number>> = { or: 0, and: 1, xor: 2, not: 3, comparison: 3, in: 3 };

/** Chains group to the right, so only a left operand of the same level needs parentheses. */
export function printFilter(expression: FilterExpression): string {
  switch (expression.kind) {
    case "comparison":
    case "in":
      return printTerm(expression);
    case "not":
      return `!(${printFilter(expression.operand)})`;
    default: {
      const level = FILTER_LEVELS[expression.kind];
      return `${parenthesized(expression.left, level + 1)} ${FILTER_TOKENS[expression.kind]} ${parenthesized(expression.right, level)}`;
    }
  }
}

/** A comparison or membership; one that `normalForm` negated is written with a `!`. */
export function printTerm(term: Term): string {
  const { identifier } = term;
  if (term.kind === "in") {
    const text = `${identifier} in [${term.literals.map(printLiteral).join(", ")}]`;
    return term.negated ? `!(${text})` : text;
  }
  const literal = printLiteral(term.literal);
  return term.operator === "!~=" ? `!(${identifier} ~= ${literal})` : `${identifier} ${term.operator} ${literal}`;
}

export function printLiteral(literal: Literal): string {
  switch (literal.type) {
    case "boolean":
    case "integer":
      return String(literal.value);
    case "double":
      return printDouble(literal.value);
    case "string":
      return quoteString(literal.value);
    case "uuid":
      return `"${literal.value}"`;
    case "ip_addr":
      return `"${printAddress(literal.value)}"`;
    case "duration":
      return formatDuration(literal.valueNs);
    case "timestamp":
      return literal.text;
  }
}

const ARITHMETIC_LEVELS = { "+": 0, "-": 0, "*": 1, "/": 1 } as const;
const UNARY_LEVEL = 2;
const ATOM_LEVEL = 3;

/** Chains group to the left, so a right operand of the same level needs parentheses. */
export function printArithmetic(expression: Arithmetic): string {
  switch (expression.kind) {
    case "column":
      return expression.name;
    case "constant":
      return withoutPlus(expression.value);
    case "ago":
      return `ago(${printArithmetic(expression.operand)}, ${formatDuration(expression.durationNs)})`;
    case "negate":
      return `-${operand(expression.operand, UNARY_LEVEL)}`;
    case "binary": {
      const level = ARITHMETIC_LEVELS[expression.operator];
      return `${operand(expression.left, level)} ${expression.operator} ${operand(expression.right, level + 1)}`;
    }
  }
}

function operand(expression: Arithmetic, atLeast: number): string {
  const level =
    expression.kind === "binary" ? ARITHMETIC_LEVELS[expression.operator] : expression.kind === "negate" ? UNARY_LEVEL : ATOM_LEVEL;
  const text = printArithmetic(expression);
  return level < atLeast ? `(${text})` : text;
}

function parenthesized(expression: FilterExpression, atLeast: number): string {
  const text = printFilter(expression);
  return FILTER_LEVELS[expression.kind] < atLeast ? `(${text})` : text;
}

/** With a point or an exponent, so that it is not read as an integer. */
function printDouble(value: number): string {
  const text = Object.is(value, -0) ? "-0" : withoutPlus(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** OxQL's exponents have no plus sign, and it has no word for infinity, but too large a double reads as it. */
function withoutPlus(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? "-1e999" : "1e999";
  return String(value).replace("e+", "e");
}

/** A literal cannot hold the dotted quad that IPv4-mapped addresses are written with. */
function printAddress(value: string): string {
  const bytes = value.includes(".") && value.includes(":") ? ipAddressBytes(value) : null;
  return bytes === null ? value : formatIpv6Groups(bytes);
}
