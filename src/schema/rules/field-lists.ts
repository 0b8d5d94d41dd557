import { fieldLists, referencedFields, type Rule } from "./rule.ts";

/** Positions in `names` of values that stand earlier in it already. */
function repeats(names: readonly string[]): number[] {
  return [...names.keys()].filter((i) => names.indexOf(names[i]!) < i);
}

export const FIELD_LIST_RULES: readonly Rule[] = [
  {
    id: "target-fields-empty",
    refuses: "a target version without a field",
    upstream: 11,
    check({ toml }, report) {
      for (const [i, { version, fields }] of toml.target.versions.entries()) {
        if (fields.length === 0) report(["target", "versions", i, "fields"], `version ${version} of the target lists no field`);
      }
    },
  },
  {
    id: "target-fields-duplicate",
    refuses: "a field listed twice in a target version",
    upstream: 11,
    check(definition, report) {
      for (const { path, names, of } of fieldLists(definition)) {
        if (of !== "target") continue;
        for (const i of repeats(names)) report([...path, i], `field "${names[i]}" is listed twice`);
      }
    },
  },
  {
    id: "metric-fields-duplicate",
    refuses: "a field listed twice in a metric version",
    upstream: 17,
    check(definition, report) {
      for (const { path, names, of } of fieldLists(definition)) {
        if (of !== "metric") continue;
        for (const i of repeats(names)) report([...path, i], `field "${names[i]}" is listed twice`);
      }
    },
  },
  {
    id: "field-in-target-and-metric",
    refuses: "a field of the target that a metric lists too",
    upstream: 18,
    check(definition, report) {
      const ofTarget = new Set(definition.toml.target.versions.flatMap(({ fields }) => fields));
      for (const { path, names, of } of fieldLists(definition)) {
        if (of !== "metric") continue;
        for (const [i, name] of names.entries())
          if (ofTarget.has(name)) report([...path, i], `field "${name}" is a field of the target already`);
      }
    },
  },
  {
    id: "field-undeclared",
    refuses: "a field that is listed and has no [fields.NAME]",
    upstream: 19,
    check(definition, report) {
      for (const { path, names } of fieldLists(definition)) {
        for (const [i, name] of names.entries()) {
          if (!Object.hasOwn(definition.toml.fields, name)) report([...path, i], `field "${name}" is not declared; add [fields.${name}]`);
        }
      }
    },
  },
  {
    id: "field-unused",
    refuses: "a declared field that nothing lists",
    upstream: null,
    check(definition, report) {
      const used = referencedFields(definition);
      for (const name of Object.keys(definition.toml.fields)) {
        if (!used.has(name)) report(["fields", name], `field "${name}" is declared and no target or metric lists it`, "key");
      }
    },
  },
];
