import { messageOf, ZonemeterError, type Catalogue, type Clock, type Principal, type Project } from "../core/index.ts";
import { execute, parse, plan, type OxqlData, type Query, type QueryOutcome, type StatementSummary, type Table } from "../oxql/index.ts";
import { TOO_LONG, TOO_MANY } from "../http/index.ts";
import type { Logger } from "../runtime/index.ts";
import { withDeadline } from "../runtime/index.ts";
import { knownTo, type Audience } from "./audience.ts";
import { GuardedData, WallBreach } from "./guarded-data.ts";
import { AUDIT_QUERY_MAX_CHARS, QUERY_CONCURRENCY, QUERY_CONCURRENCY_OF_ONE, QUERY_TIMEOUT_MS } from "./limits.ts";
import { withinProject } from "./project-query.ts";
import { findProject, requireFleet } from "./projects.ts";

export interface QueryServiceOptions {
  readonly audience: Audience;
  /** What the audience may know of; a name outside it does not exist. */
  readonly catalogue: Catalogue;
  readonly store: OxqlData;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The projects there are now. */
  readonly projects?: () => readonly Project[];
}

export interface QueryRequest {
  readonly text: string;
  readonly principal: Principal;
  /** Name or id of the project that is asked for; null asks for the whole fleet. */
  readonly project: string | null;
  /** For the log. */
  readonly requestId: string;
  readonly signal: AbortSignal;
}

export interface QueryAnswer {
  readonly tables: readonly Table[];
  readonly statements: readonly StatementSummary[];
}

/** Parses, plans and runs OxQL for one audience, within limits on number and time, and writes an audit line for each query. */
export class QueryService {
  readonly #options: QueryServiceOptions;
  readonly #running = new Map<string, number>();
  /** Timeseries that the catalogue held and should not have, as last told. */
  #surplus = 0;

  constructor(options: QueryServiceOptions) {
    this.#options = options;
    this.#known();
  }

  /** What exists for a principal. Throws ZonemeterError `forbidden` where that one may only see projects. */
  catalogueFor(principal: Principal): Catalogue {
    requireFleet(principal);
    return this.#known();
  }

  /**
   * Runs one query. Throws ZonemeterError `query` for what is wrong with the text, `forbidden` and `not_found` where the principal may not ask
   * that, `unavailable` when too many queries run, or the store or the time given ran out.
   */
  async run(request: QueryRequest): Promise<QueryAnswer> {
    const { audience, logger } = this.#options;
    const { principal, project, requestId, text } = request;
    const startedMs = performance.now();
    const audit = (outcome: Record<string, unknown>): void => {
      const durationMs = Math.round(performance.now() - startedMs);
      const query = text.length > AUDIT_QUERY_MAX_CHARS ? `${text.slice(0, AUDIT_QUERY_MAX_CHARS)}…` : text;
      const asked = project === null ? {} : { project: project.slice(0, 100) };
      logger.info({ audit: "query", requestId, audience, principal: principal.name, query, ...asked, durationMs, ...outcome }, "query");
    };
    try {
      const outcome = await this.#counted(principal.name, () => this.#run(request));
      audit({ status: 200, rows: outcome.rowsFetched });
      return outcome;
    } catch (error) {
      audit({ status: error instanceof ZonemeterError ? error.status : 500, error: messageOf(error) });
      throw error;
    }
  }

  async #run({ principal, project: asked, requestId, signal, text }: QueryRequest): Promise<QueryOutcome> {
    const { audience, clock, logger, projects, store } = this.#options;
    if (asked === null) requireFleet(principal);
    const project = asked === null ? null : findProject(asked, principal, projects?.() ?? []);
    const nowNs = clock.wallNs();
    const parsed = parse(text, { nowNs });
    const catalogue = this.#known();
    const query = project === null ? parsed : withinProject(parsed, project, catalogue);
    plan(query, catalogue);
    const data = new GuardedData(store, audience, project);
    try {
      return await withDeadline(QUERY_TIMEOUT_MS, "The query", (work) => execute(query, { catalogue, data, nowNs, signal: work }), signal);
    } catch (error) {
      if (error instanceof ZonemeterError && error.kind === "deadline" && !signal.aborted) throw tooLong(error);
      if (!(error instanceof WallBreach)) throw error;
      const { timeseriesName } = error;
      logger.error(
        { wall: "plan", audience, principal: principal.name, requestId, timeseries: timeseriesName },
        "a query reached a timeseries that its audience must not know of; it was stopped and answered as for an unknown name",
      );
      throw this.#unknown(query);
    }
  }

  /** What a name that does not exist is answered with. */
  #unknown(query: Query): unknown {
    try {
      plan(query, this.#known());
    } catch (error) {
      return error;
    }
    return new ZonemeterError("internal", "A query was stopped at the wall, and its plan is not refused.");
  }

  /** What the audience may know of now: timeseries come to be while samples are stored. One query sees one catalogue from beginning to end. */
  #known(): Catalogue {
    const { audience, catalogue, logger } = this.#options;
    const known = knownTo(audience, catalogue);
    const surplus = catalogue.size - known.size;
    if (surplus > this.#surplus)
      logger.error(
        { wall: "catalogue", audience, surplus },
        "a catalogue holds timeseries that its audience must not know of; they are left out",
      );
    this.#surplus = surplus;
    return known;
  }

  async #counted<T>(name: string, work: () => Promise<T>): Promise<T> {
    const own = this.#running.get(name) ?? 0;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= QUERY_CONCURRENCY_OF_ONE || all >= QUERY_CONCURRENCY) {
      const most = own >= QUERY_CONCURRENCY_OF_ONE ? `${own} queries of one principal` : `${all} queries`;
      throw new ZonemeterError("unavailable", `${most} are running already, the most at once: ask again when one has ended.`, {
        kind: TOO_MANY,
      });
    }
    this.#running.set(name, own + 1);
    try {
      return await work();
    } finally {
      const left = this.#running.get(name)! - 1;
      if (left === 0) this.#running.delete(name);
      else this.#running.set(name, left);
    }
  }
}

function tooLong(cause: ZonemeterError): ZonemeterError {
  const seconds = QUERY_TIMEOUT_MS / 1_000;
  const text = `The query did not finish within ${seconds} s, the most that one may take: ask for a shorter time or fewer timeseries.`;
  return new ZonemeterError("unavailable", text, { cause, kind: TOO_LONG });
}
