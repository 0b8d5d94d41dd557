import { randomUUID } from "node:crypto";
import { messageOf, ZonemeterError, type Catalogue, type Clock } from "../core/index.ts";
import { execute, parse, plan, type StatementSummary, type Table } from "../oxql/index.ts";
import type { Logger } from "../runtime/index.ts";
import { withDeadline } from "../runtime/index.ts";
import type { Store } from "../store/index.ts";
import { QUERY_CONCURRENCY, QUERY_TIMEOUT_MS } from "./limits.ts";

/** Who asks. It decides the catalogue, and with it everything that can be seen. */
export type Principal = "operator" | "customer";

export interface QueryServiceOptions {
  readonly principal: Principal;
  /** What this principal may know of; a name outside it does not exist. */
  readonly catalogue: Catalogue;
  readonly store: Pick<Store, "select">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface QueryAnswer {
  readonly tables: readonly Table[];
  readonly statements: readonly StatementSummary[];
}

/** Parses, plans and runs OxQL for one principal, within limits on number and time, and writes an audit line for each query. */
export class QueryService {
  readonly #options: QueryServiceOptions;
  #running = 0;

  constructor(options: QueryServiceOptions) {
    this.#options = options;
  }

  get catalogue(): Catalogue {
    return this.#options.catalogue;
  }

  /**
   * Runs one query. Throws ZonemeterError `query` for what is wrong with the text, `limit` when too many queries run or too many rows
   * would be read, `unavailable` when the store or the time given ran out.
   */
  async run(text: string, signal: AbortSignal): Promise<QueryAnswer> {
    const { catalogue, clock, logger, principal, store } = this.#options;
    const id = randomUUID();
    const startedMs = performance.now();
    const audit = (outcome: Record<string, unknown>): void =>
      logger.info({ audit: "query", id, principal, query: text, durationMs: Math.round(performance.now() - startedMs), ...outcome }, "query");
    if (this.#running >= QUERY_CONCURRENCY) {
      const refusal = new ZonemeterError("unavailable", `${QUERY_CONCURRENCY} queries are running already; try again when one has ended.`);
      audit({ error: refusal.message });
      throw refusal;
    }
    this.#running += 1;
    try {
      const nowNs = clock.wallNs();
      const query = parse(text, { nowNs });
      plan(query, catalogue);
      const answer = await withDeadline(QUERY_TIMEOUT_MS, "The query", (work) => execute(query, { catalogue, data: store, nowNs, signal: work }), signal);
      audit({ rowsRead: answer.statements.reduce((sum, statement) => sum + statement.rowsRead, 0n).toString() });
      return answer;
    } catch (error) {
      audit({ error: messageOf(error) });
      throw error;
    } finally {
      this.#running -= 1;
    }
  }
}
