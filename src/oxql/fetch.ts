import { QUERY_CONCURRENT_SELECTS, ZonemeterError, type TimeseriesSchema } from "../core/index.ts";
import type { Get } from "./ast.ts";
import type { OxqlData, Selection, SelectRequest, StatementSummary } from "./data.ts";
import { Gate } from "./gate.ts";
import { isPresent } from "./points.ts";
import type { Needed } from "./pushdown.ts";
import { queryError } from "./query-error.ts";
import { selectRequest } from "./select-request.ts";
import type { GroupRequest, GroupSelection, WindowRequest, WindowRows, WindowSelection } from "./window-data.ts";

export interface Fetched {
  readonly series: Selection["series"];
  readonly statements: readonly StatementSummary[];
  /** What was asked for, in the end. */
  readonly request: SelectRequest;
}

type Asked = Pick<SelectRequest, "schema" | "alternatives">;

/** Fetches the samples of one query's gets, a few at a time, and counts the rows of all of them against one limit. */
export class Fetch {
  rows = 0;
  readonly #data: OxqlData;
  readonly #maxRows: number;
  readonly #stop: AbortController;
  readonly #signal: AbortSignal;
  readonly #gate = new Gate(QUERY_CONCURRENT_SELECTS);

  /** `stop` is fired when a selection fails, before the next one begins; `signal` fires with it, and for other reasons. */
  constructor(data: OxqlData, maxRows: number, stop: AbortController, signal: AbortSignal) {
    this.#data = data;
    this.#maxRows = maxRows;
    this.#stop = stop;
    this.#signal = signal;
  }

  /** What is needed of a get. Throws `row_limit` where that is too much, or what the data source throws. */
  async get(get: Get, schema: TimeseriesSchema, needed: Needed): Promise<Fetched> {
    let fetched = await this.#select(get, schema, needed, 1);
    // Where a limit cut a counter off at a missing sample, the first difference lacks what it is taken from: reach further back.
    for (let extra = 16; cutAtMissing(fetched); extra *= 4) {
      const more = await this.#select(get, schema, needed, extra);
      fetched = { ...more, statements: [...fetched.statements, ...more.statements] };
    }
    return fetched;
  }

  /** The samples of a get put together by window, or null where the data source leaves that to us. Throws like `get`. */
  windows(get: Get, request: WindowRequest): Promise<WindowSelection | null> {
    return this.#gate.run(async () => {
      this.#signal.throwIfAborted();
      const bounded = { ...request, maxRows: this.#maxRows - this.rows };
      return this.#counted(get, bounded, async () => {
        const selection = (await this.#data.selectWindows?.(bounded, this.#signal)) ?? null;
        return { value: selection, rows: windowsIn(selection) };
      });
    });
  }

  /** Groups of a get's aligned timeseries, or null where the data source leaves that to us. Throws like `get`. */
  groups(get: Get, request: GroupRequest): Promise<GroupSelection | null> {
    return this.#gate.run(async () => {
      this.#signal.throwIfAborted();
      const bounded = { ...request, maxRows: this.#maxRows - this.rows };
      return this.#counted(get, bounded, async () => {
        const selection = (await this.#data.selectGroups?.(bounded, this.#signal)) ?? null;
        return { value: selection, rows: groupRowsIn(selection) };
      });
    });
  }

  /** Takes back the rows of a selection that was not good enough: the samples themselves follow. */
  dismiss(selection: WindowSelection): void {
    this.rows -= windowsIn(selection);
  }

  dismissGroups(selection: GroupSelection): void {
    this.rows -= groupRowsIn(selection);
  }

  #select(get: Get, schema: TimeseriesSchema, needed: Needed, extra: number): Promise<Fetched> {
    return this.#gate.run(async () => {
      this.#signal.throwIfAborted();
      const request = selectRequest(schema, needed, this.#maxRows - this.rows, extra);
      return this.#counted(get, request, async () => {
        const { series, statements } = await this.#data.select(request, this.#signal);
        return {
          value: { series, statements, request },
          rows: series.reduce((rows, { timestampsNs }) => rows + timestampsNs.length, 0),
        };
      });
    });
  }

  async #counted<T>(get: Get, request: Asked, select: () => Promise<{ value: T; rows: number }>): Promise<T> {
    try {
      const { value, rows } = await select();
      this.rows += rows;
      if (this.rows > this.#maxRows) throw this.#tooManyRows(get, request);
      return value;
    } catch (error) {
      const reason = error instanceof ZonemeterError && error.code === "limit" ? this.#tooManyRows(get, request) : error;
      // Before the gate lets the next one in, so that it does not begin.
      this.#stop.abort(reason);
      throw reason;
    }
  }

  #tooManyRows(get: Get, { schema, alternatives }: Asked): ZonemeterError {
    const bounded = alternatives.length > 0 && alternatives.every(({ times }) => times.some(({ operator }) => operator.startsWith(">")));
    const range = bounded ? "shorten its time range" : "give it a lower time bound, such as filter timestamp > @now() - 1h";
    const fields = schema.fields.map(({ name }) => name).join(", ");
    const narrow = fields === "" ? range : `${range}, or filter on its fields (${fields})`;
    const sentence = `The query would fetch more than ${this.#maxRows} rows, and ${get.timeseriesName} brings it over: ${narrow}.`;
    return queryError("row_limit", sentence, get.position);
  }
}

/** True where the oldest sample that a `last` limit left of a counter is a missing one. */
function cutAtMissing({ series, request: { limit } }: Fetched): boolean {
  if (limit?.end !== "last") return false;
  return series.some(({ startTimesNs, values }) => startTimesNs !== null && values.values.length >= limit.count && !isPresent(values, 0));
}

function groupRowsIn(selection: GroupSelection | null): number {
  return selection?.groups.reduce((sum, { windows }) => sum + windows.length, 0) ?? 0;
}

function windowsIn(selection: WindowSelection | null): number {
  const runs = selection?.series.flatMap((series): readonly WindowRows[] => (series.kind === "gauge" ? [series] : series.incarnations));
  return runs?.reduce((sum, { firstTimesNs }) => sum + firstTimesNs.length, 0) ?? 0;
}
