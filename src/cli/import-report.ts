import { formatRfc3339 } from "../core/index.ts";
import type { ImportReport } from "../importer/index.ts";
import { findingWords } from "./loss-lines.ts";

/** Sleds that the report names. */
const SLEDS_SHOWN = 8;

export interface ReportContext {
  readonly dryRun: boolean;
  readonly seconds: number;
}

/** The end of an import in lines of `what  number  note`; the numbers of reasons add up to the line above them. */
export function renderImportReport(report: ImportReport, { dryRun, seconds }: ReportContext): string {
  const { passedOver, unreadable, sledSerials, rowsWithheld, valuesWithheld, findings, firstNs, lastNs } = report;
  const lines: [label: string, value: number | string, note: string][] = [
    ["files", report.filesRead, `${count(report.bytesRead)} bytes looked at`],
    ["files passed over", passedOver.count, ""],
    ["files unreadable", unreadable.count, ""],
    ["sleds", sledSerials.length, sledList(sledSerials)],
    ["rows taken", report.rowsStored, dryRun ? "dry run: none was stored" : ""],
    ["rows known already", report.rowsKnown, ""],
    ["rows withheld", rowsWithheld.total, ""],
    ...reasons(rowsWithheld.sorted()),
    ["values", report.valuesStored, ""],
    ["values withheld", valuesWithheld.total, ""],
    ...reasons(valuesWithheld.sorted()),
    ...lineFindings(findings.sorted()),
    ["seconds", seconds.toFixed(1), ""],
  ];
  if (firstNs !== null && lastNs !== null) lines.push(["from", formatRfc3339(firstNs), ""], ["to", formatRfc3339(lastNs), ""]);
  const labels = Math.max(...lines.map(([label]) => label.length));
  const values = Math.max(...lines.map(([, value]) => count(value).length));
  return lines
    .map(([label, value, note]) => `${label.padEnd(labels)}  ${count(value).padStart(values)}  ${note}`.trimEnd() + "\n")
    .join("");
}

/** So that one sees, before anything is stored, what became of the files' names. */
function sledList(serials: readonly string[]): string {
  const shown = serials.slice(0, SLEDS_SHOWN).map((serial) => serial.replaceAll(/[^\x20-\x7e\u00a1-\uffff]/g, "?"));
  const more = serials.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
}

function reasons(sorted: readonly (readonly [string, number])[]): [string, number, string][] {
  return sorted.map(([reason, number]) => [`  ${reason}`, number, ""]);
}

function lineFindings(sorted: readonly (readonly [string, number])[]): [string, number, string][] {
  const texts = new Map<string, number>();
  for (const [code, number] of sorted) {
    const text = findingWords(code);
    if (text === null) continue;
    texts.set(text, (texts.get(text) ?? 0) + number);
  }
  return [...texts].map(([text, number]) => [text, number, ""]);
}

function count(value: number | string): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : value;
}
