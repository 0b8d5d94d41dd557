import { NIL_UUID } from "../core/index.ts";
import type { Table } from "../oxql/index.ts";
import { metricNames, resultRows, type Cell, type ResultRow, type SeriesOrder } from "./result-rows.ts";

/**
 * Tables for a terminal: fields that are the same everywhere stand once above the rows, the others become columns, except those that the zone's
 * name says already. Integers are printed in full, doubles with eight digits, times to the millisecond. A missing entry is `-`, an empty text `""`.
 */
export function renderTables(tables: readonly Table[], order: SeriesOrder): string {
  return tables.map((table) => renderTable(table, order)).join("\n");
}

function renderTable(table: Table, order: SeriesOrder): string {
  const rows = [...resultRows(table, order)];
  if (rows.length === 0) return `${table.name}: no data\n`;
  const names = rows[0]!.fields.map((field) => field.name);
  const isConstant = (name: string): boolean => rows.every((row) => valueOf(row, name) === valueOf(rows[0]!, name));
  const constant = names.filter(isConstant);
  const columns = names.filter((name) => !constant.includes(name) && !rows.every((row) => isInZoneName(row, name)));
  const withStart = rows.some((row) => row.startTime !== null);

  const metrics = metricNames(table);
  const header = [...columns, ...(withStart ? ["start_time"] : []), "timestamp", ...metrics];
  const body = rows.map((row) => [
    ...columns.map((name) => printable(valueOf(row, name))),
    ...(withStart ? [row.startTime === null ? "-" : toMilliseconds(row.startTime)] : []),
    toMilliseconds(row.timestamp),
    ...row.values.map(printable),
  ]);
  const firstNumber = header.length - metrics.length;
  const widths = header.map((title, i) => body.reduce((widest, row) => Math.max(widest, row[i]!.length), title.length));
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, i) => (i >= firstNumber ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd();
  const facts = constant.map((name) => `  ${name} = ${printable(valueOf(rows[0]!, name))}\n`).join("");
  return `${table.name}\n${facts}${line(header)}\n${line(widths.map((width) => "-".repeat(width)))}\n${body.map(line).join("\n")}\n`;
}

function valueOf(row: ResultRow, name: string): string | bigint | boolean {
  return row.fields.find((field) => field.name === name)!.value.value;
}

/** `oxz_nexus_UUID` says the zone's type and id; zones with other names have neither. */
function isInZoneName(row: ResultRow, name: string): boolean {
  const zoneName = row.fields.find((field) => field.name === "zone_name")?.value.value;
  if (typeof zoneName !== "string" || (name !== "zone_id" && name !== "zone_type")) return false;
  const value = valueOf(row, name);
  return value === "" || value === NIL_UUID || zoneName.includes(String(value));
}

/** `…:05.123456Z` to `…:05.123Z`. */
function toMilliseconds(time: string): string {
  return time.replace(/(\.\d{3})\d+Z$/, "$1Z");
}

const SIGNIFICANT_DIGITS = 8;

function printable(cell: Cell): string {
  if (cell === null) return "-";
  if (cell === "") return '""';
  if (typeof cell === "number") {
    return Math.abs(cell) >= 10 ** SIGNIFICANT_DIGITS ? String(Math.round(cell)) : String(Number(cell.toPrecision(SIGNIFICANT_DIGITS)));
  }
  // Control characters of outside text must not reach a terminal.
  // eslint-disable-next-line no-control-regex
  return String(cell).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
