import type { RecordingLosses } from "../sources/index.ts";

/** What findings of the readers mean for lines and reports. Those of reports as a whole are counted by their rows already. */
const FINDINGS: Readonly<Record<string, string>> = {
  "malformed-row": "damaged lines",
  "malformed-line": "damaged lines",
  "truncated-line": "lines without an end",
  "overlong-line": "lines too long for any row",
  "tool-error": "messages of the tool",
  "no-time": "reports without a time",
  "time-zone": "times that are not in UTC",
  "truncated-gzip": "gzip files that end early",
  "unknown-resource": "kinds of rows that are not known",
  "unknown-report": "kinds of reports that are not known",
  "zone-skipped": "zones that could not be read whole",
  "too-many-rows": "reports with more rows than any machine has",
  "kstat-read-failed": "kstats that had not been read",
  "row-limit": "reports with zones missing",
  "missing-total": "reports that end early",
};
const COUNTED_BY_ROWS: ReadonlySet<string> = new Set(["overlapping-reports", "stray-footer", "missing-footer", "report-withheld"]);

/** What a finding's code stands for, in the plural; null where what it tells is counted in another way. */
export function findingWords(code: string): string | null {
  return COUNTED_BY_ROWS.has(code) ? null : (FINDINGS[code] ?? code.replaceAll("-", " "));
}

/** A line for each reason why something of a recording was not used. */
export function* lossLines(losses: RecordingLosses): Generator<string> {
  for (const [what, tally] of [
    ["row", losses.rows],
    ["value", losses.values],
  ] as const)
    for (const [reason, count] of tally.sorted())
      yield `zonemeter: recordings: ${count} ${what}${count === 1 ? "" : "s"} withheld: ${reason}.\n`;
  for (const { code, count, first } of losses.findings()) {
    const words = findingWords(code);
    if (words === null) continue;
    const place = first.line === null ? "" : `line ${first.line}: `;
    yield `zonemeter: recordings: ${words}: ${count}; the first: ${place}${first.text}\n`;
  }
}
