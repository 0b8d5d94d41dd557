import { fieldSetIdentity, ZonemeterError, type DatumType, type FieldSet } from "../core/index.ts";
import type { SelectedSeries, Selection, SelectRequest } from "../oxql/index.ts";
import { collapse, trim } from "./narrow-collapse.ts";
import { rangesFor } from "./narrow-conditions.ts";
import { narrowColumn, type NarrowRow, type NarrowValue } from "./narrow-rows.ts";
import { isDated } from "./narrow-types.ts";
import { checkAlternative } from "./selection-plan.ts";

/**
 * Puts samples without a value, which are kept apart, between those with one. Both selections are of the same request, whose limit counts all of
 * them. A value and none for one instant are that value.
 */
export function mergeMissing(present: Selection, missing: Selection, request: SelectRequest): Selection {
  const byFields = new Map<string, NarrowRow[]>();
  const fieldsOf = new Map<string, FieldSet>();
  for (const series of [...present.series, ...missing.series]) {
    const identity = fieldSetIdentity(series.fields);
    fieldsOf.set(identity, series.fields);
    const rows = rowsOf(series);
    byFields.set(identity, (byFields.get(identity) ?? []).concat(rows));
  }
  const checked = request.alternatives.map((alternative) => checkAlternative(alternative, request.schema));
  const series: SelectedSeries[] = [];
  let count = 0;
  for (const [identity, rows] of byFields) {
    const fields = fieldsOf.get(identity)!;
    const ranges = rangesFor(fields, checked);
    const all = collapse(rows);
    const wanted = all.filter(({ timestampNs }) => ranges.some(({ fromNs, toNs }) => fromNs <= timestampNs && timestampNs <= toNs));
    const kept = new Set(request.limit === null ? wanted : trim(wanted, request.limit));
    if (kept.size === 0) continue;
    count += kept.size;
    const before = request.lookBack ? lastBefore(all, kept) : new Set<NarrowRow>();
    series.push(
      seriesOf(
        fields,
        all.filter((row) => kept.has(row) || before.has(row)),
        request.schema.datumType,
      ),
    );
  }
  if (count > request.maxRows) {
    throw new ZonemeterError(
      "limit",
      `The query would fetch more than ${request.maxRows} samples: ask for a shorter time or fewer timeseries.`,
      {
        kind: "row_limit",
      },
    );
  }
  return { series, statements: [...present.statements, ...missing.statements] };
}

/** The last present sample before each stretch of kept ones, of the same incarnation. */
function lastBefore(all: readonly NarrowRow[], kept: ReadonlySet<NarrowRow>): Set<NarrowRow> {
  const found = new Set<NarrowRow>();
  let last: NarrowRow | null = null;
  for (const [i, row] of all.entries()) {
    const previous = all[i - 1];
    if (previous?.startTimeNs !== row.startTimeNs) last = null;
    if (kept.has(row) && last !== null && previous !== undefined && !kept.has(previous)) found.add(last);
    if (row.value !== null) last = row;
  }
  return found;
}

function rowsOf({ startTimesNs, timestampsNs, values }: SelectedSeries): NarrowRow[] {
  return Array.from(timestampsNs, (timestampNs, i) => ({
    key: 0n,
    startTimeNs: startTimesNs?.[i] ?? 0n,
    timestampNs,
    value: values.present === null || values.present[i] === 1 ? (values.values[i] as NarrowValue) : null,
  }));
}

function seriesOf(fields: FieldSet, rows: readonly NarrowRow[], datumType: DatumType): SelectedSeries {
  return {
    fields,
    startTimesNs: isDated(datumType) ? BigInt64Array.from(rows, (row) => row.startTimeNs) : null,
    timestampsNs: BigInt64Array.from(rows, (row) => row.timestampNs),
    values: narrowColumn(
      datumType,
      rows.map(({ value }) => value),
    ),
  };
}
