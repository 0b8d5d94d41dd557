import { stringifyExact, type ExactJson } from "./exact-json.ts";

/** One line of NDJSON, with its line feed. 64-bit integers are exact. */
export function ndjsonLine(row: ExactJson): string {
  return `${stringifyExact(row)}\n`;
}
