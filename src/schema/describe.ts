import type { Catalogue, FieldSchema, TimeseriesSchema } from "../core/index.ts";
import { RULES } from "./rules/index.ts";

/**
 * The page about every timeseries of a catalogue, in Markdown: by target, then by metric, in the order of names. The same catalogue gives
 * the same bytes.
 */
export function renderMetricsDoc(catalogue: Catalogue): string {
  const byTarget = new Map<string, TimeseriesSchema[]>();
  for (const schema of catalogue) {
    // Two files may give one target's name to different sets of fields.
    const target = JSON.stringify([schema.targetName, schema.visibility, targetFieldsOf(schema).map(({ name }) => name)]);
    byTarget.set(target, [...(byTarget.get(target) ?? []), schema]);
  }
  const parts = [
    "# Metrics",
    "Every timeseries that Zonemeter itself makes. This page is made from the files in `schemas/` by `make gen`: change those.",
    [
      "Names are `target:metric`. Every sample carries the target's fields and the metric's own. Who may see a timeseries is part of its",
      "definition: `operator_only` names do not exist for customers. Counters start at 0 when what they count begins, and say when that was.",
    ].join("\n"),
  ];
  for (const schemas of byTarget.values()) parts.push(...describeTarget(schemas));
  parts.push(
    "## What definitions are checked for",
    [
      "`zonemeter schema check` prints a line `file:line:column: rule: text` for each place that breaks one of these rules. A rule from upstream",
      "has the number of the check in upstream's compiler. What our own rules find in a file without `visibility` is a warning, because such a",
      "file is upstream's and has to pass; an unknown key is always an error, since a misspelt `visibility` would be one.",
    ].join("\n"),
    describeRules(),
  );
  return `${parts.join("\n\n")}\n`;
}

function targetFieldsOf({ fields }: TimeseriesSchema): FieldSchema[] {
  return fields.filter(({ source }) => source === "target");
}

function describeTarget(schemas: readonly TimeseriesSchema[]): string[] {
  const first = schemas[0]!;
  const metricFields = new Map<string, FieldSchema>();
  for (const { fields } of schemas) for (const field of fields) if (field.source === "metric") metricFields.set(field.name, field);
  const parts = [
    `## ${first.targetName}`,
    `${sentence(first.targetDescription)} Seen by: ${first.visibility === "operator_only" ? "operators only" : "customers too"}.`,
    table(["field of the target", "type", "meaning"], targetFieldsOf(first).map(describeField)),
  ];
  if (metricFields.size > 0) {
    parts.push(table(["field of metrics", "type", "meaning"], [...metricFields.values()].map(describeField)));
  }
  for (const schema of schemas) {
    const own = schema.fields.filter(({ source }) => source === "metric").map(({ name }) => `\`${name}\``);
    const facts = [
      `\`${schema.datumType}\``,
      schema.units === "none" ? "no units" : schema.units,
      own.length === 0 ? "no fields of its own" : own.join(", "),
    ];
    parts.push(`### ${schema.timeseriesName}`, facts.join("; "), sentence(schema.metricDescription));
  }
  return parts;
}

function describeField({ name, type, description, values }: FieldSchema): string[] {
  const taken = values === null ? "" : ` One of ${values.map((value) => `\`${value}\``).join(", ")}.`;
  return [`\`${name}\``, type, sentence(description) + taken];
}

function describeRules(): string {
  const rows = RULES.map(({ id, refuses, upstream }) => [
    `\`${id}\``,
    upstream === null ? "ours" : `upstream ${upstream}`,
    sentence(refuses),
  ]);
  return table(["rule", "from", "refused"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const upper = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
