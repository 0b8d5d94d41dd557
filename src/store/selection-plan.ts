import type { FieldSchema, TimeseriesSchema } from "../core/index.ts";
import { queryError, type SelectAlternative, type SelectRequest } from "../oxql/index.ts";
import { fieldTest, type FieldTest } from "./field-match.ts";
import type { TimeseriesDesign } from "./layout.ts";
import type { TableState } from "./sample-resolver.ts";
import type { FieldsEntry } from "./series-registry.ts";
import { ALL_TIMES, rangesOf, union, type TimeRange } from "./time-ranges.ts";
import type { WideColumn } from "./wide-table.ts";

/** Columns that are wanted of the same series at the same times, so that one statement can read them. */
export interface PlanPart {
  readonly columns: readonly WideColumn[];
  readonly classes: readonly PlanClass[];
}

/** Series that are wanted at the same times. `ranges` is never empty. */
export interface PlanClass {
  readonly entries: readonly FieldsEntry[];
  readonly ranges: readonly TimeRange[];
}

/** An alternative whose conditions fit the schema. */
export interface CheckedAlternative {
  readonly tests: readonly { readonly name: string; readonly test: FieldTest }[];
  readonly ranges: readonly TimeRange[];
}

/**
 * Decides which columns of which series are wanted when. Conditions on enumerated fields choose columns, those on open fields are tried on every
 * known set of fields. Throws ZonemeterError `query` where a condition does not fit the schema.
 */
export function planSelection(state: TableState, design: TimeseriesDesign, request: SelectRequest): PlanPart[] {
  const alternatives: readonly CheckedAlternative[] =
    request.alternatives.length === 0
      ? [{ tests: [], ranges: ALL_TIMES }]
      : request.alternatives.map((alternative) => checkAlternative(alternative, design.schema));
  const open = new Set(design.table.openFields.map((field) => field.name));
  const labels = new Set(design.columns.map((column) => column.label));
  const columns = state.table.columns.filter((column) => labels.has(column.label));
  const byAlternatives = groupBy(columns, (column) => matching(alternatives, column.fields, (name) => !open.has(name)));
  const entries = groupBy(state.registry.entries(), (entry) => matching(alternatives, entry.fields, (name) => open.has(name)));
  const parts: PlanPart[] = [];
  for (const [columnKey, members] of byAlternatives) {
    const ofColumns = new Set(columnKey.split(","));
    const classes = new Map<string, { entries: FieldsEntry[]; ranges: readonly TimeRange[] }>();
    for (const [entryKey, group] of entries) {
      const both = entryKey.split(",").filter((number) => number !== "" && ofColumns.has(number));
      const ranges = union(both.flatMap((number) => alternatives[Number(number)]!.ranges));
      if (ranges.length === 0) continue;
      const key = ranges.map(({ fromNs, toNs }) => `${fromNs}-${toNs}`).join();
      const known = classes.get(key);
      if (known === undefined) classes.set(key, { entries: group, ranges });
      else known.entries = known.entries.concat(group);
    }
    if (classes.size > 0) parts.push({ columns: members, classes: [...classes.values()] });
  }
  return parts;
}

/** Throws ZonemeterError `query` where a condition does not fit the schema. */
export function checkAlternative({ fields, times }: SelectAlternative, schema: TimeseriesSchema): CheckedAlternative {
  const tests = fields.map((condition) => {
    const field: FieldSchema | undefined = schema.fields.find(({ name }) => name === condition.identifier);
    if (field === undefined)
      throw queryError(
        "invalid_identifier",
        `Timeseries "${schema.timeseriesName}" has no field "${condition.identifier}".`,
        condition.position,
      );
    return { name: field.name, test: fieldTest(condition, field) };
  });
  return { tests, ranges: rangesOf(times) };
}

/** Numbers of the alternatives whose conditions on the fields concerned hold, with commas between. */
function matching(alternatives: readonly CheckedAlternative[], fields: FieldsEntry["fields"], concerns: (name: string) => boolean): string {
  const numbers: number[] = [];
  for (const [number, { tests }] of alternatives.entries()) {
    const holds = tests.every(({ name, test }) => !concerns(name) || test(fields.find((field) => field.name === name)!.value));
    if (holds) numbers.push(number);
  }
  return numbers.join();
}

function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
