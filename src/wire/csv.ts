/** What a cell can hold. Null leaves it empty; an empty string is written as `""`, so that the two stay apart. */
export type CsvCell = bigint | number | string | boolean | null;

/** One record of RFC 4180, with its CRLF. 64-bit integers are exact. */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return "";
  const text = String(cell);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
