import { QUERY_GROUP_WINDOWS, QUERY_MAX_POINTS, QUERY_MAX_ROWS, QUERY_SLICE_POINTS, type Catalogue } from "../core/index.ts";
import type { Align, Get, Group, GroupBy, Operation, Query } from "./ast.ts";
import type { OxqlData, SelectRequest, StatementSummary } from "./data.ts";
import { pointsOf } from "./delta.ts";
import type { Dialect } from "./dialect.ts";
import { Fetch } from "./fetch.ts";
import { firstTimes, windowsInput } from "./operations/align-windows.ts";
import { alignInput, checkPointCount, type AlignInput } from "./operations/align.ts";
import type { OperationContext } from "./operations/context.ts";
import { groupedWindows } from "./operations/grouped-windows.ts";
import { runOperation, type TableOperationNode } from "./operations/run-operation.ts";
import { slices } from "./operations/slices.ts";
import { Windows } from "./operations/windows.ts";
import { Pace } from "./pace.ts";
import { EVERYTHING, neededOfFirst, type Needed } from "./pushdown.ts";
import { queryEnd } from "./query-end.ts";
import { placed, queryError } from "./query-error.ts";
import { asExpression } from "./select-request.ts";
import type { Table, Timeseries } from "./table.ts";
import type { WindowSelection } from "./window-data.ts";
import { windowedBeginning } from "./windowed-beginning.ts";

export interface ExecuteOptions {
  /** What the asking principal may know of; a get of anything else fails as for a name that does not exist. */
  readonly catalogue: Catalogue;
  readonly data: OxqlData;
  /** The clock as read once for this query. */
  readonly nowNs: bigint;
  /** Ends the query, in the store too; `execute` then rejects with its reason. */
  readonly signal: AbortSignal;
  /** `upstream` also refuses what upstream refuses when it runs a query. The default is `zonemeter`. */
  readonly dialect?: Dialect;
  /** For tests; the defaults are those of core/limits.ts. */
  readonly limits?: Partial<ExecuteLimits>;
}

export interface ExecuteLimits {
  readonly maxRows: number;
  readonly maxPoints: number;
  readonly slicePoints: number;
  readonly groupWindows: number;
}

export interface QueryOutcome {
  readonly tables: readonly Table[];
  /** What the store ran, in the order of the query's gets. */
  readonly statements: readonly StatementSummary[];
  /** The instant that alignment windows step back from. */
  readonly endTimeNs: bigint;
  /** Rows that all gets fetched together. */
  readonly rowsFetched: number;
}

type Part = Pick<QueryOutcome, "tables" | "statements">;

/** The beginning of a query, and the operations that are still to run. */
type Begun = Part & { readonly rest: readonly Operation[] };

/**
 * Runs a query that `plan` accepted: fetches what its gets need, a few side by side, and runs every operation in order. Works in
 * slices so that other requests are served meanwhile. Throws ZonemeterError `query` with a kind of QUERY_ERROR_KINDS and the place in
 * the text, or what `data` throws.
 */
export async function execute(query: Query, options: ExecuteOptions): Promise<QueryOutcome> {
  const execution = new Execution(queryEnd(query, options.nowNs), options);
  try {
    const { tables, statements } = await execution.run(query, EVERYTHING);
    return { tables, statements, endTimeNs: execution.endTimeNs, rowsFetched: execution.rowsFetched };
  } catch (error) {
    throw placed(query.text, error);
  }
}

class Execution {
  readonly endTimeNs: bigint;
  readonly #options: ExecuteOptions;
  readonly #limits: ExecuteLimits;
  readonly #context: OperationContext;
  /** Fires when one subquery has failed, so that the others end too. */
  readonly #failed = new AbortController();
  readonly #fetch: Fetch;
  readonly #pace: Pace;

  constructor(endTimeNs: bigint, options: ExecuteOptions) {
    this.endTimeNs = endTimeNs;
    this.#options = options;
    this.#limits = {
      maxRows: QUERY_MAX_ROWS,
      maxPoints: QUERY_MAX_POINTS,
      slicePoints: QUERY_SLICE_POINTS,
      groupWindows: QUERY_GROUP_WINDOWS,
      ...options.limits,
    };
    this.#context = { endTimeNs, maxPoints: this.#limits.maxPoints, dialect: options.dialect ?? "zonemeter" };
    const signal = AbortSignal.any([options.signal, this.#failed.signal]);
    this.#fetch = new Fetch(options.data, this.#limits.maxRows, this.#failed, signal);
    this.#pace = new Pace(signal);
  }

  get rowsFetched(): number {
    return this.#fetch.rows;
  }

  async run(query: Query, afterLast: Needed): Promise<Part> {
    const { tables, statements, rest } = (await this.#windowed(query, afterLast)) ?? (await this.#begun(query, afterLast));
    let current = tables;
    for (const operation of rest) current = await this.#apply(current, operation as TableOperationNode);
    return { tables: current, statements };
  }

  /** The first operation from samples. */
  async #begun({ operations }: Query, afterLast: Needed): Promise<Begun> {
    const [first, ...rest] = operations;
    return { ...(await this.#source(first as Get | Group, neededOfFirst(operations, afterLast))), rest };
  }

  /** Everything up to an align from samples that the store puts together by window; null where that takes the samples themselves. */
  async #windowed({ operations }: Query, afterLast: Needed): Promise<Begun | null> {
    const { catalogue, data } = this.#options;
    const get = operations[0]!;
    if (data.selectWindows === undefined || get.kind !== "get" || this.#context.dialect === "upstream") return null;
    const schema = catalogue.get(get.timeseriesName);
    const { endTimeNs } = this;
    if (schema === undefined || endTimeNs <= 0n || endTimeNs !== BigInt.asIntN(64, endTimeNs)) return null;
    const beginning = windowedBeginning(operations, schema, afterLast, this.#limits.maxRows);
    if (beginning === null) return null;
    const { align, groupBy, request, counts, rest } = beginning;
    const grouped = groupBy === null ? null : await this.#grouped(get, align, groupBy, request);
    if (grouped !== null) return { ...grouped, rest: rest.slice(1) };
    const selection = await this.#fetch.windows(get, { ...request, endTimeNs, periodNs: align.periodNs, counts });
    if (selection === null) return null;
    const aligned = await this.#alignWindows(selection, get.timeseriesName, align);
    if (aligned !== null) return { tables: [aligned], statements: selection.statements, rest };
    this.#fetch.dismiss(selection);
    return null;
  }

  /** An align and the group_by behind it as the store answers them; null where it takes the windows of each timeseries. */
  async #grouped(get: Get, align: Align, groupBy: GroupBy, request: SelectRequest): Promise<Part | null> {
    if (this.#options.data.selectGroups === undefined) return null;
    const { endTimeNs } = this;
    const alignment = { endTimeNs, periodNs: align.periodNs };
    const selection = await this.#fetch.groups(get, {
      ...request,
      ...alignment,
      groupFields: groupBy.fields,
      minWindows: this.#limits.groupWindows,
    });
    if (selection === null) return null;
    const points = selection.groups.reduce((sum, { firstWindow }) => sum + firstWindow + 1, 0);
    if (points > this.#limits.maxPoints) {
      // Which timeseries are too many or too long is said of them one by one.
      this.#fetch.dismissGroups(selection);
      return null;
    }
    const windows = new Windows(endTimeNs, align.periodNs);
    const timeseries: Timeseries[] = [];
    for (const group of selection.groups) {
      await this.#pace.step();
      timeseries.push(groupedWindows(group, groupBy.reducer, windows, alignment));
    }
    return { tables: [{ name: get.timeseriesName, timeseries }], statements: selection.statements };
  }

  async #alignWindows({ series }: WindowSelection, name: string, align: Align): Promise<Table | null> {
    const { endTimeNs } = this;
    const windows = new Windows(endTimeNs, align.periodNs);
    const inputs: AlignInput[] = [];
    for (const each of series) {
      await this.#pace.step();
      const input = windowsInput(each, windows);
      if (input === null) return null;
      inputs.push(input);
    }
    const begins = series.map((each): Timeseries => {
      return { fields: each.fields, points: { startTimesNs: null, timestampsNs: firstTimes(each), dimensions: [] }, alignment: null };
    });
    checkPointCount([{ name, timeseries: begins }], align, this.#context);
    const timeseries: Timeseries[] = [];
    for (const [place, { fields, points }] of begins.entries()) {
      await this.#pace.step();
      const alignment = { endTimeNs, periodNs: align.periodNs };
      timeseries.push(alignInput(fields, inputs[place]!, points.timestampsNs, windows, align.method, alignment));
    }
    return { name, timeseries };
  }

  #source(operation: Get | Group, needed: Needed): Promise<Part> {
    return operation.kind === "get" ? this.#get(operation, needed) : this.#group(operation, needed);
  }

  /** Waits for all subqueries, also after one has failed: nothing is left running. */
  async #group({ queries }: Group, needed: Needed): Promise<Part> {
    const ended = await Promise.allSettled(
      queries.map(async (query) => {
        try {
          return await this.run(query, needed);
        } catch (error) {
          this.#failed.abort(error);
          throw error;
        }
      }),
    );
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason;
    const parts = ended.map((each) => (each as PromiseFulfilledResult<Part>).value);
    return { tables: parts.flatMap(({ tables }) => tables), statements: parts.flatMap(({ statements }) => statements) };
  }

  async #get(get: Get, needed: Needed): Promise<Part> {
    const schema = this.#options.catalogue.get(get.timeseriesName);
    if (schema === undefined) throw queryError("unknown_timeseries", `There is no timeseries "${get.timeseriesName}".`, get.position);
    if (schema.datumType === "bytes") {
      throw queryError("not_implemented", `${get.timeseriesName} holds bytes, which OxQL has no type for.`, get.position);
    }
    const { series: fetched, statements, request } = await this.#fetch.get(get, schema, needed);
    const timeseries: Timeseries[] = [];
    for (const series of fetched) {
      await this.#pace.step();
      timeseries.push({ fields: series.fields, points: pointsOf(series, get.timeseriesName, this.#context.dialect), alignment: null });
    }
    let tables: readonly Table[] = [{ name: get.timeseriesName, timeseries }];
    // Samples from before the range have served their purpose: the range's first differences.
    const asked = request.lookBack ? asExpression(request) : null;
    if (asked !== null) tables = await this.#apply(tables, { kind: "filter", expression: asked, position: get.position });
    return { tables, statements };
  }

  async #apply(tables: readonly Table[], operation: TableOperationNode): Promise<readonly Table[]> {
    await this.#pace.step();
    const parts = slices(tables, operation, this.#limits.slicePoints);
    if (parts === null || parts.every((part) => part.length < 2)) return runOperation(tables, operation, this.#context);
    // The limit is one for all parts.
    if (operation.kind === "align") checkPointCount(tables, operation, this.#context);
    const results: Table[] = [];
    for (const part of parts) {
      const timeseries: Timeseries[] = [];
      for (const table of part) {
        await this.#pace.step();
        for (const result of runOperation([table], operation, this.#context)) timeseries.push(...result.timeseries);
      }
      results.push({ name: part[0]!.name, timeseries });
    }
    return results;
  }
}
