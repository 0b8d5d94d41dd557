import type { Dialect } from "../dialect.ts";
import type { Table } from "../table.ts";

/** What operations know besides their tables. */
export interface OperationContext {
  /** The query's end: alignment windows step back from here. */
  readonly endTimeNs: bigint;
  /** Points that one `align` may make; the default is QUERY_MAX_POINTS. */
  readonly maxPoints?: number;
  /** `upstream` refuses what upstream refuses when it runs a query; it never changes a value. The default is `zonemeter`. */
  readonly dialect?: Dialect;
}

/** One table operation: pure, the input is never changed, an input without timeseries gives an output without timeseries. */
export type TableOperation<T> = (tables: readonly Table[], operation: T, context: OperationContext) => Table[];
