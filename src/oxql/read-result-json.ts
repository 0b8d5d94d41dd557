import { FIELD_TYPES, fieldSet, isIntegerType, ZonemeterError, type FieldSet, type FieldValue } from "../core/index.ts";
import { longInteger, parseExactJson } from "./exact-json.ts";
import { TimeParser } from "./parse-times.ts";
import type { Column, Dimension, Distribution, MetricType, Points, Table, Timeseries } from "./table.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads an OxqlQueryResult: what `tablesToJson` writes, or an upstream server. Integers are exact at any size. Alignments are not in
 * the text, so they are null. Throws ZonemeterError `invalid_input` where the text is something else, saying what and where.
 */
export function readResultJson(text: string): Table[] {
  return new ResultReader().tables(parseExactJson(text));
}

class ResultReader {
  readonly #times = new TimeParser();

  tables(value: unknown): Table[] {
    const { tables } = object(value, "the answer");
    return list(tables, "tables").map((table, index) => {
      const where = `tables[${index}]`;
      const { name, timeseries } = object(table, where);
      // Releases until mid 2025 wrote an object with numeric keys.
      const all = Array.isArray(timeseries) ? timeseries : Object.values(object(timeseries, `${where}.timeseries`));
      return {
        name: string(name, `${where}.name`),
        timeseries: all.map((each, at) => this.#timeseries(each, `${where}.timeseries[${at}]`)),
      };
    });
  }

  #timeseries(value: unknown, where: string): Timeseries {
    const { fields, points } = object(value, where);
    return { fields: readFields(fields, `${where}.fields`), points: this.#points(points, `${where}.points`), alignment: null };
  }

  #points(value: unknown, where: string): Points {
    const { start_times: starts, timestamps, values } = object(value, where);
    const timestampsNs = this.#timesOf(timestamps, `${where}.timestamps`);
    const startTimesNs = starts === null || starts === undefined ? null : this.#timesOf(starts, `${where}.start_times`);
    const dimensions = list(values, `${where}.values`).map((each, index) => readDimension(each, `${where}.values[${index}]`));
    const uneven = dimensions.some((dimension) => dimension.values.values.length !== timestampsNs.length);
    if (uneven || (startTimesNs !== null && startTimesNs.length !== timestampsNs.length))
      throw unexpected(where, "columns of one length", value);
    return { startTimesNs, timestampsNs, dimensions };
  }

  #timesOf(value: unknown, where: string): BigInt64Array {
    const texts = list(value, where);
    const times = new BigInt64Array(texts.length);
    const bad = this.#times.parseInto(times, texts);
    if (bad !== null) throw unexpected(`${where}[${bad}]`, "an RFC 3339 time", texts[bad]);
    return times;
  }
}

function readFields(value: unknown, where: string): FieldSet {
  return fieldSet(Object.entries(object(value, where)).map(([name, field]) => ({ name, value: readField(field, `${where}.${name}`) })));
}

function readField(field: unknown, where: string): FieldValue {
  const { type: wanted, value } = object(field, where);
  const type = FIELD_TYPES.find((known) => known === wanted);
  if (type === undefined) throw unexpected(`${where}.type`, `one of ${FIELD_TYPES.join(", ")}`, wanted);
  if (isIntegerType(type)) return { type, value: integer(value, `${where}.value`) };
  if (type !== "bool") return { type, value: string(value, `${where}.value`) };
  if (typeof value !== "boolean") throw unexpected(`${where}.value`, "true or false", value);
  return { type, value };
}

function readDimension(value: unknown, where: string): Dimension {
  const { metric_type: metricType, values } = object(value, where);
  if (metricType !== "gauge" && metricType !== "delta" && metricType !== "cumulative") {
    throw unexpected(`${where}.metric_type`, "gauge, delta or cumulative", metricType);
  }
  return { metricType: metricType satisfies MetricType, values: readColumn(values, `${where}.values`) };
}

function readColumn(value: unknown, where: string): Column {
  const { type, values } = object(value, where);
  const entries = list(values, `${where}.values`);
  const present = entries.includes(null) ? Uint8Array.from(entries, (entry) => (entry === null ? 0 : 1)) : null;
  const read = <T>(missing: T, readOne: (entry: unknown, where: string) => T): T[] =>
    entries.map((entry, index) => (entry === null ? missing : readOne(entry, `${where}.values[${index}]`)));
  switch (type) {
    case "integer":
      return { type, values: integerColumn(read(0n, integer)), present };
    case "double":
      return { type, values: Float64Array.from(read(0, double)), present };
    case "boolean":
      return { type, values: read(false, boolean), present };
    case "string":
      return { type, values: read("", string), present };
    case "integer_distribution":
      return { type, values: read<Distribution<bigint> | null>(null, (entry, at) => readDistribution(entry, at, integer)), present };
    case "double_distribution":
      return { type, values: read<Distribution<number> | null>(null, (entry, at) => readDistribution(entry, at, double)), present };
    default:
      throw unexpected(`${where}.type`, "a data type", type);
  }
}

function integerColumn(values: bigint[]): ArrayLike<bigint> {
  return values.every((value) => value === BigInt.asIntN(64, value)) ? BigInt64Array.from(values) : values;
}

function readDistribution<T extends bigint | number>(
  value: unknown,
  where: string,
  number: (entry: unknown, where: string) => T,
): Distribution<T> {
  const parts = object(value, where);
  const numbers = <N>(name: string, read: (entry: unknown, where: string) => N): N[] =>
    list(parts[name], `${where}.${name}`).map((entry, index) => read(entry, `${where}.${name}[${index}]`));
  const orNull = <N>(name: string, read: (entry: unknown, where: string) => N): N | null =>
    parts[name] === null || parts[name] === undefined ? null : read(parts[name], `${where}.${name}`);
  return {
    bins: numbers("bins", number),
    counts: numbers("counts", integer),
    min: orNull("min", number),
    max: orNull("max", number),
    sumOfSamples: number(parts["sum_of_samples"], `${where}.sum_of_samples`),
    squaredMean: double(parts["squared_mean"], `${where}.squared_mean`),
    p50: orNull("p50", double),
    p90: orNull("p90", double),
    p99: orNull("p99", double),
  };
}

function object(value: unknown, where: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw unexpected(where, "an object", value);
}

function list(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unexpected(where, "a list", value);
}

function string(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw unexpected(where, "a string", value);
}

function boolean(value: unknown, where: string): boolean {
  if (typeof value === "boolean") return value;
  throw unexpected(where, "true or false", value);
}

function integer(value: unknown, where: string): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  const long = longInteger(value);
  if (long !== null) return long;
  throw unexpected(where, "an integer", value);
}

function double(value: unknown, where: string): number {
  if (typeof value === "number") return value;
  const long = longInteger(value);
  if (long !== null) return Number(long);
  throw unexpected(where, "a number", value);
}

function unexpected(where: string, wanted: string, value: unknown): ZonemeterError {
  const shown =
    typeof value === "object" && value !== null
      ? Array.isArray(value)
        ? "a list"
        : "an object"
      : typeof value === "string"
        ? JSON.stringify(value.slice(0, 40))
        : String(value);
  return new ZonemeterError(
    "invalid_input",
    `The answer is not an OxQL result: ${where} should be ${wanted} and is ${shown}; is the URL that of a query API?`,
  );
}
