import type { DatumType, Units } from "../../core/index.ts";
import type { Rule } from "./rule.ts";

/** What the last word of a metric's name promises about its units. */
const UNITS_OF_LAST_WORD: Readonly<Record<string, Units>> = {
  ns: "nanoseconds",
  nsec: "nanoseconds",
  nanoseconds: "nanoseconds",
  sec: "seconds",
  secs: "seconds",
  seconds: "seconds",
  bytes: "bytes",
  count: "count",
  volts: "volts",
  amps: "amps",
  watts: "watts",
  celsius: "degrees_celsius",
  rpm: "rpm",
  joules: "joules",
};

/** Last words that promise units which there are none of: values are stored in base units. */
const NO_UNITS = new Set("us usec ms msec millis minutes hours kb kib mb mib gb gib".split(" "));

/** Datum types whose values have no dimension. */
const WITHOUT_DIMENSION = new Set<DatumType>(["bool", "string", "bytes"]);

export const UNITS_RULES: readonly Rule[] = [
  {
    id: "units-name",
    refuses: "units other than the metric's name says, such as `cpu_nsec` in seconds",
    upstream: null,
    check({ toml }, report) {
      for (const [m, { name, units }] of toml.metrics.entries()) {
        const word = name.slice(name.lastIndexOf("_") + 1);
        const promised = Object.hasOwn(UNITS_OF_LAST_WORD, word) ? UNITS_OF_LAST_WORD[word] : undefined;
        if (NO_UNITS.has(word))
          report(["metrics", m, "name"], `"${name}" ends in a unit that values are not kept in: use nanoseconds, seconds or bytes`);
        else if (promised !== undefined && units !== promised)
          report(["metrics", m, "units"], `"${name}" is named for ${promised} and declared in ${units}`);
      }
    },
  },
  {
    id: "units-datum",
    refuses: "units on a datum type without a dimension",
    upstream: null,
    check({ toml }, report) {
      for (const [m, { datum_type: type, units }] of toml.metrics.entries()) {
        if (WITHOUT_DIMENSION.has(type) && units !== "none")
          report(["metrics", m, "units"], `a ${type} has no units: write "none" in place of "${units}"`);
      }
    },
  },
];
