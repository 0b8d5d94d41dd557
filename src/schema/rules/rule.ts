import type { Definition, MetricVersionToml } from "../definition.ts";
import type { TomlPath } from "../toml-positions.ts";

/** One thing that a definition file must not do. Each rule looks at one file of the right shape and reports every place that breaks it. */
export interface Rule extends RuleEntry {
  readonly check: (definition: Definition, report: Report) => void;
}

/** What the list of rules says about one of them. */
export interface RuleEntry {
  readonly id: string;
  /** What is refused, after "Refused: ". */
  readonly refuses: string;
  /** Number of the upstream check that it stands for, 1 to 24 in the order of upstream's compiler; null where the rule is ours. */
  readonly upstream: number | null;
}

/** Reports the value at `path` or, with "key", the key that leads to it. */
export type Report = (path: TomlPath, text: string, at?: "key") => void;

/** The fields that a metric version lists; none where it removes the metric. */
export function fieldsOf(version: MetricVersionToml): readonly string[] {
  return "fields" in version ? version.fields : [];
}

/** The number that a metric version carries, under whichever key. */
export function numberOf(version: MetricVersionToml): number {
  if ("removed_in" in version) return version.removed_in;
  return "added_in" in version ? version.added_in : version.version;
}

/** Every list of field names in a definition, with its path. */
export function fieldLists({
  toml,
}: Definition): { readonly path: TomlPath; readonly names: readonly string[]; readonly of: "target" | "metric" }[] {
  const target = toml.target.versions.map((version, i) => ({
    path: ["target", "versions", i, "fields"],
    names: version.fields,
    of: "target" as const,
  }));
  const metrics = toml.metrics.flatMap((metric, m) =>
    metric.versions.map((version, i) => ({
      path: ["metrics", m, "versions", i, "fields"],
      names: fieldsOf(version),
      of: "metric" as const,
    })),
  );
  return [...target, ...metrics];
}

/** Names of all fields that a target or metric refers to. */
export function referencedFields(definition: Definition): ReadonlySet<string> {
  return new Set(fieldLists(definition).flatMap((list) => list.names));
}
