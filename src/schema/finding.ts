import { compareNames } from "../core/index.ts";

/** Line and column count from 1; columns are UTF-16 code units. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong at one place of one file. Only errors make a check fail. */
export interface Finding extends FilePosition {
  /** Path as the person who asked gave it. */
  readonly file: string;
  /** A row of RULES. */
  readonly rule: string;
  readonly severity: "error" | "warning";
  /** What is wrong and what to do, naming the value. */
  readonly text: string;
}

/** Order of a report: by file, then by place. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    compareNames(a.file, b.file) || a.line - b.line || a.column - b.column || compareNames(a.rule, b.rule) || compareNames(a.text, b.text)
  );
}

/** `file:line:column: rule-id: text`; a warning says so in the text. */
export function formatFinding(finding: Finding): string {
  const { file, line, column, rule, severity, text } = finding;
  return `${file}:${line}:${column}: ${rule}: ${severity === "warning" ? "warning: " : ""}${text}`;
}

/** The command with which a GitHub workflow shows the finding beside the line. */
export function formatFindingForGithub(finding: Finding): string {
  const { file, line, column, rule, severity, text } = finding;
  const data = (value: string): string => value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (value: string): string => data(value).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return `::${severity} file=${property(file)},line=${line},col=${column},title=${property(rule)}::${data(text)}`;
}
