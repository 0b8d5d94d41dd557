/** What a principal may be. `operator` sees everything; the others are a customer's people, as upstream knows them. */
export const PRINCIPAL_KINDS = ["operator", "fleet_viewer", "silo_viewer", "project_viewer"] as const;
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

/** Who asks: the name for the log, and what that one may read. */
export type Principal = { readonly name: string } & (
  | { readonly kind: "operator" | "fleet_viewer" }
  | { readonly kind: "silo_viewer"; readonly siloId: string }
  | { readonly kind: "project_viewer"; readonly projectIds: readonly string[] }
);

/** A project of a customer: what the timeseries of its resources carry in `project_id` and `silo_id`. The name is unique within the silo. */
export interface Project {
  readonly name: string;
  readonly id: string;
  readonly siloId: string;
}
