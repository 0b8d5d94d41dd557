import type { Catalogue, Sample } from "../core/index.ts";
import type { OxqlData, StatementSummary } from "../oxql/index.ts";
import type { InsertRowsOptions, RowBlock, RowsReport } from "./row-block.ts";

/**
 * Where samples live. Engines (embedded chdb, a ClickHouse server) implement the same contract and pass the same tests.
 * Calls may run side by side. Engine faults reject with ZonemeterError `unavailable`; what is wrong with single samples is in the report.
 */
export interface Store extends OxqlData {
  /** Stores samples. With the same token again nothing is added. Resolves when the engine has acknowledged all of them. */
  insert(samples: readonly Sample[], token: string): Promise<InsertReport>;

  /**
   * Stores rows of one target that were measured some time ago, whatever their age: they are kept from now on as long as others are from their own
   * time on. Rows that the store has with the same values are not stored again, so a block may come again, whole, in part or cut elsewhere.
   * Blocks come one after another. Resolves when the engine has acknowledged all of them.
   */
  insertRows(block: RowBlock, options: InsertRowsOptions): Promise<RowsReport>;

  /** The statements of an answer with what the engine read for each. Where it did not say so at first, that takes running them again. */
  measured(statements: readonly StatementSummary[], signal: AbortSignal): Promise<readonly StatementSummary[]>;

  /** The newest sample of every zone incarnation seen after `sinceNs`, one row for each source. */
  latestZones(sinceNs: bigint, signal: AbortSignal): Promise<readonly LatestZone[]>;

  /**
   * What customers may see, asked with the rights of a customer: the engine itself refuses whatever is not theirs, should a question for it ever
   * come this far.
   */
  forCustomers(): OxqlData;

  /** Timeseries that the store can answer for, as they come to be. Those that no schema declares are for operators, or where named for customers. */
  readonly catalogue: Catalogue;

  /** Rejects with `unavailable` and one sentence where the engine does not answer. */
  ping(): Promise<void>;

  /** Flushes, frees the data directory, ends what was started. Safe to call twice. */
  close(): Promise<void>;
}

/** What became of a batch. `stored + refused` is the number of samples handed in; duplicates of stored ones count as stored. */
export interface InsertReport {
  readonly stored: number;
  readonly refused: ReadonlyMap<RefusalReason, number>;
  /** One sentence for each distinct cause, for the log. */
  readonly messages: readonly string[];
}

export const REFUSAL_REASONS = ["unknown_timeseries", "schema_mismatch", "missing_datum", "expired", "future", "unstorable"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Values by metric name; enumerated metric fields follow in parentheses: `cpu_nsec(state=user)`. Absent: not measured. */
export interface LatestZone {
  readonly fields: Readonly<Record<string, string | bigint | boolean>>;
  readonly startTimeNs: bigint;
  readonly timestampNs: bigint;
  readonly values: Readonly<Record<string, bigint | number>>;
}
