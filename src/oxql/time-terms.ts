import { formatRfc3339 } from "../core/index.ts";
import type { Comparison, Literal } from "./ast.ts";
import type { Term } from "./normal-form.ts";

type TimeLiteral = Extract<Literal, { type: "timestamp" }>;

/** Times are stored as signed 64-bit nanoseconds. */
const EARLIEST_NS = -(1n << 63n);
const LATEST_NS = (1n << 63n) - 1n;

/** True for a comparison of the points' own time. A field of that name is never compared with a timestamp. */
export function isTimeTerm(term: Term): boolean {
  return term.identifier === "timestamp" && literalsOf(term).every(({ type }) => type === "timestamp");
}

/**
 * Terms, and-ed, that hold for every row from `earlierNs` before to `laterNs` after any time that meets `term`, and beyond the earliest
 * and the latest such row for nothing. None where that is every row.
 */
export function widenedTime(term: Term, earlierNs: bigint, laterNs: bigint): Term[] {
  if (term.kind === "comparison") {
    const literal = term.literal as TimeLiteral;
    switch (term.operator) {
      case "<":
      case "<=":
        return bound(term, term.operator, literal, laterNs);
      case ">":
      case ">=":
        return bound(term, term.operator, literal, -earlierNs);
      case "==":
        return [...bound(term, ">=", literal, -earlierNs), ...bound(term, "<=", literal, laterNs)];
      default:
        return [];
    }
  }
  const [first, last] = spanOf(term);
  if (term.negated) return [];
  return [...bound(term, ">=", first, -earlierNs), ...bound(term, "<=", last, laterNs)];
}

/** No term where the bound was moved past every time that can be stored. */
function bound(term: Term, operator: Comparison["operator"], literal: TimeLiteral, byNs: bigint): Comparison[] {
  const valueNs = literal.valueNs + byNs;
  const isPast = byNs !== 0n && (operator.startsWith(">") ? valueNs < EARLIEST_NS : valueNs > LATEST_NS);
  return isPast ? [] : [comparison(term, operator, literal, valueNs)];
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
