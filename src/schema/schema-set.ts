import { basename } from "node:path";
import { Catalogue, type TimeseriesSchema } from "../core/index.ts";
import { readDefinition, type Definition } from "./definition.ts";
import { compareFindings, type Finding } from "./finding.ts";
import { lintDefinitions, type LintOptions } from "./lint.ts";
import { VISIBILITY_FILE } from "./product-files.ts";
import { schemasOf, timeseriesOf } from "./timeseries.ts";
import { ownedLines, readVisibilityTable, type VisibilityTable } from "./visibility-table.ts";

/** A TOML file that was read. `text` is null where its bytes are not UTF-8. */
export interface SchemaText {
  readonly file: string;
  readonly text: string | null;
}

/** Definitions that belong together, and what is wrong with them. */
export interface SchemaSet {
  /** Those of the right shape. */
  readonly definitions: readonly Definition[];
  readonly table: VisibilityTable | null;
  readonly findings: readonly Finding[];
}

/** Reads and checks definitions and visibility tables (files named `visibility.toml`). Never throws for what they hold. */
export function readSchemaSet(texts: readonly SchemaText[], options: LintOptions): SchemaSet {
  const definitions: Definition[] = [];
  const findings: Finding[] = [];
  let table: VisibilityTable | null = null;
  for (const { file, text } of texts) {
    if (text === null) {
      findings.push({ file, line: 1, column: 1, rule: "toml-syntax", severity: "error", text: "not TOML: the file is not UTF-8" });
    } else if (basename(file) === VISIBILITY_FILE) {
      const outcome = readVisibilityTable(file, text);
      table = outcome.table;
      findings.push(...outcome.findings);
    } else {
      const outcome = readDefinition(file, text);
      if (outcome.definition !== null) definitions.push(outcome.definition);
      findings.push(...outcome.findings);
    }
  }
  findings.push(...lintDefinitions(definitions, options));
  if (table !== null)
    findings.push(
      ...ownedLines(
        table,
        definitions.flatMap(timeseriesOf).map(({ name }) => name),
      ),
    );
  return { definitions, table, findings: findings.sort(compareFindings) };
}

/** The schemas of a set in which there is no error. */
export function schemasOfSet(set: SchemaSet): TimeseriesSchema[] {
  return [...new Catalogue(set.definitions.flatMap(schemasOf))];
}

export function errorsOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === "error");
}
