import { UNDECLARED_VISIBILITY, schemasOf, timeseriesOf } from "./timeseries.ts";
import type { Definition } from "./definition.ts";
import { compareFindings, type FilePosition, type Finding } from "./finding.ts";
import { freeze, refusedChanges, type FrozenChange, type FrozenTimeseries } from "./frozen.ts";
import type { SchemaSet } from "./schema-set.ts";

/**
 * What must not have changed from `base` to `now`, two sets without errors. New timeseries may come; released ones keep fields, types and
 * units; customers see what they did not see before only where `widened` names it. Findings stand in the files of `now`; what is gone, in those of `base`.
 */
export function diffSchemas(base: SchemaSet, now: SchemaSet, widened: ReadonlySet<string>): Finding[] {
  const before = placedTimeseries(base.definitions);
  const after = placedTimeseries(now.definitions);
  const findings: Finding[] = [];
  for (const [name, old] of before) {
    const current = after.get(name);
    if (current === undefined) {
      findings.push(removed(name, old.definition.file, old.definition.positions.value(["metrics", old.metricIndex, "name"])));
      continue;
    }
    for (const change of refusedChanges(name, old.frozen, current.frozen, widened.has(name))) findings.push(changeFinding(current, change));
  }
  findings.push(...widenedLines(base, now, widened));
  return findings.sort(compareFindings);
}

/** A timeseries, frozen, with the place of its definition. */
export interface PlacedTimeseries {
  readonly frozen: FrozenTimeseries;
  readonly definition: Definition;
  readonly metricIndex: number;
}

export function placedTimeseries(definitions: readonly Definition[]): ReadonlyMap<string, PlacedTimeseries> {
  const placed = new Map<string, PlacedTimeseries>();
  for (const definition of definitions) {
    const frozen = freeze(schemasOf(definition));
    for (const { name, metricIndex } of timeseriesOf(definition)) {
      const one = frozen.get(name);
      if (one !== undefined) placed.set(name, { frozen: one, definition, metricIndex });
    }
  }
  return placed;
}

/** A change, at the place of the definition that it is about. */
export function changeFinding({ definition, metricIndex }: PlacedTimeseries, { about, rule, text }: FrozenChange): Finding {
  const { positions, toml, file } = definition;
  let position: FilePosition;
  if (about === "visibility") position = positions.value(["target", "visibility"]);
  else if (typeof about === "string") position = positions.value(["metrics", metricIndex, about]);
  else if (Object.hasOwn(toml.fields, about.field)) position = positions.key(["fields", about.field]);
  else position = positions.value(["metrics", metricIndex, "name"]);
  return { file, ...position, rule, severity: "error", text };
}

export function removed(name: string, file: string, position: FilePosition): Finding {
  return { file, ...position, rule: "timeseries-removed", severity: "error", text: `${name} was released and is not defined any more` };
}

/** Lines of the visibility table that show customers what was hidden. A base without a table says nothing about it. */
function widenedLines(base: SchemaSet, now: SchemaSet, widened: ReadonlySet<string>): Finding[] {
  const { table } = now;
  if (base.table === null || table === null) return [];
  const findings: Finding[] = [];
  for (const [name, { visibility, line, column }] of table.entries()) {
    const was = base.table.get(name) ?? UNDECLARED_VISIBILITY;
    if (visibility !== "customer" || was === "customer" || widened.has(name)) continue;
    const text = `${name}: operator_only became customer; if that is meant, pass --widen ${name}`;
    findings.push({ file: table.file, line, column, rule: "visibility-widened", severity: "error", text });
  }
  return findings;
}
