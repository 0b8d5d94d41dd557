import type { Table } from "../oxql/index.ts";
import { csvRow, ndjsonLine } from "../wire/index.ts";
import { metricNames, resultRows, type Cell, type SeriesOrder } from "./result-rows.ts";

/**
 * CSV of all tables under one header: `timeseries`, every field that occurs, `start_time`, `timestamp`, then one column per metric.
 * Fields and metrics that a table does not have stay empty, as do missing entries.
 */
export function* renderCsv(tables: readonly Table[], order: SeriesOrder): Generator<string> {
  const fieldNames = [
    ...new Set(tables.flatMap((table) => table.timeseries.flatMap((series) => series.fields.map((field) => field.name)))),
  ].sort();
  const metrics = [...new Set(tables.flatMap(metricNames))];
  yield csvRow(["timeseries", ...fieldNames, "start_time", "timestamp", ...metrics]);
  for (const table of tables) {
    const own = metricNames(table);
    for (const row of resultRows(table, order)) {
      const fields = new Map(row.fields.map((field) => [field.name, field.value.value]));
      const values = new Map(own.map((name, i) => [name, row.values[i]!]));
      yield csvRow([
        table.name,
        ...fieldNames.map((name): Cell => fields.get(name) ?? null),
        row.startTime,
        row.timestamp,
        ...metrics.map((name): Cell => values.get(name) ?? null),
      ]);
    }
  }
}

/** One JSON object per point: `timeseries`, `fields`, `start_time` (deltas only), `timestamp`, and `values` by metric name. */
export function* renderNdjson(tables: readonly Table[], order: SeriesOrder): Generator<string> {
  for (const table of tables) {
    const own = metricNames(table);
    for (const row of resultRows(table, order)) {
      yield ndjsonLine({
        timeseries: table.name,
        fields: Object.fromEntries(row.fields.map((field) => [field.name, field.value.value])),
        ...(row.startTime === null ? {} : { start_time: row.startTime }),
        timestamp: row.timestamp,
        values: Object.fromEntries(own.map((name, i) => [name, row.values[i]!])),
      });
    }
  }
}
