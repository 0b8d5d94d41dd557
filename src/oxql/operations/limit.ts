import type { Limit } from "../ast.ts";
import { slicePoints } from "../points.ts";
import type { Table } from "../table.ts";
import type { OperationContext } from "./context.ts";

/** Keeps the first or last `count` points of every timeseries; one with fewer stays whole. */
export function limit(tables: readonly Table[], operation: Limit, _context: OperationContext): Table[] {
  return tables.map(({ name, timeseries }) => ({
    name,
    timeseries: timeseries.map((series) => {
      const length = series.points.timestampsNs.length;
      const kept = Math.min(operation.count, length);
      const [start, end] = operation.end === "first" ? [0, kept] : [length - kept, length];
      return { ...series, points: slicePoints(series.points, start, end) };
    }),
  }));
}
