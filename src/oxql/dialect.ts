import type { FilterExpression, Operation, Query } from "./ast.ts";
import { queryError } from "./query-error.ts";
import type { Term } from "./normal-form.ts";
import { isUpstreamTimestamp } from "./timestamps.ts";

/**
 * `zonemeter` is the whole language. `upstream` is what stock OxQL tools take: additions are refused the way upstream refuses them, and
 * `align interpolate` as not implemented. It never changes the result of a query that both take.
 */
export type Dialect = "zonemeter" | "upstream";

/** Throws `parse` at the first thing that upstream's grammar does not have. */
export function requireUpstreamGrammar(operations: readonly Operation[]): void {
  for (const operation of operations) requireUpstreamOperation(operation);
}

function requireUpstreamOperation(operation: Operation): void {
  const { position } = operation;
  switch (operation.kind) {
    case "group":
      for (const query of operation.queries) requireUpstreamGrammar(query.operations);
      return;
    case "filter":
      requireUpstreamFilter(operation.expression);
      return;
    case "align":
      if (operation.method === "rate") refuse("align rate", position);
      return;
    case "group_by":
      if (operation.reducer !== "mean" && operation.reducer !== "sum") refuse(`the reducer ${operation.reducer}`, position);
      return;
    case "join":
      if (operation.on !== null) refuse("join on", position);
      return;
    case "rank":
      refuse(operation.end, position);
      return;
    case "map":
      refuse("map", position);
  }
}

function requireUpstreamFilter(expression: FilterExpression): void {
  switch (expression.kind) {
    case "not":
      requireUpstreamFilter(expression.operand);
      return;
    case "comparison":
    case "in":
      requireUpstreamTerm(expression);
      return;
    default:
      requireUpstreamFilter(expression.left);
      requireUpstreamFilter(expression.right);
  }
}

function requireUpstreamTerm(term: Term): void {
  if (term.kind === "in") refuse("in", term.position);
  if (term.identifier.includes(":")) refuse("a timeseries name in a filter", term.position);
  const { literal } = term;
  if (literal.type === "timestamp" && !isUpstreamTimestamp(literal.text)) refuse(`the timestamp ${literal.text}`, literal.position);
}

function refuse(what: string, position: Query["position"]): never {
  throw queryError("parse", `Upstream's OxQL does not have ${what}.`, position);
}
