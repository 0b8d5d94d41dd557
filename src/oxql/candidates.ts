import { ZonemeterError, type Catalogue } from "../core/index.ts";
import { REDUCERS, type AlignMethod, type Literal, type Operation } from "./ast.ts";
import { literalOfField } from "./check-filter.ts";
import type { Expectation } from "./lexer.ts";
import { tablesOf } from "./plan.ts";
import { quoteString } from "./strings.ts";
import { isDistributionType, schemaOfGet, type TableSchema } from "./table-schema.ts";
import { ALIGN_METHODS, OPERATION_WORDS } from "./words.ts";

export interface Candidate {
  /** What is put in. */
  readonly text: string;
  readonly kind: "operation" | "timeseries" | "name" | "operator" | "value" | "word" | "sign";
  /** One line about it, may be empty. */
  readonly detail: string;
}

/** The cursor's surroundings. */
export interface Surroundings {
  /** What the grammar takes here. */
  readonly expected: readonly Expectation[];
  /** The finished operations before the cursor, of the pipeline that it is in. */
  readonly operations: readonly Operation[];
  /** The text before the word that is being written. */
  readonly before: string;
  readonly catalogue: Catalogue;
}

const OPERATION_DETAILS: Readonly<Record<(typeof OPERATION_WORDS)[number], string>> = {
  get: "select a timeseries",
  filter: "keep what meets a condition",
  align: "put samples on common times",
  group_by: "reduce timeseries with equal fields to one",
  join: "put several tables side by side",
  first: "keep the first samples of each timeseries",
  last: "keep the last samples of each timeseries",
  map: "compute with the columns",
  top: "keep the timeseries with the highest values",
  bottom: "keep the timeseries with the lowest values",
};

const METHOD_DETAILS: Readonly<Record<(typeof ALIGN_METHODS)[number], string>> = {
  mean_within: "mean of the samples in each window",
  rate: "increase of a counter per second",
  interpolate: "value of a gauge at the end of each window",
};

const TIMES = ["@now() - 1h", "@now() - 15m", "@now() - 1d", "@now() - 1w", "@now()", "@now(1m)"];
const DURATIONS = ["10s", "1m", "5m", "15m", "1h", "1d"];
const COUNTS = ["1", "10", "100"];

/** All that may stand there, the most specific first, not yet narrowed to what has been typed. */
export function candidatesFor(surroundings: Surroundings): Candidate[] {
  const tables = knownTables(surroundings);
  const fromLabels = surroundings.expected.flatMap((label) => candidatesOf(label, surroundings, tables));
  const signs = surroundings.expected.filter((label) => label.startsWith('"')).map((label) => tokenCandidate(label.slice(1, -1)));
  return [...fromLabels, ...signs];
}

function candidatesOf(label: Expectation, surroundings: Surroundings, tables: readonly TableSchema[]): Candidate[] {
  switch (label) {
    case "an operation":
      return OPERATION_WORDS.filter((word) => word !== "get").map((word) => candidate(word, "operation", OPERATION_DETAILS[word]));
    case "a timeseries name":
      return [...surroundings.catalogue].map(({ timeseriesName, metricDescription }) =>
        candidate(timeseriesName, "timeseries", metricDescription),
      );
    case "a field or special name":
      return [...fields(tables), ...specialNames(tables)];
    case "a field name":
      return fields(tables);
    case "an expression":
      return [...columns(tables), candidate("ago(", "word", "an earlier value")];
    case "a comparison operator":
      return operators(comparedType(surroundings, tables)).map((text) => candidate(text, "operator", ""));
    case "a literal":
      return literals(surroundings, tables);
    case "a reducer":
      return REDUCERS.map((text) => candidate(text, "word", ""));
    case "an alignment method":
      return methods(tables).map((text) => candidate(`${text}(`, "word", METHOD_DETAILS[text]));
    case "a duration":
      return DURATIONS.map((text) => candidate(text, "value", ""));
    case "a whole number":
      return COUNTS.map((text) => candidate(text, "value", ""));
    default:
      return [];
  }
}

/** What flows into the operation at the cursor; where the text before it has errors, the tables of its gets. */
function knownTables({ operations, catalogue }: Surroundings): readonly TableSchema[] {
  if (operations.length === 0) return [];
  try {
    return tablesOf({ kind: "query", operations, text: "", position: operations[0]!.position }, catalogue);
  } catch (error) {
    if (!(error instanceof ZonemeterError)) throw error;
    return gotTables(operations, catalogue);
  }
}

function gotTables(operations: readonly Operation[], catalogue: Catalogue): TableSchema[] {
  return operations.flatMap((operation) => {
    if (operation.kind === "group") return operation.queries.flatMap((query) => gotTables(query.operations, catalogue));
    const schema = operation.kind === "get" ? catalogue.get(operation.timeseriesName) : undefined;
    return (schema === undefined ? null : schemaOfGet(schema)) ?? [];
  });
}

/** Fields that all tables have: only those can be named for all of them. */
function fields(tables: readonly TableSchema[]): Candidate[] {
  const [first, ...others] = tables;
  if (first === undefined) return [];
  return [...first.fields]
    .filter(([name]) => others.every((table) => table.fields.has(name)))
    .map(([name, type]) => candidate(name, "name", type));
}

function specialNames(tables: readonly TableSchema[]): Candidate[] {
  const names = [candidate("timestamp", "name", "time of the sample")];
  if (tables.length > 0 && tables.every((table) => table.columns.every(({ metricType }) => metricType === "delta")))
    names.push(candidate("start_time", "name", "start of the interval"));
  const comparable = tables.filter((table) => table.columns.every(({ dataType }) => !isDistributionType(dataType)));
  return comparable.length === tables.length ? [...names, ...columns(tables)] : names;
}

function columns(tables: readonly TableSchema[]): Candidate[] {
  const [first] = tables;
  if (first === undefined) return [];
  if (tables.every((table) => table.columns.length === 1)) return [candidate("datum", "name", first.columns[0]!.dataType)];
  return first.columns.map(({ name, dataType }) => candidate(name, "name", dataType));
}

/** Rates are of counters only, and only gauges are interpolated. */
function methods(tables: readonly TableSchema[]): readonly AlignMethod[] {
  const all = tables.flatMap((table) => table.columns);
  const unfit = new Set<AlignMethod>(all.map(({ metricType }) => (metricType === "gauge" ? "rate" : "interpolate")));
  return ALIGN_METHODS.filter((method) => !unfit.has(method));
}

/** The name that an operator or literal at the cursor is for. */
function comparedName(before: string): string {
  return /([a-z0-9_:]+)[ \t\n]*(?:[=!<>~]=|[<>]|in[ \t\n]*\[[^\]]*)?[ \t\n]*$/.exec(before.slice(-1_000))?.[1] ?? "";
}

function comparedType({ before }: Surroundings, tables: readonly TableSchema[]): Literal["type"] | null {
  const name = comparedName(before);
  const table = tables[0];
  const field = table?.fields.get(name);
  if (field !== undefined) return literalOfField(field);
  if (name === "timestamp" || name === "start_time") return "timestamp";
  const column = table?.columns.find((each) => each.name === name) ?? (name === "datum" ? table?.columns[0] : undefined);
  return column === undefined || isDistributionType(column.dataType) ? null : (column.dataType as Literal["type"]);
}

function operators(type: Literal["type"] | null): string[] {
  switch (type) {
    case "string":
      return ["==", "!=", "~=", "<", "<=", ">", ">="];
    case "boolean":
    case "uuid":
    case "ip_addr":
      return ["==", "!="];
    case "timestamp":
      return [">", ">=", "<", "<=", "==", "!="];
    default:
      return ["==", "!=", ">", ">=", "<", "<="];
  }
}

function literals(surroundings: Surroundings, tables: readonly TableSchema[]): Candidate[] {
  const type = comparedType(surroundings, tables);
  if (type === "boolean") return ["true", "false"].map((text) => candidate(text, "value", ""));
  if (type === "timestamp") return TIMES.map((text) => candidate(text, "value", ""));
  if (type !== "string") return [];
  const name = comparedName(surroundings.before);
  const listed = [...surroundings.catalogue]
    .filter(({ timeseriesName }) => tables.some((table) => table.columns.some((column) => column.name === timeseriesName)))
    .flatMap((schema) => schema.fields.filter((field) => field.name === name).flatMap((field) => field.values ?? []));
  return [...new Set(listed)].map((value) => candidate(quoteString(value), "value", ""));
}

function tokenCandidate(token: string): Candidate {
  if (token === "get") return candidate(token, "operation", OPERATION_DETAILS.get);
  return candidate(token, /\w/.test(token) ? "word" : "sign", "");
}

function candidate(text: string, kind: Candidate["kind"], detail: string): Candidate {
  return { text, kind, detail };
}
