/**
 * `zonemeter` is the whole language. `upstream` is what stock OxQL tools take: additions are refused the way upstream refuses them, and
 * `align interpolate` as not implemented. It never changes the result of a query that both take.
 */
export type Dialect = "zonemeter" | "upstream";
