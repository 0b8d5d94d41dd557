import { fieldSetIdentity } from "../../core/index.ts";
import type { Table, Timeseries } from "../table.ts";
import type { TableOperationNode } from "./run-operation.ts";

/**
 * Cuts a table into parts of about `slicePoints` points that the operation may be run on one by one; joined, the results are that of the
 * whole. Null where the operation needs to see everything at once.
 */
export function slices(tables: readonly Table[], operation: TableOperationNode, slicePoints: number): Table[][] | null {
  switch (operation.kind) {
    case "filter":
    case "align":
    case "limit":
    case "map":
      return tables.map((table) =>
        cut(
          table,
          table.timeseries.map((series) => [series]),
          slicePoints,
        ),
      );
    case "group_by":
      return tables.length === 1 ? [cut(tables[0]!, groups(tables[0]!, operation.fields), slicePoints)] : null;
    default:
      return null;
  }
}

/** Whole groups stay together. */
function cut(table: Table, groupsOfSeries: readonly (readonly Timeseries[])[], slicePoints: number): Table[] {
  const parts: Timeseries[][] = [];
  let room = 0;
  for (const group of groupsOfSeries) {
    if (room <= 0) {
      parts.push([]);
      room = slicePoints;
    }
    for (const series of group) {
      parts.at(-1)!.push(series);
      room -= series.points.timestampsNs.length + 1;
    }
  }
  return parts.length < 2 ? [table] : parts.map((timeseries) => ({ name: table.name, timeseries }));
}

function groups(table: Table, fields: readonly string[]): Timeseries[][] {
  const byKey = new Map<string, Timeseries[]>();
  for (const series of table.timeseries) {
    const key = fieldSetIdentity(series.fields.filter(({ name }) => fields.includes(name)));
    const group = byKey.get(key);
    if (group === undefined) byKey.set(key, [series]);
    else group.push(series);
  }
  return [...byKey.values()];
}
