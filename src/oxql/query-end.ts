import type { FilterExpression, Query } from "./ast.ts";
import { negateTerm, type Term } from "./normal-form.ts";

/** Whether an expression holds where its filter does, does not, or (inside `^`) one as well as the other. */
type Sense = "plain" | "negated" | "both";

/**
 * The instant that alignment windows step back from, one for the whole query: the latest time that any filter, in subqueries too,
 * bounds `timestamp` by from above (`<`, `<=`, `==`, `in`), or `nowNs` where none does. A negation turns the comparisons in it round, so
 * `!(timestamp < T)` is no upper bound and `!(timestamp > T)` is one. Alternatives are not weighed: each one's bound counts.
 */
export function queryEnd(query: Query, nowNs: bigint): bigint {
  return latestBound(query) ?? nowNs;
}

function latestBound(query: Query): bigint | null {
  let latest: bigint | null = null;
  for (const operation of query.operations) {
    if (operation.kind === "group") for (const inner of operation.queries) latest = later(latest, latestBound(inner));
    if (operation.kind === "filter") latest = later(latest, upperBound(operation.expression, "plain"));
  }
  return latest;
}

function upperBound(expression: FilterExpression, sense: Sense): bigint | null {
  switch (expression.kind) {
    case "not":
      return upperBound(expression.operand, sense === "both" ? "both" : sense === "plain" ? "negated" : "plain");
    case "and":
    case "or":
      return later(upperBound(expression.left, sense), upperBound(expression.right, sense));
    case "xor":
      return later(upperBound(expression.left, "both"), upperBound(expression.right, "both"));
    default:
      return later(sense === "negated" ? null : boundOf(expression), sense === "plain" ? null : boundOf(negateTerm(expression)));
  }
}

function boundOf(term: Term): bigint | null {
  if (term.identifier !== "timestamp") return null;
  const bounds = term.kind === "in" ? !term.negated : ["<", "<=", "=="].includes(term.operator);
  if (!bounds) return null;
  const literals = term.kind === "in" ? term.literals : [term.literal];
  return literals.reduce<bigint | null>(
    (latest, literal) => (literal.type === "timestamp" ? later(latest, literal.valueNs) : latest),
    null,
  );
}

function later(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}
