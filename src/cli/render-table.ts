import type { Table } from "../oxql/index.ts";
import { metricNames, resultRows, type Cell } from "./result-rows.ts";

/**
 * Tables for a terminal: fields that are the same everywhere stand once above the rows, the others become columns. Numbers are aligned
 * right, missing entries are `-`. Integers are printed in full.
 */
export function renderTables(tables: readonly Table[]): string {
  return tables.map(renderTable).join("\n");
}

function renderTable(table: Table): string {
  const rows = [...resultRows(table)];
  if (rows.length === 0) return `${table.name}: no data\n`;
  const names = rows[0]!.fields.map((field) => field.name);
  const shared = names.filter((_, i) => rows.every((row) => row.fields[i]!.value.value === rows[0]!.fields[i]!.value.value));
  const varying = names.filter((name) => rows.length === 1 || !shared.includes(name));
  const constant = rows.length === 1 ? [] : shared;
  const withStart = rows.some((row) => row.startTime !== null);

  const header = [...varying, ...(withStart ? ["start_time"] : []), "timestamp", ...metricNames(table)];
  const body = rows.map((row) => {
    const byName = new Map(row.fields.map((field) => [field.name, field.value.value]));
    return [
      ...varying.map((name) => printable(byName.get(name) ?? null)),
      ...(withStart ? [row.startTime ?? "-"] : []),
      row.timestamp,
      ...row.values.map(printable),
    ];
  });
  const firstNumber = header.length - metricNames(table).length;
  const widths = header.map((title, i) => body.reduce((widest, row) => Math.max(widest, row[i]!.length), title.length));
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, i) => (i >= firstNumber ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd();
  const first = rows[0]!.fields;
  const facts = constant.map((name) => `  ${name} = ${printable(first.find((field) => field.name === name)!.value.value)}\n`).join("");
  return `${table.name}\n${facts}${line(header)}\n${line(widths.map((width) => "-".repeat(width)))}\n${body.map(line).join("\n")}\n`;
}

/** Control characters of outside text must not reach a terminal. */
function printable(cell: Cell): string {
  if (cell === null || cell === "") return "-";
  // eslint-disable-next-line no-control-regex
  return String(cell).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
