import { TIMESERIES_NAME_PATTERN } from "../../core/index.ts";
import type { Rule } from "./rule.ts";

/** Bytes of `target:metric`, upstream's figure. */
const MAX_TIMESERIES_NAME_BYTES = 128;

const HALF = "words of a-z and 0-9 joined by single underscores, beginning with a letter";

export const NAME_RULES: readonly Rule[] = [
  {
    id: "target-name-empty",
    refuses: "a target without a name",
    upstream: 5,
    check({ toml }, report) {
      if (toml.target.name === "") report(["target", "name"], "the target's name is empty");
    },
  },
  {
    id: "metric-name-empty",
    refuses: "a metric without a name",
    upstream: 5,
    check({ toml }, report) {
      for (const [m, metric] of toml.metrics.entries()) {
        if (metric.name === "") report(["metrics", m, "name"], "the metric's name is empty");
      }
    },
  },
  {
    id: "timeseries-name-pattern",
    refuses: `a target or metric name that is not ${HALF}`,
    upstream: 12,
    check({ toml }, report) {
      const isHalf = (name: string): boolean => name === "" || TIMESERIES_NAME_PATTERN.test(`${name}:a`);
      if (!isHalf(toml.target.name)) report(["target", "name"], `"${toml.target.name}" cannot begin a timeseries name: write ${HALF}`);
      for (const [m, { name }] of toml.metrics.entries()) {
        if (!isHalf(name)) report(["metrics", m, "name"], `"${name}" cannot end a timeseries name: write ${HALF}`);
      }
    },
  },
  {
    id: "timeseries-name-length",
    refuses: `a timeseries name of more than ${MAX_TIMESERIES_NAME_BYTES} bytes`,
    upstream: 13,
    check({ toml }, report) {
      for (const [m, { name }] of toml.metrics.entries()) {
        const bytes = Buffer.byteLength(`${toml.target.name}:${name}`);
        if (bytes <= MAX_TIMESERIES_NAME_BYTES) continue;
        report(["metrics", m, "name"], `the timeseries name has ${bytes} bytes; at most ${MAX_TIMESERIES_NAME_BYTES} are allowed`);
      }
    },
  },
  {
    id: "metric-duplicate",
    refuses: "two metrics of one name in a file",
    upstream: 23,
    check({ toml }, report) {
      const seen = new Set<string>();
      for (const [m, { name }] of toml.metrics.entries()) {
        if (seen.has(name)) report(["metrics", m, "name"], `metric "${name}" is defined above already`);
        seen.add(name);
      }
    },
  },
];
