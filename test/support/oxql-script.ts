import {
  fieldSet,
  isIntegerType,
  parseDurationNs,
  type DatumType,
  type FieldSet,
  type FieldType,
  type TimeseriesSchema,
} from "../../src/core/index.ts";
import type { StoredSample, StoredSeries, StoredValue } from "./memory-data.ts";

/** The day that all times of day in a script belong to. */
export const SCRIPT_DAY = "2030-01-01";
const MIDNIGHT_NS = BigInt(Date.parse(`${SCRIPT_DAY}T00:00:00Z`)) * 1_000_000n;

/** One `case` of a script with everything it runs on. The language of scripts is told in `test/oxql/README.md`. */
export interface ScriptCase {
  readonly title: string;
  readonly line: number;
  readonly nowNs: bigint;
  readonly schemas: readonly TimeseriesSchema[];
  readonly series: readonly StoredSeries[];
  readonly limits: { maxRows?: number; maxPoints?: number };
  readonly dialect: "zonemeter" | "upstream";
  readonly query: string;
  readonly expected: readonly ExpectedTable[];
  /** Set where the query is to be refused. */
  readonly fails: { readonly kind: string; readonly words: string } | null;
}

export interface ExpectedTable {
  readonly name: string;
  readonly timeseries: readonly ExpectedSeries[];
}

export interface ExpectedSeries {
  readonly fields: FieldSet;
  readonly points: readonly ExpectedPoint[];
}

export interface ExpectedPoint {
  /** Null for gauges. */
  readonly startTimeNs: bigint | null;
  readonly timestampNs: bigint;
  /** Words as written, one for each dimension; null for a missing value. */
  readonly values: readonly (string | null)[];
}

interface Block {
  readonly line: number;
  readonly text: string;
}

type Draft = { -readonly [K in keyof ScriptCase]: ScriptCase[K] };

const SERIES = /^(\S+) \{(.*?)\}(?: start (\S+))? every (\S+) from (\S+):(.*)$/;

/** Reads the text of a script. Throws an Error that names the line. */
export function parseScript(text: string): ScriptCase[] {
  const reader = new ScriptReader();
  for (const block of blocks(text)) {
    try {
      reader.read(block);
    } catch (error) {
      throw new Error(`line ${block.line}: ${(error as Error).message}`, { cause: error });
    }
  }
  return reader.cases;
}

/** Statements: a line and the indented ones below it. */
function blocks(text: string): Block[] {
  const found: { line: number; text: string }[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    if (raw.trim() === "" || raw.startsWith("#")) continue;
    if (/^\s/.test(raw)) found.at(-1)!.text += ` ${raw.trim()}`;
    else found.push({ line: index + 1, text: raw.trim() });
  }
  return found;
}

class ScriptReader {
  readonly cases: Draft[] = [];
  #nowNs = MIDNIGHT_NS;
  #schemas: TimeseriesSchema[] = [];
  #series: StoredSeries[] = [];

  read({ line, text }: Block): void {
    const [, word, rest] = /^(\S+) ?(.*)$/.exec(text)! as unknown as [string, string, string];
    switch (word) {
      case "clear":
        this.#schemas = [];
        this.#series = [];
        return;
      case "now":
        this.#nowNs = timeOfDay(rest);
        return;
      case "schema":
        this.#schemas = [...this.#schemas, schemaOf(rest)];
        return;
      case "load":
        this.#series = [...this.#series, this.#load(rest)];
        return;
      case "case":
        this.cases.push({
          title: rest,
          line,
          nowNs: this.#nowNs,
          schemas: this.#schemas,
          series: this.#series,
          limits: {},
          dialect: "zonemeter",
          query: "",
          expected: [],
          fails: null,
        });
        return;
      default:
        this.#readOfCase(word, rest);
    }
  }

  #readOfCase(word: string, rest: string): void {
    const current = this.cases.at(-1);
    if (current === undefined) throw new Error(`"${word}" before the first case`);
    switch (word) {
      case "query":
        current.query = rest;
        return;
      case "dialect":
        current.dialect = rest as Draft["dialect"];
        return;
      case "limit": {
        const [what, count] = rest.split(" ");
        current.limits[what === "rows" ? "maxRows" : "maxPoints"] = Number(count);
        return;
      }
      case "expect":
        current.expected = this.#expect(current.expected, rest);
        return;
      case "fails": {
        const [, kind, words] = /^(\S+)(?: (.*))?$/.exec(rest)! as unknown as [string, string, string | undefined];
        current.fails = { kind, words: words ?? "" };
        return;
      }
      default:
        throw new Error(`"${word}" is no statement`);
    }
  }

  #load(text: string): StoredSeries {
    const { name, fields, points } = this.#seriesLine(text);
    const schema = this.#schema(name);
    const samples = points.map((point): StoredSample => ({
      startTimeNs: point.startTimeNs,
      timestampNs: point.timestampNs,
      value: stored(point.values[0]!, schema.datumType),
    }));
    return { timeseriesName: name, fields, samples };
  }

  #expect(tables: readonly ExpectedTable[], text: string): ExpectedTable[] {
    const nothing = /^(\S+) nothing$/.exec(text);
    if (nothing !== null) return [...tables, { name: nothing[1]!, timeseries: [] }];
    const { name, fields, points } = this.#seriesLine(text);
    const last = tables.at(-1);
    if (last?.name !== name) return [...tables, { name, timeseries: [{ fields, points }] }];
    return [...tables.slice(0, -1), { name, timeseries: [...last.timeseries, { fields, points }] }];
  }

  #seriesLine(text: string): { name: string; fields: FieldSet; points: ExpectedPoint[] } {
    const match = SERIES.exec(text);
    if (match === null) throw new Error(`"${text}" is not: NAME {FIELDS} [start TIME] every STEP from TIME: VALUES`);
    const [, name, fields, start, step, from, values] = match as unknown as [
      string,
      string,
      string,
      string | undefined,
      string,
      string,
      string,
    ];
    const points = pointsOf(values, start === undefined ? null : timeOfDay(start), timeOfDay(from), parseDurationNs(step, "the step"));
    return { name, fields: readFields(fields, this.#schema(name.split(",")[0]!)), points };
  }

  #schema(name: string): TimeseriesSchema {
    const schema = this.#schemas.find((known) => known.timeseriesName === name);
    if (schema === undefined) throw new Error(`there is no schema ${name}`);
    return schema;
  }
}

/** `NAME TYPE [FIELD:TYPE …]` */
function schemaOf(text: string): TimeseriesSchema {
  const [name, datumType, ...fields] = text.split(" ") as [string, DatumType, ...string[]];
  return testSchema(name, datumType, Object.fromEntries(fields.map((field) => field.split(":") as [string, FieldType])));
}

/** A schema with nothing but names and types. */
export function testSchema(timeseriesName: string, datumType: DatumType, fields: Readonly<Record<string, FieldType>>): TimeseriesSchema {
  const [targetName, metricName] = timeseriesName.split(":") as [string, string];
  const described = Object.entries(fields).map(([name, type]) => ({
    name,
    type,
    source: "target" as const,
    description: "",
    values: null,
  }));
  return {
    timeseriesName,
    targetName,
    metricName,
    version: 1,
    targetDescription: "",
    metricDescription: "",
    authzScope: "fleet",
    visibility: "operator_only",
    units: "none",
    datumType,
    fields: described.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** `node="n1", slot=1` */
function readFields(text: string, schema: TimeseriesSchema): FieldSet {
  const written = [...text.matchAll(/(\w+)=("[^"]*"|[^,\s]+)/g)].map(([, name, value]) => [name!, value!] as const);
  return fieldSet(
    written.map(([name, value]) => {
      const type = schema.fields.find((field) => field.name === name)?.type;
      if (type === undefined) throw new Error(`${schema.timeseriesName} has no field ${name}`);
      const bare = value.replaceAll('"', "");
      if (isIntegerType(type)) return { name, value: { type, value: BigInt(bare) } };
      return { name, value: type === "bool" ? { type, value: bare === "true" } : { type, value: bare } };
    }),
  );
}

/** Words: a value, `_`, `.`, `VALUExN`, `FIRST+STEPxN`, `^TIME`. */
function pointsOf(text: string, firstStart: bigint | null, fromNs: bigint, stepNs: bigint): ExpectedPoint[] {
  const points: ExpectedPoint[] = [];
  let startTimeNs = firstStart;
  let timestampNs = fromNs;
  for (const word of text.trim().split(/\s+/)) {
    if (word === "") continue;
    if (word.startsWith("^")) {
      startTimeNs = timeOfDay(word.slice(1));
      continue;
    }
    for (const value of expand(word)) {
      if (value !== ".") points.push({ startTimeNs, timestampNs, values: value.split("|").map((each) => (each === "_" ? null : each)) });
      timestampNs += stepNs;
    }
  }
  return points;
}

function expand(word: string): string[] {
  const repeated = /^(-?[\d._]+|\.)(?:([+-]\d[\d.]*))?x(\d+)$/.exec(word);
  if (repeated === null) return [word];
  const [, first, step, count] = repeated as unknown as [string, string, string | undefined, string];
  const whole = !/\d\.\d/.test(first + (step ?? ""));
  return Array.from({ length: Number(count) }, (_, index) => {
    if (step === undefined) return first;
    return whole ? String(BigInt(first) + BigInt(index) * BigInt(step)) : String(Number(first) + index * Number(step));
  });
}

function stored(word: string | null, datumType: DatumType): StoredValue {
  if (word === null) return null;
  if (datumType === "string") return word.replaceAll('"', "");
  if (datumType === "bool") return word === "true";
  return /f32|f64/.test(datumType) ? Number(word) : BigInt(word);
}

function timeOfDay(text: string): bigint {
  const match = /^(-?)(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) throw new Error(`"${text}" is no time of day`);
  const [, sign, hours, minutes, seconds, fraction = ""] = match as unknown as [string, string, string, string, string, string | undefined];
  const ns = (BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds)) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
  return MIDNIGHT_NS + (sign === "-" ? -ns : ns);
}
