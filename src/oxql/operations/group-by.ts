import { fieldSetIdentity, type FieldSet } from "../../core/index.ts";
import type { GroupBy } from "../ast.ts";
import { describeTimeseries } from "../describe-timeseries.ts";
import { queryError } from "../query-error.ts";
import type { Alignment, Table, Timeseries } from "../table.ts";
import { commonAlignment } from "./alignment.ts";
import type { OperationContext } from "./context.ts";
import { isNumeric, type NumericColumn } from "./numeric-columns.ts";
import { reduce } from "./reduce.ts";
import { timeUnion } from "./time-union.ts";

/**
 * Reduces the timeseries that agree on the named fields to one, at every time that any of them has. Times stay where the value is
 * missing in all; `count` is 0 there. Timeseries without points are passed over, as is a table without timeseries (the upstream dialect
 * refuses the first). Throws `single_table_required`, `not_aligned`, `multi_dimensional`, `non_numeric`, `unknown_group_field`,
 * `overflow`.
 */
export function groupBy(tables: readonly Table[], operation: GroupBy, context: OperationContext): Table[] {
  const [table, second] = tables;
  if (table === undefined) return [];
  if (second !== undefined) {
    const names = tables.map(({ name }) => name).join(" and ");
    throw queryError("single_table_required", `group_by takes one table and gets ${names}: join them, or ask for one.`, operation.position);
  }
  if (table.timeseries.length === 0) return [table];
  const alignment = commonAlignment(table, "group_by", "not_aligned", operation.position);
  const groups = new Map<string, { fields: FieldSet; members: Timeseries[] }>();
  for (const series of table.timeseries) {
    checkShape(series, table.name, operation);
    if (series.points.timestampsNs.length === 0) {
      if (context.dialect !== "upstream") continue;
      throw queryError(
        "empty_input",
        `${describeTimeseries(table.name, series.fields)} has no points, which upstream's group_by refuses.`,
        operation.position,
      );
    }
    const fields = series.fields.filter(({ name }) => operation.fields.includes(name));
    const key = fieldSetIdentity(fields);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { fields, members: [series] });
    else group.members.push(series);
  }
  const timeseries = [...groups.values()].map(({ fields, members }) => reduceGroup(table.name, fields, members, alignment, operation));
  return [{ name: table.name, timeseries }];
}

function reduceGroup(name: string, fields: FieldSet, members: readonly Timeseries[], alignment: Alignment, operation: GroupBy): Timeseries {
  const { timesNs, slots } = timeUnion(members.map(({ points }) => points.timestampsNs));
  const columns = members.map(({ points }) => points.dimensions[0]!.values as NumericColumn);
  const { metricType } = members[0]!.points.dimensions[0]!;
  try {
    const values = reduce(
      operation.reducer,
      columns.map((column, index) => ({ column, slots: slots[index]! })),
      timesNs.length,
    );
    return { fields, points: { startTimesNs: null, timestampsNs: timesNs, dimensions: [{ metricType, values }] }, alignment };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw queryError(
      "overflow",
      `In ${describeTimeseries(name, fields)}, ${error.message}: use mean, or group by more fields.`,
      operation.position,
    );
  }
}

function checkShape(series: Timeseries, tableName: string, { fields, position }: GroupBy): void {
  const { dimensions } = series.points;
  if (dimensions.length !== 1) {
    throw queryError(
      "multi_dimensional",
      `${tableName} has ${dimensions.length} values a point: group each table before the join, or map them to one value.`,
      position,
    );
  }
  if (!isNumeric(dimensions[0]!.values)) {
    throw queryError("non_numeric", `${tableName} holds ${dimensions[0]!.values.type} values: only numbers can be grouped.`, position);
  }
  const unknown = fields.find((name) => !series.fields.some((field) => field.name === name));
  if (unknown === undefined) return;
  const known = series.fields.map(({ name }) => name).join(", ");
  throw queryError(
    "unknown_group_field",
    `${tableName} has no field "${unknown}" to group by; it has ${known === "" ? "none" : known}.`,
    position,
  );
}
