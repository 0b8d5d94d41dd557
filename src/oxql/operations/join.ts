import { fieldSetIdentity } from "../../core/index.ts";
import type { Join } from "../ast.ts";
import { describeTimeseries } from "../describe-timeseries.ts";
import { signedDifference, wordsOf } from "../int64-words.ts";
import { pickPoints } from "../points.ts";
import { queryError } from "../query-error.ts";
import type { Points, Table, Timeseries } from "../table.ts";
import { commonAlignment, sameAlignment } from "./alignment.ts";
import type { OperationContext } from "./context.ts";
import { sameTimes } from "./time-union.ts";

/**
 * Puts the columns of all tables side by side: an inner join by fields and time. With `on`, a timeseries of the first table takes the
 * one of each later table that agrees on the listed fields, and keeps its own fields. Throws `multiple_tables_required`, `not_aligned`,
 * `join_alignment_mismatch`, `multi_dimensional`, `join_field_mismatch` or `join_ambiguous`.
 */
export function join(tables: readonly Table[], operation: Join, _context: OperationContext): Table[] {
  const { position } = operation;
  if (tables.length < 2) {
    const got = tables[0] === undefined ? "none" : `only ${tables[0].name}`;
    throw queryError(
      "multiple_tables_required",
      `join takes two tables or more and gets ${got}: write { get a:b; get c:d } | … | join.`,
      position,
    );
  }
  const name = tables.map((table) => table.name).join(",");
  checkAlignment(tables, operation);
  for (const table of tables) checkShape(table, operation);
  const [first, ...later] = tables as [Table, ...Table[]];
  if (tables.some(({ timeseries }) => timeseries.length === 0)) return [{ name, timeseries: [] }];
  const indexes = later.map((table) => index(table, operation));
  const timeseries = first.timeseries.flatMap((series) => {
    const key = keyOf(series, operation.on);
    const partners = indexes.map((partnersByKey) => partnersByKey.get(key));
    if (partners.includes(undefined)) return [];
    const points = partners.reduce((stacked, partner) => stack(stacked, partner!.points), series.points);
    return [{ fields: series.fields, points, alignment: series.alignment }];
  });
  return [{ name, timeseries }];
}

/** What has to be equal for two timeseries to be partners. */
function keyOf(series: Timeseries, on: readonly string[] | null): string {
  return fieldSetIdentity(on === null ? series.fields : series.fields.filter(({ name }) => on.includes(name)));
}

function index(table: Table, { on, position }: Join): ReadonlyMap<string, Timeseries> {
  const byKey = new Map<string, Timeseries>();
  for (const series of table.timeseries) {
    const key = keyOf(series, on);
    const other = byKey.get(key);
    if (other !== undefined) {
      const both = `${describeTimeseries(table.name, other.fields)} and ${describeTimeseries(table.name, series.fields)}`;
      throw queryError(
        "join_ambiguous",
        `join on [${on?.join(", ") ?? ""}] finds both ${both}: list more fields, or group_by [${on?.join(", ") ?? ""}] that table first.`,
        position,
      );
    }
    byKey.set(key, series);
  }
  return byKey;
}

/** The columns of both at the times that both have. */
function stack(left: Points, right: Points): Points {
  if (sameTimes(left.timestampsNs, right.timestampsNs))
    return { ...left, startTimesNs: null, dimensions: [...left.dimensions, ...right.dimensions] };
  const [leftRows, rightRows] = commonRows(left.timestampsNs, right.timestampsNs);
  const picked = pickPoints(left, leftRows);
  return {
    startTimesNs: null,
    timestampsNs: picked.timestampsNs,
    dimensions: [...picked.dimensions, ...pickPoints(right, rightRows).dimensions],
  };
}

function commonRows(left: BigInt64Array, right: BigInt64Array): [Uint32Array, Uint32Array] {
  const [leftWords, rightWords] = [wordsOf(left), wordsOf(right)];
  const leftRows: number[] = [];
  const rightRows: number[] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const order = signedDifference(leftWords, i, rightWords, j);
    if (order === 0) {
      leftRows.push(i);
      rightRows.push(j);
    }
    if (order <= 0) i += 1;
    if (order >= 0) j += 1;
  }
  return [Uint32Array.from(leftRows), Uint32Array.from(rightRows)];
}

function checkAlignment(tables: readonly Table[], { position }: Join): void {
  const [first, ...later] = tables.filter(({ timeseries }) => timeseries.length > 0);
  if (first === undefined) return;
  const alignment = commonAlignment(first, "join", "join_alignment_mismatch", position);
  for (const { name, timeseries } of later) {
    const other = timeseries.find((series) => !sameAlignment(series.alignment, alignment));
    if (other === undefined) continue;
    const how = other.alignment === null ? "is not aligned as" : "is aligned to other times than";
    const remedy = "align all tables with one period, best behind the group";
    throw queryError("join_alignment_mismatch", `${describeTimeseries(name, other.fields)} ${how} ${first.name} is: ${remedy}.`, position);
  }
}

function checkShape({ name, timeseries }: Table, { on, position }: Join): void {
  for (const { fields, points } of timeseries) {
    if (points.dimensions.length !== 1) {
      throw queryError(
        "multi_dimensional",
        `${name} has ${points.dimensions.length} values a point: put all tables into one join.`,
        position,
      );
    }
    const unknown = on?.find((wanted) => !fields.some((field) => field.name === wanted));
    if (unknown !== undefined) throw queryError("join_field_mismatch", `${name} has no field "${unknown}" to join on.`, position);
  }
}
