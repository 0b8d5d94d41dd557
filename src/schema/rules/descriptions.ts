import type { Rule } from "./rule.ts";

export const DESCRIPTION_RULES: readonly Rule[] = [
  {
    id: "target-description-empty",
    refuses: "a target without a description",
    upstream: null,
    check({ toml }, report) {
      if (toml.target.description.trim() === "") report(["target", "description"], "the target's description is empty");
    },
  },
  {
    id: "metric-description-empty",
    refuses: "a metric without a description",
    upstream: null,
    check({ toml }, report) {
      for (const [m, { name, description }] of toml.metrics.entries()) {
        if (description.trim() === "") report(["metrics", m, "description"], `the description of metric "${name}" is empty`);
      }
    },
  },
];
