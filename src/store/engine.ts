/**
 * What the layout and the scans need of a ClickHouse, embedded or a server. Statements are text that this room wrote itself. Every call
 * has a deadline. Calls may run side by side; an insert does not wait for reads. Faults reject with ZonemeterError `unavailable`, a
 * statement that needs too much memory with `limit`, and text that the engine does not understand, a defect of ours, with `internal`.
 */
export interface Engine {
  /** Runs a statement that returns nothing. */
  run(statement: string): Promise<void>;

  /** Resolves when the rows are stored for good. With a token that the table has seen, nothing is added. */
  insert(insert: RowInsert): Promise<void>;

  /** Runs a SELECT without FORMAT and SETTINGS. When the signal fires the statement is ended and the call rejects with the signal's reason. */
  query(query: EngineQuery): Promise<EngineResult>;

  /** The same with the rights of a customer: SELECT on what of database `oximeter` customers may see, and nothing else. */
  readonly forCustomers: Pick<Engine, "query">;

  /** What a SELECT has to go through, found by running it, for people who want to know. */
  measure(query: EngineQuery): Promise<WhatWasRead>;

  /** Runs any statement in that role, as it is: for trying what a customer could reach, never for an answer to one. */
  runAsCustomer(statement: string): Promise<Uint8Array>;

  /** Ends the statement of that id, if one runs. */
  kill(id: string): Promise<void>;

  /** Ends reads, lets inserts finish, frees everything. Safe to call twice. */
  close(): Promise<void>;
}

export interface EngineColumn {
  readonly name: string;
  /** The column's ClickHouse type, which is also the type of its RowBinary form. */
  readonly type: string;
}

export interface RowInsert {
  /** Quoted, with its database. */
  readonly table: string;
  /** What each row holds, in this order; other columns of the table take their defaults. */
  readonly columns: readonly EngineColumn[];
  /** Rows in RowBinary. The caller leaves the bytes alone until the call settled. */
  readonly rows: Uint8Array;
  /** Names the rows for ever, or null where storing them twice does no harm. */
  readonly token: string | null;
}

export interface EngineQuery {
  /** Unique while it runs; `kill` takes it. */
  readonly id: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

export interface EngineResult {
  /** Rows in RowBinary. */
  readonly bytes: Uint8Array;
  readonly elapsedMs: number;
  /** Null of an engine that does not say with the answer; `measure` tells. */
  readonly read: WhatWasRead | null;
}

/** What an engine went through for a statement. */
export interface WhatWasRead {
  readonly rows: bigint;
  readonly bytes: bigint;
}
