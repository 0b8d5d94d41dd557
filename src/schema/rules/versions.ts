import type { Definition } from "../definition.ts";
import { numberOf, type Report, type Rule } from "./rule.ts";

export const VERSION_RULES: readonly Rule[] = [
  {
    id: "target-versions-empty",
    refuses: "a target without a version",
    upstream: 3,
    check({ toml }, report) {
      if (toml.target.versions.length === 0)
        report(["target", "versions"], "the target has no version; write { version = 1, fields = [ … ] }");
    },
  },
  {
    id: "metrics-empty",
    refuses: "a file without a metric",
    upstream: 4,
    check({ toml }, report) {
      if (toml.metrics.length === 0) report(["metrics"], "the target has no metric");
    },
  },
  {
    id: "metric-versions-empty",
    refuses: "a metric without a version, which defines no timeseries",
    upstream: null,
    check({ toml }, report) {
      for (const [m, { name, versions }] of toml.metrics.entries()) {
        if (versions.length === 0) report(["metrics", m, "versions"], `metric "${name}" has no version and so defines no timeseries`);
      }
    },
  },
  {
    id: "single-version",
    refuses: "any target version but version 1 alone",
    upstream: 9,
    check({ toml }, report) {
      for (const [i, { version }] of toml.target.versions.entries()) {
        if (i > 0 || version !== 1)
          report(["target", "versions", i, "version"], `version ${version} is not supported: a target has version 1 alone`);
      }
    },
  },
  {
    id: "target-version-order",
    refuses: "target versions that are not 1, 2, 3 and so on",
    upstream: 10,
    check({ toml }, report) {
      // A single version that is not 1 is what `single-version` reports.
      if (toml.target.versions.length < 2) return;
      for (const [i, { version }] of toml.target.versions.entries()) {
        if (version !== i + 1) report(["target", "versions", i, "version"], `version ${version} stands where version ${i + 1} should`);
      }
    },
  },
  {
    id: "metric-first-version",
    refuses: "a metric whose first version is not `added_in`",
    upstream: 14,
    check({ toml }, report) {
      for (const [m, { name, versions }] of toml.metrics.entries()) {
        const first = versions[0];
        if (first !== undefined && !("added_in" in first)) {
          report(["metrics", m, "versions", 0], `the first version of metric "${name}" must say added_in`);
        }
      }
    },
  },
  {
    id: "metric-version-order",
    refuses: "metric versions that do not rise, or that add, change or remove a metric which does not allow it then",
    upstream: 15,
    check(definition, report) {
      for (const m of definition.toml.metrics.keys()) checkMetricHistory(definition, m, report);
    },
  },
  {
    id: "metric-version-without-target",
    refuses: "a metric version that the target does not have",
    upstream: 16,
    check({ toml }, report) {
      const known = new Set(toml.target.versions.map(({ version }) => version));
      if (known.size === 0) return;
      for (const [m, { versions }] of toml.metrics.entries()) {
        for (const [i, entry] of versions.entries()) {
          if (!known.has(numberOf(entry))) report(["metrics", m, "versions", i], `the target has no version ${numberOf(entry)}`);
        }
      }
    },
  },
];

/** Follows one metric through its versions: present after being added, absent after being removed. */
function checkMetricHistory({ toml }: Definition, m: number, report: Report): void {
  const { name, versions } = toml.metrics[m]!;
  let isPresent = false;
  for (const [i, entry] of versions.entries()) {
    const refuse = (text: string): void => report(["metrics", m, "versions", i], text);
    const number = numberOf(entry);
    const before = versions[i - 1];
    if (before !== undefined && number <= numberOf(before)) {
      refuse(`version ${number} of metric "${name}" follows version ${numberOf(before)}; versions must rise`);
    }
    if ("removed_in" in entry) {
      if (!isPresent && i > 0) refuse(`metric "${name}" is removed a second time`);
      isPresent = false;
    } else if ("added_in" in entry) {
      if (isPresent) refuse(`metric "${name}" is added again without having been removed`);
      isPresent = true;
    } else {
      if (!isPresent && i > 0) refuse(`metric "${name}" is changed while it is removed`);
      isPresent = true;
    }
  }
}
