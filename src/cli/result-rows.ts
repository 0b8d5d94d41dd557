import { formatRfc3339, type FieldSet } from "../core/index.ts";
import type { Column, Table, Timeseries } from "../oxql/index.ts";

/** One value as people and pipes see it: exact integers, null for a missing entry. */
export type Cell = string | bigint | number | boolean | null;

/** One point of one timeseries. `values` has one entry per metric of the table. */
export interface ResultRow {
  readonly fields: FieldSet;
  readonly startTime: string | null;
  readonly timestamp: string;
  readonly values: readonly Cell[];
}

/** The metric names of a table: what follows the colon of each joined name. */
export function metricNames(table: Table): string[] {
  return table.name.split(",").map((name) => name.slice(name.indexOf(":") + 1));
}

/** In which order timeseries are shown: as they came (a ranked answer means something by it), or by their fields, so that output is stable. */
export type SeriesOrder = "as-answered" | "by-fields";

/** All points of a table. */
export function* resultRows(table: Table, order: SeriesOrder): Generator<ResultRow> {
  for (const series of order === "as-answered" ? table.timeseries : [...table.timeseries].sort(byFields)) {
    const { startTimesNs, timestampsNs, dimensions } = series.points;
    for (let row = 0; row < timestampsNs.length; row++) {
      yield {
        fields: series.fields,
        startTime: startTimesNs === null ? null : formatRfc3339(startTimesNs[row]!),
        timestamp: formatRfc3339(timestampsNs[row]!),
        values: dimensions.map((dimension) => cell(dimension.values, row)),
      };
    }
  }
}

function byFields(a: Timeseries, b: Timeseries): number {
  for (let i = 0; i < Math.min(a.fields.length, b.fields.length); i++) {
    const left = a.fields[i]!.value.value;
    const right = b.fields[i]!.value.value;
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.fields.length - b.fields.length;
}

function cell(column: Column, row: number): Cell {
  if (column.present !== null && column.present[row] === 0) return null;
  switch (column.type) {
    case "integer":
    case "boolean":
    case "string":
      return column.values[row]!;
    case "double": {
      const value = column.values[row]!;
      return Number.isFinite(value) ? value : null;
    }
    case "integer_distribution":
    case "double_distribution": {
      const value = column.values[row];
      if (value === null || value === undefined) return null;
      const count = value.counts.reduce((sum, each) => sum + each, 0n);
      return `n=${count} min=${value.min ?? "-"} max=${value.max ?? "-"}`;
    }
  }
}
