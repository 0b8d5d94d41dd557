import { hasStartTime, isIntegerType, SELECT_MAX_ALTERNATIVES, type TimeseriesSchema } from "../core/index.ts";
import type { Comparison, FilterExpression, Literal } from "./ast.ts";
import type { SelectAlternative, SelectRequest } from "./data.ts";
import type { Term } from "./normal-form.ts";
import type { Needed } from "./pushdown.ts";
import { asComparisons, isTimeTerm } from "./time-terms.ts";

/**
 * What to ask the store for so that a get gives what is needed of it. Terms that the store is not asked about (values, start times,
 * orders that engines disagree on) are left out, and with any of them the limit: the operations that follow see to both. Of counters,
 * `extra` samples more than the last n are asked for, since the first difference needs one before it.
 */
export function selectRequest(schema: TimeseriesSchema, needed: Needed, maxRows: number, extra = 1): SelectRequest {
  return requestOf(schema, needed, maxRows, extra).request;
}

/** The same where the store can be asked about all terms, so that what it gives is what is needed and nothing else; else null. */
export function exactRequest(schema: TimeseriesSchema, needed: Needed, maxRows: number): SelectRequest | null {
  const { request, exact } = requestOf(schema, needed, maxRows, 1);
  return exact ? request : null;
}

function requestOf(schema: TimeseriesSchema, needed: Needed, maxRows: number, extra: number): { request: SelectRequest; exact: boolean } {
  let exact = true;
  let alternatives: readonly SelectAlternative[] = needed.alternatives.map((terms) => {
    const fields: Term[] = [];
    const times: Comparison[] = [];
    for (const term of terms) {
      if (isFieldTerm(term, schema)) fields.push(term);
      else if (isTimeTerm(term)) {
        const known = asComparisons(term);
        times.push(...known.comparisons);
        exact &&= known.exact;
      } else exact = false;
    }
    return { fields, times };
  });
  alternatives = mergeEqualities(alternatives);
  if (alternatives.length > SELECT_MAX_ALTERNATIVES) exact = false;
  if (alternatives.length > SELECT_MAX_ALTERNATIVES || alternatives.some(({ fields, times }) => fields.length + times.length === 0))
    alternatives = [];
  const counted = hasStartTime(schema.datumType);
  const limit = exact ? needed.limit : null;
  const request = {
    schema,
    alternatives,
    limit: limit === null ? null : { end: limit.end, count: limit.count + (counted && limit.end === "last" ? extra : 0) },
    lookBack: counted && alternatives.some(({ times }) => times.length > 0),
    maxRows,
  };
  return { request, exact };
}

/** The conditions of a request as a filter, or null where it has none. */
export function asExpression({ alternatives }: SelectRequest): FilterExpression | null {
  const each = alternatives.map(({ fields, times }) => chain("and", [...fields, ...times]));
  return each.length === 0 ? null : chain("or", each);
}

function chain(kind: "and" | "or", parts: readonly FilterExpression[]): FilterExpression {
  return parts.reduceRight((right, left) => ({ kind, left, right, position: left.position }));
}

/** Only what every engine takes alike: equality, patterns, and order for strings and integers. */
function isFieldTerm(term: Term, schema: TimeseriesSchema): boolean {
  const field = schema.fields.find(({ name }) => name === term.identifier);
  if (field === undefined) return false;
  const ordered = term.kind === "comparison" && ["<", "<=", ">", ">="].includes(term.operator);
  return !ordered || field.type === "string" || isIntegerType(field.type);
}

/** Alternatives that are alike but for what one field equals become one with a list: `a == 1 && t || a == 2 && t` is `a in [1, 2] && t`. */
function mergeEqualities(alternatives: readonly SelectAlternative[]): readonly SelectAlternative[] {
  const names = new Set(alternatives.flatMap(({ fields }) => fields.filter(isEquality).map(({ identifier }) => identifier)));
  let merged = alternatives;
  for (const name of names) merged = mergeOn(name, merged);
  return merged;
}

function mergeOn(name: string, alternatives: readonly SelectAlternative[]): SelectAlternative[] {
  const numbers = new Map<Term, number>();
  const numberOf = (term: Term): number => {
    if (!numbers.has(term)) numbers.set(term, numbers.size);
    return numbers.get(term)!;
  };
  const alike = new Map<string, { readonly term: Term; readonly literals: Literal[]; readonly rest: SelectAlternative }>();
  const others: SelectAlternative[] = [];
  for (const alternative of alternatives) {
    const term = alternative.fields.find((field) => field.identifier === name && isEquality(field));
    if (term === undefined) {
      others.push(alternative);
      continue;
    }
    const rest = { fields: alternative.fields.filter((field) => field !== term), times: alternative.times };
    // The normal form repeats its terms, so equal ones are mostly one object.
    const key = [...rest.fields, ...rest.times].map(numberOf).sort().join();
    const known = alike.get(key);
    if (known === undefined) alike.set(key, { term, literals: [...literalsOf(term)], rest });
    else known.literals.push(...literalsOf(term));
  }
  const lists = [...alike.values()].map(({ term, literals, rest }) => ({
    fields: [equalsAny(term, literals), ...rest.fields],
    times: rest.times,
  }));
  return [...lists, ...others];
}

function isEquality(term: Term): boolean {
  return term.kind === "in" ? !term.negated : term.operator === "==";
}

function literalsOf(term: Term): readonly Literal[] {
  return term.kind === "in" ? term.literals : [term.literal];
}

function equalsAny({ identifier, position }: Term, literals: readonly Literal[]): Term {
  const [literal] = literals;
  if (literals.length === 1) return { kind: "comparison", identifier, operator: "==", literal: literal!, position };
  return { kind: "in", identifier, literals, negated: false, position };
}
