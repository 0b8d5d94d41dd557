import type { FieldSet } from "../core/index.ts";

/** A timeseries as a message names it: `nic:tx {node: "n1", port: 4}`. */
export function describeTimeseries(name: string, fields: FieldSet): string {
  const shown = fields.map(
    ({ name: field, value }) => `${field}: ${typeof value.value === "string" ? JSON.stringify(value.value) : value.value}`,
  );
  return `${name} {${shown.join(", ")}}`;
}
