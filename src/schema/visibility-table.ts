import { TIMESERIES_NAME_PATTERN, type Catalogue, type Visibility } from "../core/index.ts";
import type { FilePosition, Finding } from "./finding.ts";
import { UNDECLARED_VISIBILITY } from "./timeseries.ts";
import { readToml } from "./toml-document.ts";
import type { TomlPath } from "./toml-positions.ts";

const VISIBILITIES: readonly string[] = ["operator_only", "customer"] satisfies Visibility[];
const ALL_METRICS = ":*";

/** One line of the table. */
interface TableLine extends FilePosition {
  readonly visibility: Visibility;
}

/**
 * Who may see timeseries whose definitions are not ours. A line for `target:metric` counts more than one for `target:*`, which can only
 * hide: customers see what is named for them, never what upstream adds to a target later.
 */
export class VisibilityTable {
  readonly file: string;
  readonly #lines: ReadonlyMap<string, TableLine>;

  constructor(file: string, lines: ReadonlyMap<string, TableLine>) {
    this.file = file;
    this.#lines = lines;
  }

  /** What the table says of a name; undefined where it says nothing. */
  get(timeseriesName: string): Visibility | undefined {
    const target = timeseriesName.slice(0, timeseriesName.indexOf(":"));
    return (this.#lines.get(timeseriesName) ?? this.#lines.get(`${target}${ALL_METRICS}`))?.visibility;
  }

  /** The lines as they are written, `target:*` included. */
  entries(): IterableIterator<[string, TableLine]> {
    return this.#lines.entries();
  }
}

/** Who may see a name: what its own definition says, else the table, else nobody but operators. */
export function resolveVisibility(timeseriesName: string, catalogue: Catalogue, table: VisibilityTable | null): Visibility {
  return catalogue.get(timeseriesName)?.visibility ?? table?.get(timeseriesName) ?? UNDECLARED_VISIBILITY;
}

/** Reads `visibility.toml`. A line that is wrong is reported and left out, so that what it names stays hidden. */
export function readVisibilityTable(
  file: string,
  text: string,
): { readonly table: VisibilityTable; readonly findings: readonly Finding[] } {
  const lines = new Map<string, TableLine>();
  const findings: Finding[] = [];
  const outcome = { table: new VisibilityTable(file, lines), findings };
  const document = readToml(text);
  if ("text" in document) {
    findings.push({ file, line: document.line, column: document.column, rule: "toml-syntax", severity: "error", text: document.text });
    return outcome;
  }
  const { positions, value } = document;
  const report = (path: TomlPath, rule: string, what: string, at?: "key"): void => {
    findings.push({ file, ...(at === "key" ? positions.key(path) : positions.value(path)), rule, severity: "error", text: what });
  };

  for (const key of ["format_version", "timeseries"]) if (!Object.hasOwn(value, key)) report([], "missing-key", `key "${key}" is missing`);
  for (const key of Object.keys(value)) {
    if (key !== "format_version" && key !== "timeseries") report([key], "unknown-key", `"${key}" is no key of a visibility table`, "key");
  }
  if (Object.hasOwn(value, "format_version") && value["format_version"] !== 1) {
    report(["format_version"], "format-version", "format_version of a visibility table is not supported; write 1");
  }
  const timeseries = value["timeseries"] ?? {};
  if (typeof timeseries !== "object" || Array.isArray(timeseries)) {
    report(["timeseries"], "wrong-type", "timeseries is not a table");
    return outcome;
  }
  for (const [name, visibility] of Object.entries(timeseries)) {
    const path = ["timeseries", name];
    const isWildcard = name.endsWith(ALL_METRICS);
    if (!TIMESERIES_NAME_PATTERN.test(isWildcard ? `${name.slice(0, -ALL_METRICS.length)}:a` : name)) {
      report(path, "visibility-table-name", `"${name}" is no timeseries: write "target:metric" or "target:*"`, "key");
    } else if (typeof visibility !== "string" || !VISIBILITIES.includes(visibility)) {
      report(path, "unknown-value", `the visibility of "${name}" is none of ${VISIBILITIES.join(", ")}`);
    } else if (isWildcard && visibility === "customer") {
      report(path, "visibility-table-name", `"${name}" would show customers what upstream may add later: name each metric`, "key");
    } else {
      lines.set(name, { visibility: visibility as Visibility, ...positions.key(path) });
    }
  }
  return outcome;
}

/** Lines for names that a definition declares: one of the two would be wrong sooner or later. */
export function ownedLines(table: VisibilityTable, declared: Iterable<string>): Finding[] {
  const names = new Set(declared);
  const targets = new Set([...names].map((name) => `${name.slice(0, name.indexOf(":"))}${ALL_METRICS}`));
  return [...table.entries()]
    .filter(([name]) => names.has(name) || targets.has(name))
    .map(([name, { line, column }]) => {
      const text = `"${name}" is declared in a definition, which says itself who may see it: remove this line`;
      return { file: table.file, line, column, rule: "visibility-table-owned", severity: "error", text };
    });
}
