import { hasStartTime, QUERY_MAX_ROWS, type Catalogue, type TimeseriesSchema } from "../core/index.ts";
import type { Get, Group, Operation, Query } from "./ast.ts";
import { checkFilter } from "./check-filter.ts";
import { outputOf } from "./check-operations.ts";
import type { SelectRequest } from "./data.ts";
import type { Dialect } from "./dialect.ts";
import { refuseFullScans } from "./full-scan.ts";
import { requireKnown } from "./known-timeseries.ts";
import { EVERYTHING, neededOfFirst, type Needed } from "./pushdown.ts";
import { queryError, withPlace } from "./query-error.ts";
import { selectRequest } from "./select-request.ts";
import { schemaOfGet, type TableSchema } from "./table-schema.ts";
import { windowedBeginning, type WindowedBeginning } from "./windowed-beginning.ts";

/** What a query will do and give, found without data. */
export interface Plan {
  /** The output, in order. */
  readonly tables: readonly TableSchema[];
  /** In the order of the text. */
  readonly gets: readonly PlannedGet[];
  readonly root: PlanNode;
}

/** What a get asks the store for: the filters and the limit that were pushed to it. */
export interface PlannedGet {
  readonly get: Get;
  readonly schema: TimeseriesSchema;
  readonly request: Pick<SelectRequest, "alternatives" | "limit" | "lookBack">;
  /** Set where a store that can put samples together by window is asked to, and to reduce the timeseries where a group_by follows. */
  readonly pushed: Pick<WindowedBeginning, "align" | "groupBy"> | null;
}

/** A step of the plan with what flows into it, for `printPlan`. A delta is the differencing that follows a counter's get. */
export type PlanNode =
  | { readonly kind: "get"; readonly get: PlannedGet; readonly tables: readonly TableSchema[] }
  | { readonly kind: "delta"; readonly input: PlanNode; readonly tables: readonly TableSchema[] }
  | { readonly kind: "group"; readonly inputs: readonly PlanNode[]; readonly tables: readonly TableSchema[] }
  | { readonly kind: "operation"; readonly operation: Operation; readonly input: PlanNode; readonly tables: readonly TableSchema[] };

export interface PlanOptions {
  /** The default is `zonemeter`. */
  readonly dialect?: Dialect;
  /** Whether the store can put samples together by window, and reduce the timeseries of a group. */
  readonly windows?: boolean;
}

/**
 * Checks a query against the timeseries that one principal knows, and says what it gives. Throws ZonemeterError `query` at the first
 * error: an unknown timeseries anywhere, then operations in order, then filters that are too complex, then gets that would read all.
 */
export function plan(query: Query, catalogue: Catalogue, options: PlanOptions = {}): Plan {
  return withPlace(query.text, () => {
    requireKnown(query, catalogue);
    const planner = new Planner(query.text, catalogue, options);
    planner.check(query);
    const root = planner.query(query, EVERYTHING);
    refuseFullScans(query, catalogue);
    return { tables: root.tables, gets: planner.gets, root };
  });
}

/** The tables that come out of the pipeline so far; throws as `plan` does for types, but lets full scans pass. */
export function tablesOf(query: Query, catalogue: Catalogue): readonly TableSchema[] {
  requireKnown(query, catalogue);
  return new Planner(query.text, catalogue, {}).check(query);
}

class Planner {
  readonly gets: PlannedGet[] = [];
  readonly #text: string;
  readonly #catalogue: Catalogue;
  readonly #dialect: Dialect;
  readonly #windows: boolean;
  /** What comes out of each operation. */
  readonly #outputs = new Map<Operation, readonly TableSchema[]>();

  constructor(text: string, catalogue: Catalogue, { dialect = "zonemeter", windows = false }: PlanOptions) {
    this.#text = text;
    this.#catalogue = catalogue;
    this.#dialect = dialect;
    this.#windows = windows && dialect !== "upstream";
  }

  /** Types: what comes out of the query. Pushing down comes after, since it relies on names meaning what they should. */
  check({ operations }: Query): readonly TableSchema[] {
    let tables: readonly TableSchema[] = [];
    for (const operation of operations) {
      tables = this.#output(operation, tables);
      this.#outputs.set(operation, tables);
    }
    return tables;
  }

  #output(operation: Operation, tables: readonly TableSchema[]): readonly TableSchema[] {
    switch (operation.kind) {
      case "get":
        return [this.#tableOfGet(operation)];
      case "group":
        return operation.queries.flatMap((query) => this.check(query));
      case "filter":
        checkFilter(operation, tables, { catalogue: this.#catalogue, dialect: this.#dialect, text: this.#text });
        return tables;
      default:
        return outputOf(operation, tables, this.#dialect, this.#text);
    }
  }

  #tableOfGet({ timeseriesName, position }: Get): TableSchema {
    const table = schemaOfGet(this.#catalogue.get(timeseriesName)!);
    if (table !== null) return table;
    throw queryError("not_implemented", `${timeseriesName} holds bytes, which OxQL has no type for.`, position);
  }

  /** The tree of a checked query. `after` is what is needed of its output. */
  query({ operations }: Query, after: Needed): PlanNode {
    const [first, ...others] = operations as [Get | Group, ...Operation[]];
    const needed = neededOfFirst(operations, after);
    const start = first.kind === "group" ? this.#group(first, needed) : this.#get(first, needed, this.#pushed(operations, after));
    return others.reduce<PlanNode>(
      (input, operation) => ({ kind: "operation", operation, input, tables: this.#outputs.get(operation)! }),
      start,
    );
  }

  #group(group: Group, needed: Needed): PlanNode {
    const inputs = group.queries.map((query) => this.query(query, needed));
    return { kind: "group", inputs, tables: this.#outputs.get(group)! };
  }

  /** What of a query that begins with a get is done where the samples lie, beside choosing them. */
  #pushed(operations: readonly Operation[], after: Needed): PlannedGet["pushed"] {
    if (!this.#windows) return null;
    const schema = this.#catalogue.get((operations[0] as Get).timeseriesName)!;
    return windowedBeginning(operations, schema, after, QUERY_MAX_ROWS);
  }

  #get(get: Get, needed: Needed, pushed: PlannedGet["pushed"]): PlanNode {
    const schema = this.#catalogue.get(get.timeseriesName)!;
    const { alternatives, limit, lookBack } = selectRequest(schema, needed, QUERY_MAX_ROWS);
    const planned: PlannedGet = { get, schema, request: { alternatives, limit, lookBack }, pushed };
    this.gets.push(planned);
    const tables = this.#outputs.get(get)!;
    const node: PlanNode = { kind: "get", get: planned, tables };
    return hasStartTime(schema.datumType) ? { kind: "delta", input: node, tables } : node;
  }
}
