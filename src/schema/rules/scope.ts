import { fieldsOf, type Rule } from "./rule.ts";

export const SCOPE_RULES: readonly Rule[] = [
  {
    id: "scope-field",
    refuses: "scope `silo` without a uuid field `silo_id`, or `project` without `project_id`, in target or every metric",
    upstream: 22,
    check({ toml }, report) {
      const scope = toml.target.authz_scope;
      if (scope !== "silo" && scope !== "project") return;
      const needed = `${scope}_id`;
      const type = Object.hasOwn(toml.fields, needed) ? toml.fields[needed]!.type : null;
      const ofTarget = toml.target.versions.every(({ fields }) => fields.includes(needed));
      const lacking = toml.metrics.find(
        ({ versions }) => !versions.every((version) => "removed_in" in version || fieldsOf(version).includes(needed)),
      );
      if (type === "uuid" && (ofTarget || lacking === undefined)) return;
      const fault = type === null ? "it is not declared" : type === "uuid" ? `metric "${lacking!.name}" has none` : `it is of type ${type}`;
      report(["target", "authz_scope"], `scope "${scope}" needs a uuid field "${needed}" in the target or in every metric: ${fault}`);
    },
  },
  {
    id: "visibility-scope",
    refuses: '`visibility = "operator_only"` with a scope other than `fleet`, which would show the data to customers',
    upstream: null,
    check({ toml }, report) {
      const { visibility, authz_scope: scope } = toml.target;
      if (visibility === "operator_only" && scope !== "fleet") {
        report(
          ["target", "visibility"],
          `visibility "operator_only" contradicts authz_scope "${scope}", which is for customers: write "fleet"`,
        );
      }
    },
  },
  {
    id: "visibility-missing",
    refuses: "a target that does not say who may see it",
    upstream: null,
    check({ toml }, report) {
      if (toml.target.visibility === undefined)
        report(["target"], 'the target does not say who may see it and is hidden: add visibility = "operator_only" or "customer"');
    },
  },
];
