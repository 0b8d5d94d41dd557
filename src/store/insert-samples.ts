import { createHash } from "node:crypto";
import type { Sample } from "../core/index.ts";
import { encodeRows } from "./encode-rows.ts";
import type { Engine } from "./engine.ts";
import { draftRows, type RowDraft } from "./row-drafts.ts";
import type { SampleResolver, TimeBounds } from "./sample-resolver.ts";
import type { Series } from "./series-registry.ts";
import { storeSeries, type SeriesRange } from "./series-rows.ts";
import type { InsertReport } from "./store.ts";
import { bucketOf } from "./time-buckets.ts";

/** Stores a batch: series first, so that no stored row lacks its series, then one insert for each table. */
export async function insertSamples(
  engine: Engine,
  resolver: SampleResolver,
  samples: readonly Sample[],
  token: string,
  bounds: TimeBounds,
): Promise<InsertReport> {
  const { rows, report } = draftRows(samples, resolver, bounds);
  let failure: unknown = null;
  for (const [{ table }, drafts] of rows) {
    try {
      await storeSeries(engine, table.design, newRanges(drafts));
      await engine.insert({
        table: table.samples,
        columns: table.rowColumns,
        rows: encodeRows(table, drafts),
        token: tableToken(token, table.design.name),
      });
    } catch (error) {
      // The other tables still get theirs; with the same token again only what failed is added.
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  return report;
}

/** Hours that the series table does not have yet for the series of these rows. */
function newRanges(drafts: readonly RowDraft[]): SeriesRange[] {
  const ranges = new Map<Series, { firstBucket: number; lastBucket: number }>();
  for (const { series, timestampNs } of drafts) {
    const bucket = bucketOf(timestampNs);
    if (bucket >= series.firstBucket && bucket <= series.lastBucket) continue;
    const range = ranges.get(series);
    if (range === undefined) ranges.set(series, { firstBucket: bucket, lastBucket: bucket });
    else {
      range.firstBucket = Math.min(range.firstBucket, bucket);
      range.lastBucket = Math.max(range.lastBucket, bucket);
    }
  }
  return [...ranges].map(([series, range]) => ({ series, ...range }));
}

/** Tokens are remembered per table. Hashed, so that their length and characters are nobody's concern. */
function tableToken(token: string, table: string): string {
  return createHash("sha256").update(`${table}\n${token}`).digest("hex");
}
