import { hasStartTime, type Catalogue } from "../core/index.ts";
import type { Get, Group, Operation, Query } from "./ast.ts";
import { normalForm, type Alternatives, type Term } from "./normal-form.ts";
import { queryError } from "./query-error.ts";

/** What has come towards a get from behind it: filters, each in normal form with what can still move, and whether a limit has. */
interface Reaching {
  readonly filters: readonly Alternatives[];
  readonly limited: boolean;
}

/**
 * Throws `full_table_scan` for the first get that neither a filter nor a limit reaches. As in upstream, whether something reaches it is
 * not whether the database can use it: a filter on a gauge's datum counts, one on a counter's does not, since that is only there after
 * differencing; nothing about values passes `align` or `map`; no limit passes `align`. Unlike upstream, filters within a group count, and
 * an alternative about values does not spoil the others.
 */
export function refuseFullScans(query: Query, catalogue: Catalogue): void {
  visit(query, { filters: [], limited: false }, catalogue, fieldNames(query, catalogue));
}

function visit(query: Query, behind: Reaching, catalogue: Catalogue, fields: ReadonlySet<string>): void {
  const [first, ...others] = query.operations as [Get | Group, ...Operation[]];
  const reaching = others.reduceRight((after, operation) => before(operation, after, fields), behind);
  if (first.kind === "group") for (const inner of first.queries) visit(inner, reaching, catalogue, fields);
  else if (!reaches(first, reaching, catalogue, fields)) refuse(first, others);
}

/** Of all gets. What is neither among these nor a time names a value. */
function fieldNames({ operations }: Query, catalogue: Catalogue): ReadonlySet<string> {
  const [first] = operations as [Get | Group, ...Operation[]];
  if (first.kind === "get") return new Set(catalogue.get(first.timeseriesName)!.fields.map(({ name }) => name));
  return new Set(first.queries.flatMap((query) => [...fieldNames(query, catalogue)]));
}

function before(operation: Operation, { filters, limited }: Reaching, fields: ReadonlySet<string>): Reaching {
  const isValue = (term: Term) => !isTime(term) && !fields.has(term.identifier);
  switch (operation.kind) {
    case "filter":
      return { filters: [...filters, normalForm(operation.expression)], limited };
    case "limit":
      return { filters: movable(filters, (term) => !isTime(term) || cutsFarSide(term, operation.end)), limited: true };
    case "align":
    case "map":
      return { filters: movable(filters, (term) => !isValue(term)), limited: false };
    case "group_by":
      return { filters: movable(filters, (term) => isTime(term) || operation.fields.includes(term.identifier)), limited };
    case "join":
      return { filters: movable(filters, (term) => isTime(term) || operation.on?.includes(term.identifier) !== false), limited };
    default:
      // A ranking looks at all timeseries whole.
      return { filters: [], limited: false };
  }
}

function reaches({ timeseriesName }: Get, { filters, limited }: Reaching, catalogue: Catalogue, fields: ReadonlySet<string>): boolean {
  const isCounter = hasStartTime(catalogue.get(timeseriesName)!.datumType);
  return limited || movable(filters, (term) => !isCounter || isTime(term) || fields.has(term.identifier)).length > 0;
}

/** The filters that have something left when only terms that pass go on. */
function movable(filters: readonly Alternatives[], passes: (term: Term) => boolean): Alternatives[] {
  return filters
    .map((alternatives) => alternatives.map((terms) => terms.filter(passes)).filter((terms) => terms.length > 0))
    .filter((alternatives) => alternatives.length > 0);
}

function isTime({ identifier }: Term): boolean {
  return identifier === "timestamp" || identifier === "start_time";
}

/** Whether a time bound takes points away only at the end that the limit does not keep. */
function cutsFarSide(term: Term, end: "first" | "last"): boolean {
  return term.kind === "comparison" && (end === "first" ? ["<", "<="] : [">", ">="]).includes(term.operator);
}

function refuse(get: Get, behind: readonly Operation[]): never {
  const kinds = new Set(behind.map(({ kind }) => kind));
  let why = "";
  if (kinds.has("rank")) why = ", and nothing behind top or bottom counts";
  else if (kinds.has("align") && kinds.has("limit")) why = ", since a limit behind align does not count";
  else if (kinds.has("filter")) why = ", since a filter by the datum of a counter, or of anything behind align, does not count";
  throw queryError(
    "full_table_scan",
    `get ${get.timeseriesName} would read all there is of it: neither a filter nor a limit reaches it${why}. Put one behind it, such as filter timestamp > @now() - 1h.`,
    get.position,
  );
}
