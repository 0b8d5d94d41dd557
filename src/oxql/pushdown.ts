import { QUERY_UPSAMPLE_FACTOR } from "../core/index.ts";
import type { Align, Arithmetic, Limit, Operation } from "./ast.ts";
import { conjunction, normalForm, type Alternatives, type Term } from "./normal-form.ts";
import { isTimeTerm, widenedTime } from "./time-terms.ts";

/**
 * What an operation's input must hold for its output to be right where it is looked at. It may hold more: every operation, also a
 * filter or limit that was pushed down, is run again on what was fetched.
 */
export interface Needed {
  /** Only rows that meet one of these count. `[[]]` is all rows. */
  readonly alternatives: Alternatives;
  /** Of those rows, only the first or last `count` of each timeseries. Null where the alternatives are wider than the query's filters. */
  readonly limit: Pick<Limit, "end" | "count"> | null;
}

export const EVERYTHING: Needed = { alternatives: [[]], limit: null };

/** What must come out of the first operation, which is a get or a group, given what is needed of the last one's output. */
export function neededOfFirst(operations: readonly Operation[], afterLast: Needed): Needed {
  return operations.slice(1).reduceRight((after, operation) => neededBefore(operation, after), afterLast);
}

function neededBefore(operation: Operation, after: Needed): Needed {
  switch (operation.kind) {
    case "filter": {
      const both = conjunction(normalForm(operation.expression), after.alternatives);
      return both === null ? { alternatives: after.alternatives, limit: null } : { alternatives: both, limit: after.limit };
    }
    case "limit":
      return beforeLimit(operation, after);
    case "align":
      return widened(after, (term) => (isColumnTerm(term) ? [] : isTimeTerm(term) ? beforeAlign(term, operation) : [term]));
    case "group_by":
      return widened(after, (term) => (isTimeTerm(term) || operation.fields.includes(term.identifier) ? [term] : []));
    case "join":
      return widened(after, (term) =>
        isTimeTerm(term) || (!isColumnTerm(term) && operation.on?.includes(term.identifier) !== false) ? [term] : [],
      );
    case "map": {
      const backNs = longestAgo(operation.expression);
      return widened(after, (term) => (isColumnTerm(term) ? [] : isTimeTerm(term) && backNs > 0n ? widenedTime(term, backNs, 0n) : [term]));
    }
    default:
      // A ranking compares all timeseries over all their points. Gets and groups stand first and are not asked.
      return EVERYTHING;
  }
}

/**
 * A filter may pass a limit where it takes or leaves whole timeseries, or cuts at the side the limit does not keep: "the first five"
 * of what is before T are those of the first five that are before T. The other terms stay behind.
 */
function beforeLimit(limit: Limit, after: Needed): Needed {
  const passes = (term: Term): boolean => (isTimeTerm(term) ? cutsFarSide(term, limit.end) : !isColumnTerm(term));
  const moved = widened(after, (term) => (passes(term) ? [term] : []));
  const all = after.alternatives.every((terms) => terms.every(passes));
  const merges = all && after.limit?.end === limit.end;
  return {
    alternatives: moved.alternatives,
    limit: { end: limit.end, count: merges ? Math.min(limit.count, after.limit.count) : limit.count },
  };
}

function cutsFarSide(term: Term, end: "first" | "last"): boolean {
  return term.kind === "comparison" && (end === "first" ? ["<", "<="] : [">", ">="]).includes(term.operator);
}

/**
 * A window takes what lies within its period. Interpolation also takes the samples on both sides of its end, which are at most the
 * allowed gap apart.
 */
function beforeAlign(term: Term, { method, periodNs }: Align): Term[] {
  if (method !== "interpolate") return widenedTime(term, periodNs, 0n);
  const reachNs = BigInt(QUERY_UPSAMPLE_FACTOR) * periodNs;
  return widenedTime(term, reachNs, reachNs);
}

/** Puts weaker terms, or none, for each term. The limit goes: it counted other rows. */
function widened({ alternatives }: Needed, weaken: (term: Term) => readonly Term[]): Needed {
  const wider = alternatives.map((terms) => terms.flatMap(weaken));
  return { alternatives: wider.some((terms) => terms.length === 0) ? [[]] : wider, limit: null };
}

/** Terms about something other than fields and times: they mean another value before an operation than behind it. */
function isColumnTerm({ identifier }: Term): boolean {
  return identifier === "datum" || identifier === "start_time" || identifier.includes(":");
}

function longestAgo(expression: Arithmetic): bigint {
  switch (expression.kind) {
    case "binary": {
      const [left, right] = [longestAgo(expression.left), longestAgo(expression.right)];
      return left > right ? left : right;
    }
    case "negate":
      return longestAgo(expression.operand);
    case "ago":
      return expression.durationNs + longestAgo(expression.operand);
    default:
      return 0n;
  }
}
