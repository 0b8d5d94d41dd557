import { DESCRIPTION_RULES } from "./descriptions.ts";
import { ENUMERATION_RULES } from "./enumerations.ts";
import { FIELD_LIST_RULES } from "./field-lists.ts";
import { FIELD_RULES } from "./fields.ts";
import { NAME_RULES } from "./names.ts";
import type { Rule, RuleEntry } from "./rule.ts";
import { SCOPE_RULES } from "./scope.ts";
import { UNITS_RULES } from "./units.ts";
import { VERSION_RULES } from "./versions.ts";
import { VOLATILE_FIELD_RULES } from "./volatile-fields.ts";

/** Rules that look at one definition file of the right shape. */
export const DEFINITION_RULES: readonly Rule[] = [
  ...VERSION_RULES,
  ...NAME_RULES,
  ...FIELD_RULES,
  ...FIELD_LIST_RULES,
  ...SCOPE_RULES,
  ...DESCRIPTION_RULES,
  ...UNITS_RULES,
  ...VOLATILE_FIELD_RULES,
  ...ENUMERATION_RULES,
];

/** Rules that are checked elsewhere: while a file is read, over all files, and against the lock, the visibility table and an earlier state. */
const OTHER_RULES: readonly RuleEntry[] = [
  { id: "toml-syntax", refuses: "a file that is not TOML", upstream: 1 },
  { id: "missing-key", refuses: "a table without a key that it needs", upstream: 1 },
  { id: "wrong-type", refuses: "a value of another type than its key takes", upstream: 1 },
  { id: "unknown-value", refuses: "a scope, visibility, unit or type that does not exist", upstream: 1 },
  { id: "version-range", refuses: "a version outside 1 to 255", upstream: 1 },
  { id: "format-version", refuses: "any `format_version` but 1", upstream: 2 },
  { id: "timeseries-duplicate", refuses: "one timeseries defined in two files", upstream: 24 },
  { id: "unknown-key", refuses: "a key that means nothing, which upstream passes over in silence", upstream: null },
  { id: "lock-invalid", refuses: "a lock file that cannot be read", upstream: null },
  { id: "lock-missing", refuses: "a timeseries that the lock file does not hold as it is", upstream: null },
  {
    id: "timeseries-removed",
    refuses: "leaving out a timeseries that has been released: its stored samples would have no schema",
    upstream: null,
  },
  {
    id: "fields-changed",
    refuses: "adding or removing a field of a released timeseries, or moving it between target and metric",
    upstream: null,
  },
  { id: "field-type-changed", refuses: "another type for a field of a released timeseries", upstream: null },
  {
    id: "field-values-changed",
    refuses: "removing an enumerated value of a released timeseries, or turning a field from open to enumerated or back",
    upstream: null,
  },
  { id: "datum-type-changed", refuses: "another datum type for a released timeseries", upstream: null },
  { id: "units-changed", refuses: "other units for a released timeseries: stored numbers would change their meaning", upstream: null },
  { id: "visibility-widened", refuses: "showing to customers what has been operator-only, unless --widen names it", upstream: null },
  {
    id: "visibility-table-name",
    refuses: "a name in the visibility table that is no timeseries, or a `target:*` that is not operator-only",
    upstream: null,
  },
  { id: "visibility-table-owned", refuses: "a name in the visibility table that a definition declares itself", upstream: null },
];

/** Every rule id there is, with what it refuses. */
export const RULES: readonly RuleEntry[] = [
  ...OTHER_RULES,
  ...DEFINITION_RULES.map(({ id, refuses, upstream }) => ({ id, refuses, upstream })),
].sort((a, b) => (a.upstream ?? 99) - (b.upstream ?? 99));
