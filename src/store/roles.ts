import { identifier, stringLiteral } from "./literal.ts";
import { NARROW_TABLES, PUBLIC_DATABASE } from "./narrow-tables.ts";
import { DATABASE } from "./statements.ts";

/** Stores samples, and completes the tables of `oximeter_internal` when schemas grow. */
export const WRITER_ROLE = "zonemeter_writer";

/** Reads everything. */
export const OPERATOR_ROLE = "zonemeter_operator";

/** Reads what customers may see: rows of `oximeter` whose names are named for them. */
export const CUSTOMER_ROLE = "zonemeter_customer";

export interface Grant {
  readonly role: string;
  readonly rights: string;
  readonly database: string;
}

/** What each role may. A right that is not here is not given; above all none on `oximeter_internal` to customers. */
export const GRANTS: readonly Grant[] = [
  { role: WRITER_ROLE, rights: "SELECT, INSERT", database: PUBLIC_DATABASE },
  { role: WRITER_ROLE, rights: "SELECT, INSERT, CREATE TABLE, ALTER TABLE", database: DATABASE },
  { role: OPERATOR_ROLE, rights: "SELECT", database: PUBLIC_DATABASE },
  { role: OPERATOR_ROLE, rights: "SELECT", database: DATABASE },
  { role: CUSTOMER_ROLE, rights: "SELECT", database: PUBLIC_DATABASE },
];

export const ROLES: readonly string[] = [WRITER_ROLE, OPERATOR_ROLE, CUSTOMER_ROLE];

/** Tables of `oximeter` whose rows have a timeseries name: each gets a row policy. On a cluster, rows are filtered where they are stored. */
export function namedTables(cluster: boolean): string[] {
  const names = NARROW_TABLES.filter(({ named }) => named).map(({ name }) => name);
  return cluster ? names.flatMap((name) => [`${name}_local`, name]) : names;
}

/** Which rows of `oximeter` customers may see, whatever came to be there by mistake. */
export function customerRows(names: Iterable<string>): string {
  const sorted = [...new Set(names)].sort();
  return sorted.length === 0 ? "0" : `${identifier("timeseries_name")} IN (${sorted.map(stringLiteral).join(", ")})`;
}
