import type { Catalogue, Project, TextPosition } from "../core/index.ts";
import {
  placed,
  queryError,
  type Comparison,
  type Filter,
  type Get,
  type Operation,
  type Query,
  type SelectRequest,
} from "../oxql/index.ts";

const SCOPE_FIELDS = ["silo_id", "project_id"] as const;

/**
 * The query with `filter silo_id == "…"` and `filter project_id == "…"` after every get, at every depth, as upstream inserts them. It is done
 * to the tree: no text of the user's can end up on the other side. Throws ZonemeterError `query` for a timeseries that has no such fields, unless
 * another one is unknown, which counts more.
 */
export function withinProject(query: Query, project: Project, catalogue: Catalogue): Query {
  const gets = getsOf(query);
  const unscoped = gets.find(({ timeseriesName }) => isUnscoped(timeseriesName, catalogue));
  if (unscoped !== undefined && gets.every(({ timeseriesName }) => catalogue.get(timeseriesName) !== undefined)) {
    throw placed(
      query.text,
      queryError(
        "invalid_identifier",
        `${unscoped.timeseriesName} cannot be queried per project: it does not say which project it belongs to.`,
        unscoped.position,
      ),
    );
  }
  return scoped(query, project);
}

function scoped(query: Query, project: Project): Query {
  return {
    ...query,
    operations: query.operations.flatMap((operation): Operation[] => {
      if (operation.kind === "group") return [{ ...operation, queries: operation.queries.map((inner) => scoped(inner, project)) }];
      return operation.kind === "get" ? [operation, ...projectFilters(project, operation.position)] : [operation];
    }),
  };
}

/**
 * The same restriction on what the store is asked for. The language may leave conditions out of a request, where they are too many, and see to
 * them itself; rows of other projects are not even to be counted then.
 */
export function requestWithinProject<R extends Pick<SelectRequest, "alternatives">>(request: R, project: Project): R {
  const position = { offset: 0, length: 0, line: 1, column: 1 };
  const conditions = projectConditions(project, position);
  const alternatives = request.alternatives.length === 0 ? [{ fields: [], times: [] }] : request.alternatives;
  return { ...request, alternatives: alternatives.map(({ fields, times }) => ({ fields: [...fields, ...conditions], times })) };
}

function projectFilters(project: Project, position: TextPosition): Filter[] {
  return projectConditions(project, position).map((expression) => ({ kind: "filter", expression, position }));
}

function projectConditions(project: Project, position: TextPosition): Comparison[] {
  const ids = { silo_id: project.siloId, project_id: project.id };
  return SCOPE_FIELDS.map((identifier) => ({
    kind: "comparison",
    identifier,
    operator: "==",
    literal: { type: "uuid", value: ids[identifier], position },
    position,
  }));
}

function getsOf({ operations }: Query): Get[] {
  return operations.flatMap((operation) => {
    if (operation.kind === "group") return operation.queries.flatMap(getsOf);
    return operation.kind === "get" ? [operation] : [];
  });
}

function isUnscoped(timeseriesName: string, catalogue: Catalogue): boolean {
  const fields = catalogue.get(timeseriesName)?.fields ?? [];
  return SCOPE_FIELDS.some((name) => !fields.some((field) => field.name === name && field.type === "uuid"));
}
