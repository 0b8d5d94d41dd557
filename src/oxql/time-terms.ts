import { formatRfc3339 } from "../core/index.ts";
import type { Comparison, Literal } from "./ast.ts";
import type { Term } from "./normal-form.ts";

type TimeLiteral = Extract<Literal, { type: "timestamp" }>;

/** Times are stored as signed 64-bit nanoseconds. */
const EARLIEST_NS = -(1n << 63n);

/** True for a comparison of the points' own time. A field of that name is never compared with a timestamp. */
export function isTimeTerm(term: Term): boolean {
  return term.identifier === "timestamp" && literalsOf(term).every(({ type }) => type === "timestamp");
}

/**
 * Terms, and-ed, that hold for every row within `earlierNs` before a time that meets `term`, and for nothing later than the latest such
 * time. None where that is every row.
 */
export function withEarlierStart(term: Term, earlierNs: bigint): Term[] {
  if (term.kind === "comparison") {
    const literal = term.literal as TimeLiteral;
    switch (term.operator) {
      case "<":
      case "<=":
        return [term];
      case ">":
      case ">=":
        return since(term, term.operator, literal, earlierNs);
      case "==":
        return [...since(term, ">=", literal, earlierNs), comparison(term, "<=", literal, literal.valueNs)];
      default:
        return [];
    }
  }
  const [first, last] = spanOf(term);
  if (term.negated) return [];
  return [...since(term, ">=", first, earlierNs), comparison(term, "<=", last, last.valueNs)];
}

/** No term where the bound would lie before every time that can be stored. */
function since(term: Term, operator: ">" | ">=", literal: TimeLiteral, earlierNs: bigint): Comparison[] {
  const valueNs = literal.valueNs - earlierNs;
  return valueNs < EARLIEST_NS ? [] : [comparison(term, operator, literal, valueNs)];
}

/**
 * Comparisons, and-ed, for a term that `isTimeTerm`. `exact` is false where they let more through: a list of times becomes the span
 * from the first to the last.
 */
export function asComparisons(term: Term): { comparisons: readonly Comparison[]; exact: boolean } {
  if (term.kind === "comparison") return { comparisons: [term], exact: true };
  const literals = term.literals as readonly TimeLiteral[];
  if (term.negated) return { comparisons: literals.map((literal) => comparison(term, "!=", literal, literal.valueNs)), exact: true };
  const [first, last] = spanOf(term);
  return {
    comparisons: [comparison(term, ">=", first, first.valueNs), comparison(term, "<=", last, last.valueNs)],
    exact: literals.length === 1,
  };
}

function spanOf(term: Term): [TimeLiteral, TimeLiteral] {
  const literals = (literalsOf(term) as TimeLiteral[]).toSorted((a, b) => (a.valueNs < b.valueNs ? -1 : 1));
  return [literals[0]!, literals.at(-1)!];
}

function literalsOf(term: Term): readonly Literal[] {
  return term.kind === "in" ? term.literals : [term.literal];
}

function comparison(term: Term, operator: Comparison["operator"], literal: TimeLiteral, valueNs: bigint): Comparison {
  const { identifier, position } = term;
  const text = valueNs === literal.valueNs ? literal.text : `@${formatRfc3339(valueNs).slice(0, -1)}`;
  return { kind: "comparison", identifier, operator, literal: { ...literal, valueNs, text }, position };
}
