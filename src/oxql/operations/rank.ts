import { compareNames, fieldSetIdentity } from "../../core/index.ts";
import type { Rank } from "../ast.ts";
import { queryError } from "../query-error.ts";
import type { Table, Timeseries } from "../table.ts";
import type { OperationContext } from "./context.ts";
import { isNumeric } from "./numeric-columns.ts";
import { reduce } from "./reduce.ts";

interface Ranked {
  readonly series: Timeseries;
  readonly key: bigint | number;
}

/**
 * Keeps the `count` timeseries of each table with the highest (`top`) or lowest (`bottom`) value of the reducer over all their points,
 * best first. Equal values stand in the order of their fields; a timeseries without a value is never among them. Throws
 * `multi_dimensional`, `non_numeric`, `overflow`.
 */
export function rank(tables: readonly Table[], operation: Rank, _context: OperationContext): Table[] {
  const direction = operation.end === "top" ? -1 : 1;
  return tables.map(({ name, timeseries }) => {
    const ranked = timeseries.flatMap((series) => rankOne(series, name, operation));
    ranked.sort((a, b) => {
      if (a.key === b.key) return compareNames(fieldSetIdentity(a.series.fields), fieldSetIdentity(b.series.fields));
      return a.key < b.key ? -direction : direction;
    });
    return { name, timeseries: ranked.slice(0, operation.count).map(({ series }) => series) };
  });
}

function rankOne(series: Timeseries, tableName: string, { reducer, position }: Rank): Ranked[] {
  const { dimensions, timestampsNs } = series.points;
  const column = dimensions[0]?.values;
  if (column === undefined || dimensions.length !== 1) {
    throw queryError(
      "multi_dimensional",
      `${tableName} has ${dimensions.length} values a point: map them to one value before ranking.`,
      position,
    );
  }
  if (!isNumeric(column))
    throw queryError("non_numeric", `${tableName} holds ${column.type} values: only numbers can be ranked.`, position);
  try {
    const reduced = reduce(reducer, [{ column, slots: new Uint32Array(timestampsNs.length) }], 1);
    const key = reduced.values[0]!;
    const missing = reduced.present !== null && reduced.present[0] === 0;
    return missing || Number.isNaN(key) ? [] : [{ series, key }];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw queryError("overflow", `In ${tableName}, ${error.message}: rank by mean instead.`, position);
  }
}
