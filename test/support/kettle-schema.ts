/** A definition that breaks no rule, for tests to change: one target, one metric, one field each. */
export const KETTLE_TOML = `format_version = 1

[target]
name = "kettle"
description = "A kettle"
authz_scope = "fleet"
visibility = "operator_only"
versions = [ { version = 1, fields = [ "kettle_id" ] } ]

[[metrics]]
name = "boils"
description = "Times the water boiled"
units = "count"
datum_type = "cumulative_u64"
versions = [ { added_in = 1, fields = [ "cause" ] } ]

[fields.kettle_id]
type = "uuid"
description = "ID of the kettle"

[fields.cause]
type = "string"
description = "What started it"
values = [ "button", "timer" ]
`;

/** The definition with one text in it replaced. Throws where that text is not in it, so that a test does not pass for nothing. */
export function kettleWith(...changes: readonly (readonly [string, string])[]): string {
  let text = KETTLE_TOML;
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the definition has no "${from}"`);
    text = text.replace(from, to);
  }
  return text;
}
