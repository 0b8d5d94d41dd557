import { FILTER_MAX_ALTERNATIVES, FILTER_MAX_TERMS } from "../core/index.ts";
import type { Comparison, ComparisonOperator, FilterExpression, Membership } from "./ast.ts";
import { queryError } from "./query-error.ts";

/** A comparison or membership; `!` has been worked into its operator, or into `negated`. */
export type Term = Comparison | Membership;

/** And-ed terms, or-ed. `[[]]` is a filter that always holds. */
export type Alternatives = readonly (readonly Term[])[];

const NEGATIONS: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
  "~=": "!~=",
  "!~=": "~=",
};

/**
 * Disjunctive normal form: the filter holds where all terms of any alternative do. Negation is pushed into the terms, `^` is written
 * out, nothing is simplified. Throws `too_complex` beyond FILTER_MAX_ALTERNATIVES or FILTER_MAX_TERMS.
 *
 * A negated comparison becomes the opposite one, so a missing value fails both.
 */
export function normalForm(expression: FilterExpression): Term[][] {
  return new Expansion().of(expression, false).map((terms) => [...terms]);
}

/** Alternatives of `left && right`, both in normal form, or null where they pass the limits. */
export function conjunction(left: Alternatives, right: Alternatives): Alternatives | null {
  const terms = left.length * termCount(right) + right.length * termCount(left);
  if (left.length * right.length > FILTER_MAX_ALTERNATIVES || terms > FILTER_MAX_TERMS) return null;
  return left.flatMap((a) => right.map((b) => [...a, ...b]));
}

/** Alternatives of `left || right`, or null where they pass the limits. */
export function disjunction(left: Alternatives, right: Alternatives): Alternatives | null {
  if (left.length + right.length > FILTER_MAX_ALTERNATIVES || termCount(left) + termCount(right) > FILTER_MAX_TERMS) return null;
  return [...left, ...right];
}

/** The term that holds where `term`, on a value that is present, does not. */
export function negateTerm(term: Term): Term {
  if (term.kind === "in") return { ...term, negated: !term.negated };
  return { ...term, operator: NEGATIONS[term.operator] };
}

function termCount(all: Alternatives): number {
  return all.reduce((count, terms) => count + terms.length, 0);
}

/** One run. Both sides of a `^` are needed plain and negated, so results are kept: nested ones would otherwise cost 2^depth. */
class Expansion {
  readonly #known = { plain: new Map<FilterExpression, Alternatives>(), negated: new Map<FilterExpression, Alternatives>() };

  of(expression: FilterExpression, negated: boolean): Alternatives {
    const known = this.#known[negated ? "negated" : "plain"];
    let result = known.get(expression);
    if (result === undefined) known.set(expression, (result = this.#expand(expression, negated)));
    return result;
  }

  #expand(expression: FilterExpression, negated: boolean): Alternatives {
    switch (expression.kind) {
      case "comparison":
      case "in":
        return [[negated ? negateTerm(expression) : expression]];
      case "not":
        return this.of(expression.operand, !negated);
      case "xor": {
        const { left, right } = expression;
        // a ^ b = (a && !b) || (!a && b), and negating one side negates the whole.
        const first = checked(expression, conjunction(this.of(left, false), this.of(right, !negated)));
        const second = checked(expression, conjunction(this.of(left, true), this.of(right, negated)));
        return checked(expression, disjunction(first, second));
      }
      default: {
        const isAnd = (expression.kind === "and") !== negated;
        const combine = isAnd ? conjunction : disjunction;
        return checked(expression, combine(this.of(expression.left, negated), this.of(expression.right, negated)));
      }
    }
  }
}

function checked(expression: FilterExpression, result: Alternatives | null): Alternatives {
  if (result !== null) return result;
  throw queryError(
    "too_complex",
    `Written as alternatives this filter has more than ${FILTER_MAX_ALTERNATIVES} of them or ${FILTER_MAX_TERMS} comparisons: write fewer || within &&, fewer ^, or use in [ ].`,
    expression.position,
  );
}
