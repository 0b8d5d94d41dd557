import type { Rule } from "./rule.ts";

export const ENUMERATION_RULES: readonly Rule[] = [
  {
    id: "values-type",
    refuses: "`values` of a field that is not a string",
    upstream: null,
    check({ toml }, report) {
      for (const [name, { type, values }] of Object.entries(toml.fields)) {
        if (values !== undefined && type !== "string") {
          report(["fields", name, "values"], `field "${name}" is of type ${type}; only the values of a string field are enumerated`, "key");
        }
      }
    },
  },
  {
    id: "values-empty",
    refuses: "`values` that name nothing: an empty list, or an empty text in it",
    upstream: null,
    check({ toml }, report) {
      for (const [name, { values }] of Object.entries(toml.fields)) {
        if (values?.length === 0)
          report(["fields", name, "values"], `field "${name}" can take none of no values: list them, or leave values out`);
        for (const [i, value] of (values ?? []).entries()) {
          if (value.trim() === "") report(["fields", name, "values", i], `a value of field "${name}" is empty`);
        }
      }
    },
  },
  {
    id: "values-duplicate",
    refuses: "`values` that name one value twice",
    upstream: null,
    check({ toml }, report) {
      for (const [name, { values = [] }] of Object.entries(toml.fields)) {
        for (const [i, value] of values.entries()) {
          if (values.indexOf(value) < i) report(["fields", name, "values", i], `value "${value}" of field "${name}" is listed twice`);
        }
      }
    },
  },
];
