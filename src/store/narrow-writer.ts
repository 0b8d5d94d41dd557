import { createHash } from "node:crypto";
import {
  datumTypeOf,
  isHistogramType,
  STORE_FIELDS_REFRESH_MS,
  STORE_TABLE_SERIES,
  NS_PER_MS,
  timeseriesKey,
  type Clock,
  type DatumType,
  type Field,
  type FieldType,
  type Sample,
  type TimeseriesSchema,
} from "../core/index.ts";
import type { Engine } from "./engine.ts";
import { tableName } from "./literal.ts";
import { NarrowSchemas } from "./narrow-schemas.ts";
import { NARROW_TABLES, type NarrowDatabase } from "./narrow-tables.ts";
import { fieldsTableName, isDated, measurementsTableName } from "./narrow-types.ts";
import { fitsNarrow, writeNarrowDatum, writeNarrowField } from "./narrow-values.ts";
import { RowBinaryWriter } from "./row-binary-writer.ts";
import { Refusals } from "./row-drafts.ts";
import {
  checkFields,
  checkNames,
  checkTime,
  mismatch,
  startTimeOf,
  type CheckedTimeseries,
  type Refusal,
  type TimeBounds,
} from "./sample-resolver.ts";
import type { InsertReport } from "./store.ts";

const ROW_BYTES = 128;

interface Row {
  readonly sample: Sample;
  readonly key: bigint;
}

/** Writes samples into a database of upstream's layout, as upstream unrolls them: field rows of each series, and one measurement row. */
export class NarrowWriter {
  readonly #engine: Engine;
  readonly #database: NarrowDatabase;
  readonly #schemas: NarrowSchemas;
  readonly #declared: (timeseriesName: string) => TimeseriesSchema | undefined;
  readonly #clock: Clock;
  /** When the field rows of a series were last written, by name and key. */
  readonly #written = new Map<string, bigint>();
  readonly #checked = new WeakMap<TimeseriesSchema, CheckedTimeseries>();

  constructor(
    engine: Engine,
    database: NarrowDatabase,
    schemas: NarrowSchemas,
    declared: (timeseriesName: string) => TimeseriesSchema | undefined,
    clock: Clock,
  ) {
    this.#engine = engine;
    this.#database = database;
    this.#schemas = schemas;
    this.#declared = declared;
    this.#clock = clock;
  }

  /** Schemas first, then fields, then measurements, so that no row lacks what tells its meaning. */
  async insert(samples: readonly Sample[], token: string, bounds: TimeBounds): Promise<InsertReport> {
    const refusals = new Refusals();
    const rows: Row[] = [];
    const names = new Set<string>();
    for (const sample of samples) {
      const refusal = this.#refusal(sample, bounds);
      if (refusal !== null) {
        refusals.add(refusal, 1);
        continue;
      }
      names.add(sample.timeseriesName);
      rows.push({
        sample,
        key: timeseriesKey(sample.timeseriesName, sample.target.fields, sample.metric.fields, datumTypeOf(sample.datum)),
      });
    }
    if (rows.length > 0) {
      await this.#schemas.store(names);
      await this.#storeFields(rows);
      await this.#storeMeasurements(rows, token);
    }
    return refusals.report(samples.length);
  }

  #refusal(sample: Sample, bounds: TimeBounds): Refusal | null {
    const declared = this.#declared(sample.timeseriesName);
    const type = datumTypeOf(sample.datum);
    const schema = declared ?? this.#schemas.propose(sample);
    if (typeof schema === "string") return { reason: "unstorable", message: `Timeseries "${sample.timeseriesName}" ${schema}.` };
    if (type !== schema.datumType) return mismatch(sample, `data of type ${type} where its schema has ${schema.datumType}`);
    let checked = this.#checked.get(schema);
    if (checked === undefined) {
      const of = (source: "target" | "metric"): TimeseriesSchema["fields"] => schema.fields.filter((field) => field.source === source);
      this.#checked.set(schema, (checked = { schema, targetFields: of("target"), metricFields: of("metric") }));
    }
    const refusal = checkNames(sample, checked) ?? checkTime(sample, bounds) ?? checkFields(sample, checked);
    if (refusal !== null) return refusal;
    if (sample.datum.type === "missing" && isDated(type) && sample.datum.startTimeNs === null)
      return mismatch(sample, "samples without a value that lack a start time");
    if (!fitsNarrow(sample.datum))
      return mismatch(
        sample,
        isHistogramType(type) ? "histograms without bins, or whose parts do not fit together" : `values that do not fit ${type}`,
      );
    if (!sameShape(schema, this.#schemas.admit(schema)))
      return mismatch(sample, `another schema than the one that database "${this.#database.name}" has had from its first sample`);
    return null;
  }

  /** The rows of series that are new here or were written long ago: they would expire, though measurements go on. */
  async #storeFields(rows: readonly Row[]): Promise<void> {
    const nowNs = this.#clock.wallNs();
    const oldestNs = nowNs - BigInt(STORE_FIELDS_REFRESH_MS) * NS_PER_MS;
    const due = new Map<string, Row>();
    for (const row of rows) {
      const id = `${row.sample.timeseriesName} ${row.key}`;
      const writtenNs = this.#written.get(id);
      // A clock that was set back must not keep rows from being written.
      if (writtenNs === undefined || writtenNs <= oldestNs || writtenNs > nowNs) due.set(id, row);
    }
    if (due.size === 0) return;
    const byType = new Map<FieldType, { readonly row: Row; readonly field: Field }[]>();
    for (const row of due.values()) {
      for (const field of [...row.sample.target.fields, ...row.sample.metric.fields]) {
        const ofType = byType.get(field.value.type);
        if (ofType === undefined) byType.set(field.value.type, [{ row, field }]);
        else ofType.push({ row, field });
      }
    }
    for (const [type, fields] of byType) {
      const writer = new RowBinaryWriter(fields.length * ROW_BYTES);
      for (const { row, field } of fields) {
        writer.string(row.sample.timeseriesName);
        writer.u64(row.key);
        writer.string(field.name);
        writeNarrowField(writer, field.value);
      }
      await this.#insert(fieldsTableName(type), writer.bytes(), null);
    }
    // Forgetting all costs a round of rows, and no answer.
    if (this.#written.size + due.size > STORE_TABLE_SERIES) this.#written.clear();
    for (const id of due.keys()) this.#written.set(id, nowNs);
  }

  async #storeMeasurements(rows: readonly Row[], token: string): Promise<void> {
    const byType = new Map<DatumType, Row[]>();
    for (const row of rows) {
      const type = datumTypeOf(row.sample.datum);
      const ofType = byType.get(type);
      if (ofType === undefined) byType.set(type, [row]);
      else ofType.push(row);
    }
    let failure: unknown = null;
    for (const [type, ofType] of byType) {
      const writer = new RowBinaryWriter(ofType.length * ROW_BYTES);
      for (const { sample, key } of ofType) {
        writer.string(sample.timeseriesName);
        writer.u64(key);
        if (isDated(type)) writer.i64(startTimeOf(sample.datum));
        writer.i64(sample.timestampNs);
        writeNarrowDatum(writer, sample.datum);
      }
      const table = measurementsTableName(type);
      try {
        const hash = createHash("sha256").update(`${this.#database.name}.${table}\n${token}`).digest("hex");
        await this.#insert(table, writer.bytes(), hash);
      } catch (error) {
        // The other tables still get theirs; with the same token again only what failed is added where tokens count.
        failure ??= error;
      }
    }
    if (failure !== null) throw failure;
  }

  #insert(name: string, rows: Uint8Array, token: string | null): Promise<void> {
    const { columns } = NARROW_TABLES.find((table) => table.name === name)!;
    return this.#engine.insert({ table: tableName(this.#database.name, name), columns, rows, token });
  }
}

/** Equal for upstream's check on insertion: datum type, and the fields with their types and sources. */
function sameShape(a: TimeseriesSchema, b: TimeseriesSchema): boolean {
  return (
    a === b ||
    (a.datumType === b.datumType &&
      a.fields.length === b.fields.length &&
      a.fields.every(
        ({ name, type, source }, i) => b.fields[i]!.name === name && b.fields[i]!.type === type && b.fields[i]!.source === source,
      ))
  );
}
