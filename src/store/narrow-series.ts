import {
  fieldSet,
  fieldSetIdentity,
  STORE_TABLE_SERIES,
  timeseriesKey,
  ZonemeterError,
  type FieldSet,
  type FieldType,
  type FieldValue,
  type TimeseriesSchema,
} from "../core/index.ts";
import { stringLiteral, tableName } from "./literal.ts";
import { fieldsTableName } from "./narrow-types.ts";
import { readNarrowField } from "./narrow-values.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";

/** One timeseries. Addresses that differ only in how they were written share a row's fields, so there may be several keys. */
export interface NarrowSeries {
  readonly fields: FieldSet;
  readonly keys: bigint[];
}

/** Every series of a name, from the field tables. One that lacks a field's row, as its rows are on their way or have expired, is left out. */
export async function readNarrowSeries(
  run: (text: string) => Promise<Uint8Array>,
  database: string,
  schema: TimeseriesSchema,
): Promise<NarrowSeries[]> {
  const { datumType, fields, timeseriesName } = schema;
  if (fields.length === 0) return [{ fields: [], keys: [timeseriesKey(timeseriesName, [], [], datumType)] }];
  const found = new Map<bigint, Map<string, FieldValue>>();
  for (const type of new Set(fields.map((field): FieldType => field.type))) {
    const names = fields.filter((field) => field.type === type).map(({ name }) => stringLiteral(name));
    const limit = STORE_TABLE_SERIES * names.length;
    const text = [
      `SELECT timeseries_key, field_name, any(field_value) FROM ${tableName(database, fieldsTableName(type))}`,
      `WHERE timeseries_name = ${stringLiteral(timeseriesName)} AND field_name IN (${names.join(", ")})`,
      `GROUP BY timeseries_key, field_name LIMIT ${limit + 1}`,
    ].join(" ");
    const reader = new RowBinaryReader(await run(text));
    let rows = 0;
    while (!reader.atEnd) {
      const key = reader.u64();
      const values = found.get(key) ?? new Map<string, FieldValue>();
      found.set(key, values.set(reader.string(), readNarrowField(reader, type)));
      rows += 1;
    }
    if (rows > limit) {
      throw new ZonemeterError(
        "limit",
        `Timeseries "${timeseriesName}" has more than ${STORE_TABLE_SERIES} series: find the field whose values never come again.`,
        { kind: "row_limit" },
      );
    }
  }
  const series = new Map<string, NarrowSeries>();
  for (const [key, values] of found) {
    if (values.size < fields.length) continue;
    const set = fieldSet([...values].map(([name, value]) => ({ name, value })));
    const identity = fieldSetIdentity(set);
    const known = series.get(identity);
    if (known === undefined) series.set(identity, { fields: set, keys: [key] });
    else known.keys.push(key);
  }
  return [...series.values()];
}
