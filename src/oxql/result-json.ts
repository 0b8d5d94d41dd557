import type { FieldValue, Quantile } from "../core/index.ts";
import type { StatementSummary } from "./data.ts";
import { TimeFormatter } from "./format-times.ts";
import { isPresent } from "./points.ts";
import type { Column, Distribution, Points, Table, Timeseries } from "./table.ts";

/**
 * The body of an answer: upstream's OxqlQueryResult, byte for byte as its server would write these values. 64-bit integers are exact
 * digits, missing values and doubles that are not finite are null. `statements` become `query_summaries`, null where not asked for.
 */
export function tablesToJson(tables: readonly Table[], statements: readonly StatementSummary[] | null): string {
  return [...resultJsonParts(tables, statements)].join("");
}

/** The same text in parts, one for each timeseries, for sending an answer without holding it whole. */
export function* resultJsonParts(tables: readonly Table[], statements: readonly StatementSummary[] | null): Generator<string> {
  const times = new TimeFormatter();
  yield '{"tables":[';
  for (const [index, { name, timeseries }] of tables.entries()) {
    yield `${index === 0 ? "" : ","}{"name":${JSON.stringify(name)},"timeseries":[`;
    for (const [at, series] of timeseries.entries()) yield (at === 0 ? "" : ",") + timeseriesJson(series, times);
    yield "]}";
  }
  yield `],"query_summaries":${statements === null ? "null" : `[${statements.map(statementJson).join(",")}]`}}`;
}

function timeseriesJson({ fields, points }: Timeseries, times: TimeFormatter): string {
  const named = fields.map(({ name, value }) => `${JSON.stringify(name)}:{"type":"${value.type}","value":${fieldJson(value)}}`);
  return `{"fields":{${named.join(",")}},"points":${pointsJson(points, times)}}`;
}

function fieldJson(value: FieldValue): string {
  return typeof value.value === "string" ? JSON.stringify(value.value) : String(value.value);
}

function pointsJson({ startTimesNs, timestampsNs, dimensions }: Points, times: TimeFormatter): string {
  const starts = startTimesNs === null ? "null" : `[${times.elements(startTimesNs)}]`;
  const columns = dimensions.map(({ metricType, values }) => {
    return `{"values":{"type":"${values.type}","values":[${columnElements(values)}]},"metric_type":"${metricType}"}`;
  });
  return `{"start_times":${starts},"timestamps":[${times.elements(timestampsNs)}],"values":[${columns.join(",")}]}`;
}

function columnElements(column: Column): string {
  const { length } = column.values;
  const parts: string[] = Array.from({ length });
  const print = elementPrinter(column);
  for (let row = 0; row < length; row++) parts[row] = isPresent(column, row) ? print(row) : "null";
  return parts.join(",");
}

function elementPrinter(column: Column): (row: number) => string {
  switch (column.type) {
    case "integer":
    case "boolean":
      return (row) => String(column.values[row]);
    case "double":
      return (row) => doubleJson(column.values[row]!);
    case "string":
      return (row) => JSON.stringify(column.values[row]);
    case "integer_distribution":
    case "double_distribution":
      return (row) => distributionJson(column.values[row] ?? null);
  }
}

/** Whole doubles keep a `.0`, so that readers can tell them from integers. */
function doubleJson(value: number): string {
  if (!Number.isFinite(value)) return "null";
  if (!Number.isInteger(value)) return String(value);
  if (Object.is(value, -0)) return "-0.0";
  // From 1e21 on JavaScript writes an exponent by itself.
  return Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}

function distributionJson(value: Distribution<bigint> | Distribution<number> | null): string {
  if (value === null) return "null";
  const { bins, counts, min, max, sumOfSamples, squaredMean, p50, p90, p99 } = value;
  return (
    `{"bins":[${bins.map(numberJson).join(",")}],"counts":[${counts.join(",")}],"min":${numberJson(min)},"max":${numberJson(max)},` +
    `"sum_of_samples":${numberJson(sumOfSamples)},"squared_mean":${doubleJson(squaredMean)},` +
    `"p50":${quantileJson(p50)},"p90":${quantileJson(p90)},"p99":${quantileJson(p99)}}`
  );
}

function numberJson(value: bigint | number | null): string {
  return typeof value === "number" ? doubleJson(value) : String(value);
}

function quantileJson(value: Quantile | number | null): string {
  const estimate = typeof value === "object" && value !== null ? quantileEstimate(value) : value;
  return estimate === null ? "null" : doubleJson(estimate);
}

/**
 * Upstream's estimate from the state of a P² estimator, whose last marker position is the number of samples: the middle marker from
 * five samples on; with fewer, the heights (unused ones are 0) in order at index round(4p); null with none.
 */
export function quantileEstimate({ p, markerHeights, markerPositions }: Quantile): number | null {
  const samples = markerPositions[4] ?? 0n;
  if (samples === 0n) return null;
  if (samples >= 5n) return markerHeights[2] ?? null;
  return markerHeights.toSorted((a, b) => a - b)[Math.round(4 * p)] ?? null;
}

function statementJson({ id, text, elapsedMs, rowsRead, bytesRead }: StatementSummary): string {
  const read = `{"bytes":${bytesRead},"rows":${rowsRead}}`;
  return (
    `{"id":${JSON.stringify(id)},"query":${JSON.stringify(text)},"elapsed_ms":${Math.round(elapsedMs)},` +
    `"io_summary":{"read":${read},"written":{"bytes":0,"rows":0}},"profile_summary":{}}`
  );
}
