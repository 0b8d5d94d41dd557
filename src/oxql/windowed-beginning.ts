import { hasStartTime, isIntegerType, type TimeseriesSchema } from "../core/index.ts";
import type { Align, Filter, FilterExpression, Get, GroupBy, Operation } from "./ast.ts";
import type { SelectRequest } from "./data.ts";
import { conjunction, normalForm } from "./normal-form.ts";
import { neededOfFirst, type Needed } from "./pushdown.ts";
import { exactRequest } from "./select-request.ts";

/** A get, filters on fields and times, and an align: what a query begins with where the store can put samples together by window. */
export interface WindowedBeginning {
  readonly align: Align;
  /** What meets all the filters and nothing else, as far as it is needed. */
  readonly request: SelectRequest;
  /** Whether the alignment divides by the number of samples. */
  readonly counts: boolean;
  /** The group_by that stands behind the align, where the store can reduce too. */
  readonly groupBy: GroupBy | null;
  /** The operations behind the align, that group_by among them. */
  readonly rest: readonly Operation[];
}

/** Windows beyond this are left to the samples, so that engines can count in 64 bits. */
const LONGEST_PERIOD_NS = 366n * 86_400n * 1_000_000_000n;

/**
 * The beginning of `operations`, of which the first is a get of `schema`, or null where it is no such one. Means of integer gauges come
 * from sums and numbers of samples; increases of integer counters within a window are last minus first, and between windows run from the last
 * sample of one to the first of the next. Of doubles neither is exact.
 */
export function windowedBeginning(
  operations: readonly Operation[],
  schema: TimeseriesSchema,
  afterLast: Needed,
  maxRows: number,
): WindowedBeginning | null {
  const place = operations.findIndex(({ kind }) => kind !== "get" && kind !== "filter");
  const align = operations[place];
  if (align?.kind !== "align" || !isWindowed(align, schema)) return null;
  const rest = operations.slice(place + 1);
  let needed = neededOfFirst([operations[0] as Get, align, ...rest], afterLast);
  for (const { expression } of operations.slice(1, place).reverse() as Filter[]) {
    if (!namesOnly(expression, schema)) return null;
    const both = conjunction(normalForm(expression), needed.alternatives);
    if (both === null) return null;
    needed = { alternatives: both, limit: null };
  }
  const request = exactRequest(schema, needed, maxRows);
  if (request === null) return null;
  return { align, request, counts: align.method === "mean_within", groupBy: groupedBy(rest[0], align, schema), rest };
}

/**
 * Sums, counts and extremes of several parts give those of the whole, quantiles do not. The mean of a counter's deltas needs the number of its
 * samples, which costs the store more than it spares.
 */
function groupedBy(operation: Operation | undefined, { method }: Align, { datumType, fields }: TimeseriesSchema): GroupBy | null {
  if (operation?.kind !== "group_by" || operation.reducer.startsWith("p")) return null;
  if (hasStartTime(datumType) !== (method === "rate")) return null;
  return operation.fields.every((name) => fields.some((field) => field.name === name)) ? operation : null;
}

function isWindowed({ method, periodNs }: Align, { datumType }: TimeseriesSchema): boolean {
  if (periodNs <= 0n || periodNs > LONGEST_PERIOD_NS) return false;
  if (!isIntegerType(datumType.replace("cumulative_", ""))) return false;
  return method === "mean_within" || (method === "rate" && hasStartTime(datumType));
}

/** True for conditions on fields and on the samples' times alone. */
function namesOnly(expression: FilterExpression, schema: TimeseriesSchema): boolean {
  switch (expression.kind) {
    case "not":
      return namesOnly(expression.operand, schema);
    case "comparison":
    case "in":
      return expression.identifier === "timestamp" || schema.fields.some(({ name }) => name === expression.identifier);
    default:
      return namesOnly(expression.left, schema) && namesOnly(expression.right, schema);
  }
}
