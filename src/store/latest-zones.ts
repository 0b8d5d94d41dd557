import { packedSample, unpackedSample } from "./packed-sample.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";
import type { TableState } from "./sample-resolver.ts";
import { and, hoursCondition, seriesCondition, timeCondition } from "./scan-conditions.ts";
import type { Scan } from "./scan.ts";
import type { Series } from "./series-registry.ts";
import type { LatestZone } from "./store.ts";
import { bucketOf } from "./time-buckets.ts";
import { LATEST } from "./time-ranges.ts";
import { presenceCondition, scanExpression, type WideColumn } from "./wide-table.ts";

/** The field that makes a series one of a zone. */
const ZONE_FIELD = "zone_name";

export function isOfZones({ table }: TableState): boolean {
  return table.design.openFields.some((field) => field.name === ZONE_FIELD);
}

/**
 * The newest instant of every series of zones after a time, with all values of that instant. Each series is looked for in the hour where
 * it is known to end, and in the whole time asked about where that hour has none of it.
 */
export async function latestZones(scan: Scan, sinceNs: bigint): Promise<LatestZone[]> {
  const { registry, table } = scan.state;
  const columns = table.columns.filter(({ valueType }) => valueType.sqlType !== "Bool" && valueType.scanType !== "String");
  const sinceBucket = bucketOf(sinceNs + 1n);
  const live: Series[] = [];
  for (const entry of registry.entries()) {
    for (const series of entry.byStartTime.values())
      if (series.firstBucket <= series.lastBucket && series.lastBucket >= sinceBucket) live.push(series);
  }
  if (columns.length === 0 || live.length === 0) return [];
  const after = timeCondition([{ fromNs: sinceNs + 1n, toNs: LATEST }]);
  const found = new Map<Series, LatestZone>();
  await readNewest(scan, columns, and([after, hoursCondition(live.map((series) => [series.lastBucket, series]))]), found);
  const missing = live.filter((series) => !found.has(series));
  if (missing.length > 0) await readNewest(scan, columns, and([after, seriesCondition(registry, missing)]), found);
  return withoutLoneGauges(found);
}

async function readNewest(scan: Scan, columns: readonly WideColumn[], condition: string, found: Map<Series, LatestZone>): Promise<void> {
  const { registry, table } = scan.state;
  // A snapshot may lie in two rows, so each column has its own newest time.
  const newest = columns.map((column, i) => {
    const sample = packedSample(scanExpression(column), column.valueType.scanType);
    return `maxIf(${sample}, ${presenceCondition([column])}) AS newest_${i}`;
  });
  const parts = columns.flatMap(({ valueType }, i) => unpackedSample(`newest_${i}`, valueType.scanType));
  const inner = `SELECT sid, max(ts) AS newest_ts, ${newest.join(", ")} FROM ${table.samples} PREWHERE ${condition} GROUP BY sid`;
  const reader = new RowBinaryReader(await scan.run(`SELECT sid, newest_ts, ${parts.join(", ")} FROM (${inner})`));
  while (!reader.atEnd) {
    const series = registry.byId(reader.u64());
    const timestampNs = reader.i64();
    const values: Record<string, bigint | number> = {};
    for (const { label, valueType } of columns) {
      const ofColumnNs = reader.i64();
      const value = valueType.scanType === "Float64" ? reader.f64() : valueType.scanType === "Int64" ? reader.i64() : reader.u64();
      if (ofColumnNs === timestampNs) values[label] = value;
    }
    if (series !== undefined) found.set(series, { fields: fieldRecord(series), startTimeNs: series.startTimeNs, timestampNs, values });
  }
}

function fieldRecord({ entry }: Series): LatestZone["fields"] {
  return Object.fromEntries(entry.fields.map(({ name, value }) => [name, value.value]));
}

/** Gauges that came apart from the counters of their snapshot go to these. */
function withoutLoneGauges(found: ReadonlyMap<Series, LatestZone>): LatestZone[] {
  const rows: LatestZone[] = [];
  for (const [series, row] of found) {
    if (series.startTimeNs === 0n && hasPartner(series, row, found)) continue;
    const lone = series.entry.byStartTime.get(0n);
    const beside = lone === undefined || lone === series ? undefined : found.get(lone);
    rows.push(beside?.timestampNs === row.timestampNs ? { ...row, values: { ...beside.values, ...row.values } } : row);
  }
  return rows;
}

function hasPartner(lone: Series, row: LatestZone, found: ReadonlyMap<Series, LatestZone>): boolean {
  return [...lone.entry.byStartTime.values()].some((series) => series !== lone && found.get(series)?.timestampNs === row.timestampNs);
}
