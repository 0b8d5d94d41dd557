import { compareNames, type FieldSchema, type TimeseriesSchema, type Visibility } from "../core/index.ts";
import type { Definition } from "./definition.ts";
import { fieldsOf, numberOf } from "./rules/rule.ts";

/** Undeclared is hidden: samples of a name about which nobody said anything reach no customer. */
export const UNDECLARED_VISIBILITY: Visibility = "operator_only";

/** Where a timeseries stands in its definition. */
export interface TimeseriesPlace {
  readonly name: string;
  readonly metricIndex: number;
}

/** The timeseries that a definition names, one for each metric. */
export function timeseriesOf({ toml }: Definition): TimeseriesPlace[] {
  return toml.metrics.map((metric, metricIndex) => ({ name: `${toml.target.name}:${metric.name}`, metricIndex }));
}

/** The schemas that a definition declares. It must be one in which `lintDefinitions` finds no error. */
export function schemasOf({ toml }: Definition): TimeseriesSchema[] {
  const { target } = toml;
  return toml.metrics.flatMap((metric) =>
    metric.versions.flatMap((version): TimeseriesSchema[] => {
      if ("removed_in" in version) return [];
      const ofTarget = target.versions.find((candidate) => candidate.version === numberOf(version));
      const schemaOf =
        (source: FieldSchema["source"]) =>
        (name: string): FieldSchema => {
          const field = toml.fields[name]!;
          return { name, source, type: field.type, description: field.description, values: field.values ?? null };
        };
      const fields = [...(ofTarget?.fields ?? []).map(schemaOf("target")), ...fieldsOf(version).map(schemaOf("metric"))];
      return [
        {
          timeseriesName: `${target.name}:${metric.name}`,
          targetName: target.name,
          metricName: metric.name,
          version: numberOf(version),
          targetDescription: target.description,
          metricDescription: metric.description,
          authzScope: target.authz_scope,
          visibility: target.visibility ?? UNDECLARED_VISIBILITY,
          units: metric.units,
          datumType: metric.datum_type,
          fields: fields.sort((a, b) => compareNames(a.name, b.name)),
        },
      ];
    }),
  );
}
