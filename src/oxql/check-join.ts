import type { TextPosition } from "../core/index.ts";
import type { Join } from "./ast.ts";
import { formatDuration } from "./format-duration.ts";
import { list } from "./messages.ts";
import { placeWithin } from "./place-within.ts";
import { queryError } from "./query-error.ts";
import { fieldOf, requireAligned, requireOneColumn } from "./requirements.ts";
import type { TableSchema } from "./table-schema.ts";

/** The table that a join gives. `text` is what positions point into. */
export function joined({ on, position }: Join, tables: readonly TableSchema[], text: string): TableSchema {
  const [first, ...later] = tables;
  if (first === undefined || later.length === 0) {
    throw queryError(
      "multiple_tables_required",
      `join takes two tables or more, and here is ${first?.name ?? "none"}: put the gets in a group, { get a:b; get c:d } | … | join.`,
      position,
    );
  }
  for (const table of tables) requireAligned("join", table, position);
  for (const table of later) requireSamePeriod(first, table, position);
  for (const table of tables) requireOneColumn("join", table, position);
  for (const table of later) {
    if (on === null) requireSameFields(first, table, position);
    else for (const name of on) requireSharedField(name, first, table, position, text);
  }
  return { ...first, name: tables.map(({ name }) => name).join(","), columns: tables.flatMap(({ columns }) => columns) };
}

function requireSamePeriod(first: TableSchema, table: TableSchema, position: TextPosition): void {
  const [a, b] = [first.alignment!.periodNs, table.alignment!.periodNs];
  if (a === b) return;
  throw queryError(
    "join_period_mismatch",
    `${first.name} is aligned to ${formatDuration(a)} and ${table.name} to ${formatDuration(b)}: join needs one period.`,
    position,
  );
}

function requireSameFields(first: TableSchema, table: TableSchema, position: TextPosition): void {
  const shared = [...first.fields].filter(([name, type]) => table.fields.get(name) === type).map(([name]) => name);
  if (shared.length === first.fields.size && shared.length === table.fields.size) return;
  const differing = [...new Set([...first.fields.keys(), ...table.fields.keys()])].filter((name) => !shared.includes(name));
  const advice = shared.length === 0 ? "group_by common fields first" : `group_by the common ones first, or join on [${shared.join(", ")}]`;
  throw queryError(
    "join_field_mismatch",
    `${first.name} and ${table.name} differ in their fields, in ${list(differing, "and")}. To join them, ${advice}.`,
    position,
  );
}

function requireSharedField(name: string, first: TableSchema, table: TableSchema, position: TextPosition, text: string): void {
  const type = fieldOf(name, first, "join_field_mismatch", position, text);
  const other = fieldOf(name, table, "join_field_mismatch", position, text);
  if (type === other) return;
  throw queryError(
    "join_field_mismatch",
    `"${name}" is ${type} in ${first.name} but ${other} in ${table.name}, and values of different types are never equal.`,
    placeWithin(text, position, name),
  );
}
