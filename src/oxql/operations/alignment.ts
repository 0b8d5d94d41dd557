import type { TextPosition } from "../../core/index.ts";
import { describeTimeseries } from "../describe-timeseries.ts";
import { queryError, type QueryErrorKind } from "../query-error.ts";
import type { Alignment, Table } from "../table.ts";

export function sameAlignment(a: Alignment | null, b: Alignment | null): boolean {
  return a !== null && b !== null && a.endTimeNs === b.endTimeNs && a.periodNs === b.periodNs;
}

/** The one alignment of all timeseries of a table that has some; else throws, with `mismatch` where there are several. */
export function commonAlignment(table: Table, operation: string, mismatch: QueryErrorKind, position: TextPosition): Alignment {
  const alignment = table.timeseries[0]!.alignment;
  if (alignment === null) {
    throw queryError(
      "not_aligned",
      `${operation} needs aligned data, and ${table.name} is not: put an align before it, such as align mean_within(1m).`,
      position,
    );
  }
  const other = table.timeseries.find((series) => !sameAlignment(series.alignment, alignment));
  if (other === undefined) return alignment;
  throw queryError(
    mismatch,
    `${operation} needs one alignment for all data, and that of ${describeTimeseries(table.name, other.fields)} differs from the others.`,
    position,
  );
}
