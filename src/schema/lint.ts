import type { Definition } from "./definition.ts";
import { compareFindings, type Finding } from "./finding.ts";
import { DEFINITION_RULES } from "./rules/index.ts";
import { timeseriesOf } from "./timeseries.ts";

export interface LintOptions {
  /**
   * True for the product's own files: our rules are errors in every one of them. Otherwise a file without `visibility` is taken for
   * upstream's, which must pass: what our own rules find in it are warnings.
   */
  readonly ours: boolean;
}

/** Checks definitions, each alone and all together. Findings are in the order of files and places. */
export function lintDefinitions(definitions: readonly Definition[], options: LintOptions): Finding[] {
  const findings: Finding[] = [];
  for (const definition of definitions) {
    const isOurs = options.ours || definition.toml.target.visibility !== undefined;
    for (const rule of DEFINITION_RULES) {
      const severity = rule.upstream !== null || isOurs ? "error" : "warning";
      rule.check(definition, (path, text, at) => {
        const position = at === "key" ? definition.positions.key(path) : definition.positions.value(path);
        findings.push({ file: definition.file, ...position, rule: rule.id, severity, text });
      });
    }
  }
  findings.push(...duplicatesOverFiles(definitions));
  return findings.sort(compareFindings);
}

/** Upstream's rule 24: one timeseries in two files. Twice in one file is a rule of its own. */
function duplicatesOverFiles(definitions: readonly Definition[]): Finding[] {
  const firstFile = new Map<string, string>();
  const findings: Finding[] = [];
  for (const definition of definitions) {
    const { file, positions } = definition;
    for (const { name, metricIndex } of timeseriesOf(definition)) {
      const first = firstFile.get(name);
      if (first === undefined) {
        firstFile.set(name, file);
      } else if (first !== file) {
        const position = positions.value(["metrics", metricIndex, "name"]);
        findings.push({
          file,
          ...position,
          rule: "timeseries-duplicate",
          severity: "error",
          text: `${name} is defined in ${first} already`,
        });
      }
    }
  }
  return findings;
}
