export * from "./ast.ts";
export * from "./data.ts";
export type { Dialect } from "./dialect.ts";
export * from "./ip-address.ts";
export * from "./table.ts";
export { normalForm, negateTerm, type Alternatives, type Term } from "./normal-form.ts";
export { parse, parseOperation, type ParseOptions } from "./parser.ts";
export { placed, queryError, withPlace, QUERY_ERROR_KINDS, type QueryErrorKind } from "./query-error.ts";
