import {
  compareNames,
  datumTypeOf,
  STORE_LEARNED_TIMESERIES,
  TIMESERIES_NAME_PATTERN,
  type Clock,
  type FieldSchema,
  type Sample,
  type TimeseriesSchema,
  type Visibility,
} from "../core/index.ts";
import { ask } from "./ask.ts";
import type { Engine } from "./engine.ts";
import { identifier, tableName } from "./literal.ts";
import { NARROW_TABLES, type NarrowDatabase } from "./narrow-tables.ts";
import { datumTypeNumber, datumTypeOfNumber, fieldTypeNumber, fieldTypeOf } from "./narrow-types.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";
import { RowBinaryWriter } from "./row-binary-writer.ts";

/** Lengths that upstream's own check allows. */
const NAME_MAX_BYTES = 128;
const FIELD_NAME_MAX_BYTES = 64;

const COLUMNS = NARROW_TABLES.find(({ name }) => name === "timeseries_schema")!.columns;

interface Known {
  readonly schema: TimeseriesSchema;
  stored: boolean;
}

/**
 * What `timeseries_schema` of one database says. A name that nothing declares gets the schema of its first sample, for good, as upstream
 * does it. The table holds no descriptions, units or scopes.
 */
export class NarrowSchemas {
  readonly #engine: Engine;
  readonly #database: NarrowDatabase;
  readonly #visibility: Visibility;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  #version = 0;

  constructor(engine: Engine, database: NarrowDatabase, visibility: Visibility, clock: Clock) {
    this.#engine = engine;
    this.#database = database;
    this.#visibility = visibility;
    this.#clock = clock;
  }

  /** Reads what other processes may have added. Of rows of one name, the one that was made first counts. */
  async load(): Promise<void> {
    const names = COLUMNS.map(({ name }) => identifier(name)).join(", ");
    const text = `SELECT ${names} FROM ${tableName(this.#database.name, "timeseries_schema")} ORDER BY created`;
    const reader = new RowBinaryReader(await ask(this.#engine, text));
    while (!reader.atEnd) {
      const name = reader.string();
      const fieldNames = reader.array(() => reader.string());
      const types = reader.array(() => fieldTypeOf(reader.u8()));
      const sources = reader.array(() => (reader.u8() === 1 ? ("target" as const) : ("metric" as const)));
      const datumType = datumTypeOfNumber(reader.u8());
      reader.i64();
      const known = this.#known.get(name);
      if (known !== undefined) known.stored = true;
      if (known !== undefined || datumType === undefined || types.includes(undefined)) continue;
      const fields = fieldNames.map((field, i): FieldSchema => plainField(field, types[i]!, sources[i]!));
      this.#add(plainSchema(name, datumType, fields, this.#visibility), true);
    }
  }

  /** Grows with every timeseries that comes to be known. */
  get version(): number {
    return this.#version;
  }

  get(timeseriesName: string): TimeseriesSchema | undefined {
    return this.#known.get(timeseriesName)?.schema;
  }

  all(): TimeseriesSchema[] {
    return [...this.#known.values()].map(({ schema }) => schema);
  }

  /** Takes a schema where its name is new; returns what there is of that name. */
  admit(schema: TimeseriesSchema): TimeseriesSchema {
    const known = this.#known.get(schema.timeseriesName);
    if (known !== undefined) return known.schema;
    this.#add(schema, false);
    return schema;
  }

  /** The schema of a name that nothing declares, or what its first sample makes it; or why there can be none, as the end of a sentence. */
  propose(sample: Sample): TimeseriesSchema | string {
    const known = this.#known.get(sample.timeseriesName);
    if (known !== undefined) return known.schema;
    const { metric, target, timeseriesName } = sample;
    if (!TIMESERIES_NAME_PATTERN.test(timeseriesName) || Buffer.byteLength(timeseriesName) > NAME_MAX_BYTES)
      return `has a name that is none: it must be target:metric, of at most ${NAME_MAX_BYTES} bytes`;
    const fields = [
      ...target.fields.map(({ name, value }) => plainField(name, value.type, "target")),
      ...metric.fields.map(({ name, value }) => plainField(name, value.type, "metric")),
    ].sort((a, b) => compareNames(a.name, b.name));
    if (fields.some(({ name }) => name === "" || Buffer.byteLength(name) > FIELD_NAME_MAX_BYTES))
      return `has a field whose name is empty or longer than ${FIELD_NAME_MAX_BYTES} bytes`;
    if (new Set(fields.map(({ name }) => name)).size < fields.length) return "has a field twice, or in both target and metric";
    if (this.#known.size >= STORE_LEARNED_TIMESERIES)
      return `would be one more than the ${STORE_LEARNED_TIMESERIES} timeseries that can be learned from samples; declare those that are wanted`;
    return plainSchema(timeseriesName, datumTypeOf(sample.datum), fields, this.#visibility);
  }

  #add(schema: TimeseriesSchema, stored: boolean): void {
    this.#known.set(schema.timeseriesName, { schema, stored });
    this.#version += 1;
  }

  /** Stores the rows that these names lack: no sample is stored before its schema. */
  async store(timeseriesNames: Iterable<string>): Promise<void> {
    const missing = [...timeseriesNames].map((name) => this.#known.get(name)!).filter(({ stored }) => !stored);
    if (missing.length === 0) return;
    const writer = new RowBinaryWriter(missing.length * 512);
    for (const { schema } of missing) {
      writer.string(schema.timeseriesName);
      writer.array(schema.fields, ({ name }) => writer.string(name));
      writer.array(schema.fields, ({ type }) => writer.u8(fieldTypeNumber(type)));
      writer.array(schema.fields, ({ source }) => writer.u8(source === "target" ? 1 : 2));
      writer.u8(datumTypeNumber(schema.datumType));
      writer.i64(this.#clock.wallNs());
    }
    await this.#engine.insert({
      table: tableName(this.#database.name, "timeseries_schema"),
      columns: COLUMNS,
      rows: writer.bytes(),
      token: null,
    });
    for (const known of missing) known.stored = true;
  }
}

function plainField(name: string, type: FieldSchema["type"], source: FieldSchema["source"]): FieldSchema {
  return { name, type, source, description: "", values: null };
}

function plainSchema(
  timeseriesName: string,
  datumType: TimeseriesSchema["datumType"],
  fields: readonly FieldSchema[],
  visibility: Visibility,
): TimeseriesSchema {
  const colon = timeseriesName.indexOf(":");
  return {
    timeseriesName,
    targetName: timeseriesName.slice(0, colon),
    metricName: timeseriesName.slice(colon + 1),
    version: 1,
    targetDescription: "",
    metricDescription: "",
    authzScope: "fleet",
    visibility,
    units: "none",
    datumType,
    fields: [...fields].sort((a, b) => compareNames(a.name, b.name)),
  };
}
