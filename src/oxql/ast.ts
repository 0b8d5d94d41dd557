import type { TextPosition } from "../core/index.ts";

/**
 * The tree of an OxQL query. Plain data: no methods, no parent links. Every node carries the place it was read from.
 * Nodes marked "superset" are additions to upstream's grammar; no valid upstream query parses to them.
 */
export interface Query {
  readonly kind: "query";
  readonly operations: readonly Operation[];
  /** The whole text that every position points into, also in subqueries, so that later errors can show the place. */
  readonly text: string;
  readonly position: TextPosition;
}

export type Operation = Get | Group | Filter | Align | GroupBy | Join | Limit | Rank | MapOperation;

/** `get target:metric` */
export interface Get {
  readonly kind: "get";
  readonly timeseriesName: string;
  readonly position: TextPosition;
}

/** `{ query ; query … }` */
export interface Group {
  readonly kind: "group";
  readonly queries: readonly Query[];
  readonly position: TextPosition;
}

/** `filter expr` */
export interface Filter {
  readonly kind: "filter";
  readonly expression: FilterExpression;
  readonly position: TextPosition;
}

export type FilterExpression = FilterBinary | FilterNot | Comparison | Membership;

export interface FilterBinary {
  readonly kind: "and" | "or" | "xor";
  readonly left: FilterExpression;
  readonly right: FilterExpression;
  readonly position: TextPosition;
}

export interface FilterNot {
  readonly kind: "not";
  readonly operand: FilterExpression;
  readonly position: TextPosition;
}

/** `!~=` is never parsed: it is what `normalForm` makes of a negated `~=`. */
export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "~=" | "!~=";

/** `identifier op literal`. Superset: `metric` or `target:metric` as identifier, for a column, of joined tables too. */
export interface Comparison {
  readonly kind: "comparison";
  readonly identifier: string;
  readonly operator: ComparisonOperator;
  readonly literal: Literal;
  readonly position: TextPosition;
}

/** Superset: `identifier in [literal, …]`, at least one literal. `negated` is never parsed: `normalForm` makes it of a `!` before. */
export interface Membership {
  readonly kind: "in";
  readonly identifier: string;
  readonly literals: readonly Literal[];
  readonly negated: boolean;
  readonly position: TextPosition;
}

/** A literal as read; `position` covers it with its quotes. */
export type Literal = (
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "integer"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "string" | "uuid" | "ip_addr"; readonly value: string }
  | { readonly type: "duration"; readonly valueNs: bigint }
  /** `text` is what the user wrote, so that a printed query keeps `@now() - 1h`. Years 0 to 9999, so `valueNs` may pass 64 bits. */
  | { readonly type: "timestamp"; readonly valueNs: bigint; readonly text: string }
) & { readonly position: TextPosition };

/** `rate` is superset: per second, from deltas. */
export type AlignMethod = "mean_within" | "interpolate" | "rate";

/** `align method(period)`. The parser lets a period of zero pass, as upstream's does; the planner refuses it. */
export interface Align {
  readonly kind: "align";
  readonly method: AlignMethod;
  readonly periodNs: bigint;
  readonly position: TextPosition;
}

/** All but `mean` and `sum` are superset. */
export const REDUCERS = ["mean", "sum", "min", "max", "count", "p50", "p90", "p99"] as const;
export type Reducer = (typeof REDUCERS)[number];

/** `group_by [field, …], reducer` */
export interface GroupBy {
  readonly kind: "group_by";
  readonly fields: readonly string[];
  readonly reducer: Reducer;
  readonly position: TextPosition;
}

/**
 * `join`, or superset `join on [field, …]`: the first table's timeseries are kept, each later table must have at most one
 * timeseries for each combination of the listed fields, which all tables must have.
 */
export interface Join {
  readonly kind: "join";
  readonly on: readonly string[] | null;
  readonly position: TextPosition;
}

/** `first n` or `last n` */
export interface Limit {
  readonly kind: "limit";
  readonly end: "first" | "last";
  readonly count: number;
  readonly position: TextPosition;
}

/** Superset: `top n by reducer` or `bottom n by reducer`: the n timeseries of each table with the highest or lowest reduced value. */
export interface Rank {
  readonly kind: "rank";
  readonly end: "top" | "bottom";
  readonly count: number;
  readonly reducer: Reducer;
  readonly position: TextPosition;
}

/** Superset: `map expr`: one double column computed from the columns of an aligned table. */
export interface MapOperation {
  readonly kind: "map";
  readonly expression: Arithmetic;
  readonly position: TextPosition;
}

/**
 * Arithmetic over the columns of one timeseries. `column` names a metric (`memory_resident`), a whole timeseries name
 * (`zone_resource:memory_resident`) or, with one dimension, `datum`. `ago` is the operand that long before (a multiple of the period).
 */
export type Arithmetic = (
  | { readonly kind: "binary"; readonly operator: "+" | "-" | "*" | "/"; readonly left: Arithmetic; readonly right: Arithmetic }
  | { readonly kind: "negate"; readonly operand: Arithmetic }
  | { readonly kind: "column"; readonly name: string }
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "ago"; readonly operand: Arithmetic; readonly durationNs: bigint }
) & { readonly position: TextPosition };
