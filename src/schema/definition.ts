import type { AuthzScope, DatumType, FieldType, Units, Visibility } from "../core/index.ts";
import type { Finding } from "./finding.ts";
import { readToml } from "./toml-document.ts";
import { shapeFaults } from "./definition-shape.ts";
import type { TomlPositions } from "./toml-positions.ts";

/** A definition file of the right shape, as it is written: keys are those of the TOML. */
export interface DefinitionToml {
  readonly format_version: 1;
  readonly target: {
    readonly name: string;
    readonly description: string;
    readonly authz_scope: AuthzScope;
    readonly visibility?: Visibility;
    readonly versions: readonly TargetVersionToml[];
  };
  readonly metrics: readonly MetricToml[];
  readonly fields: Readonly<Record<string, FieldToml>>;
}

export interface TargetVersionToml {
  readonly version: number;
  readonly fields: readonly string[];
}

export interface MetricToml {
  readonly name: string;
  readonly description: string;
  readonly units: Units;
  readonly datum_type: DatumType;
  readonly versions: readonly MetricVersionToml[];
}

export type MetricVersionToml =
  | { readonly added_in: number; readonly fields: readonly string[] }
  | { readonly version: number; readonly fields: readonly string[] }
  | { readonly removed_in: number };

export interface FieldToml {
  readonly type: FieldType;
  readonly description: string;
  readonly values?: readonly string[];
}

/** One definition file: what it says, and where. */
export interface Definition {
  readonly file: string;
  readonly toml: DefinitionToml;
  readonly positions: TomlPositions;
}

/** A definition, or the findings that say why the text is none. `file` is the name that findings give. */
export function readDefinition(
  file: string,
  text: string,
): { readonly definition: Definition | null; readonly findings: readonly Finding[] } {
  const document = readToml(text);
  if ("text" in document) {
    const { line, column } = document;
    return { definition: null, findings: [{ file, line, column, rule: "toml-syntax", severity: "error", text: document.text }] };
  }
  const faults = shapeFaults(document.value);
  const findings = faults.map(({ path, at, rule, text: what }): Finding => {
    const { line, column } = at === "key" ? document.positions.key(path) : document.positions.value(path);
    return { file, line, column, rule, severity: "error", text: what };
  });
  // An unknown key says nothing, so the rest can still be checked.
  const isWhole = faults.every((fault) => fault.rule === "unknown-key");
  const toml = document.value as unknown as DefinitionToml;
  return { definition: isWhole ? { file, toml, positions: document.positions } : null, findings };
}
