import { z } from "zod";
import { compareNames, DATUM_TYPES, FIELD_TYPES, UNITS } from "../core/index.ts";
import { changeFinding, placedTimeseries, removed, type PlacedTimeseries } from "./diff.ts";
import { compareFindings, type FilePosition, type Finding } from "./finding.ts";
import { refusedChanges, type Frozen, type FrozenTimeseries } from "./frozen.ts";
import type { SchemaSet } from "./schema-set.ts";
import { positionAt } from "./toml-positions.ts";

const LOCK_SHAPE = z.strictObject({
  format_version: z.literal(1),
  timeseries: z.record(
    z.string(),
    z.strictObject({
      version: z.int(),
      datum_type: z.enum(DATUM_TYPES),
      units: z.enum(UNITS),
      visibility: z.enum(["operator_only", "customer"]),
      fields: z.record(
        z.string(),
        z.strictObject({ source: z.enum(["target", "metric"]), type: z.enum(FIELD_TYPES), values: z.array(z.string()).optional() }),
      ),
    }),
  ),
});

/** The timeseries that have been released, and the text that says so. */
export interface Lock {
  readonly file: string;
  readonly text: string;
  readonly frozen: Frozen;
}

/** A lock that holds nothing, for the first release. */
export function emptyLock(file: string): Lock {
  return { file, text: "", frozen: new Map() };
}

/** Reads a lock file; a finding where it is none. */
export function readLock(file: string, text: string): Lock | Finding {
  const invalid = (reason: string): Finding => {
    return { file, line: 1, column: 1, rule: "lock-invalid", severity: "error", text: `not a lock file: ${reason}` };
  };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return invalid("it is not JSON");
  }
  const outcome = LOCK_SHAPE.safeParse(document);
  if (outcome.success) return { file, text, frozen: new Map(Object.entries(outcome.data.timeseries)) };
  const issue = outcome.error.issues[0]!;
  return invalid([...(issue.path.length === 0 ? [] : [issue.path.join(".")]), issue.message].join(": "));
}

/**
 * What released timeseries must not have changed in `set`, a set without errors, and (unless `onlyChanges`) which ones the lock does not hold
 * as they are. Findings stand in the definitions; what is gone, in the lock file.
 */
export function checkLock(
  lock: Lock,
  set: SchemaSet,
  options: { readonly widened: ReadonlySet<string>; readonly onlyChanges: boolean },
): Finding[] {
  const now = placedTimeseries(set.definitions);
  const findings: Finding[] = [];
  for (const name of lock.frozen.keys()) {
    if (!now.has(name)) findings.push(removed(name, lock.file, placeInLock(lock, name)));
  }
  for (const [name, current] of now) {
    const before = lock.frozen.get(name);
    const changes = before === undefined ? [] : refusedChanges(name, before, current.frozen, options.widened.has(name));
    findings.push(...changes.map((change) => changeFinding(current, change)));
    if (options.onlyChanges || changes.length > 0) continue;
    if (before === undefined || lockEntry(before) !== lockEntry(current.frozen)) findings.push(notLocked(name, current));
  }
  return findings.sort(compareFindings);
}

function notLocked(name: string, { definition, metricIndex }: PlacedTimeseries): Finding {
  const position = definition.positions.value(["metrics", metricIndex, "name"]);
  const text = `the lock file does not hold ${name} as it is: run \`zonemeter schema lock\``;
  return { file: definition.file, ...position, rule: "lock-missing", severity: "error", text };
}

/** The text of a lock file. The same timeseries give the same bytes. */
export function renderLock(frozen: Frozen): string {
  const entries = [...frozen].sort(([a], [b]) => compareNames(a, b)).map(([name, one]) => `    ${JSON.stringify(name)}: ${lockEntry(one)}`);
  return `{\n  "format_version": 1,\n  "timeseries": {\n${entries.join(",\n")}\n  }\n}\n`;
}

/** One timeseries, a line for each field, so that a change is a line of a review. */
function lockEntry({ version, datum_type, units, visibility, fields }: FrozenTimeseries): string {
  const lines = Object.entries(fields)
    .sort(([a], [b]) => compareNames(a, b))
    .map(([name, { source, type, values }]) => {
      const field = JSON.stringify(values === undefined ? { source, type } : { source, type, values });
      return `        ${JSON.stringify(name)}: ${field}`;
    });
  const facts = Object.entries({ version, datum_type, units, visibility }).map(
    ([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)},`,
  );
  return `{\n${facts.join("\n")}\n      "fields": {\n${lines.join(",\n")}\n      }\n    }`;
}

function placeInLock(lock: Lock, name: string): FilePosition {
  const offset = lock.text.indexOf(`${JSON.stringify(name)}:`);
  return offset === -1 ? { line: 1, column: 1 } : positionAt(lock.text, offset);
}
