import { fieldSet, type DatumType, type FieldSchema, type FieldType, type TimeseriesSchema, type Units } from "../../src/core/index.ts";

/** A field as written in a table of a test: name, type and, where enumerated, its values. */
type FieldRow = readonly [name: string, type: FieldType, values?: readonly string[]];

const TARGET_FIELDS: readonly FieldRow[] = [
  ["rack_id", "uuid"],
  ["sled_id", "uuid"],
  ["sled_model", "string"],
  ["sled_revision", "u32"],
  ["sled_serial", "string"],
];
const ZONE_FIELDS: readonly FieldRow[] = [
  ["zone_name", "string"],
  ["zone_type", "string"],
  ["zone_id", "uuid"],
  ["source", "string"],
];
const STATES: FieldRow = ["state", "string", ["user", "sys", "waitrq"]];

/** An operator-only timeseries of the given fields. */
export function timeseries(
  name: string,
  datumType: DatumType,
  targetFields: readonly FieldRow[],
  metricFields: readonly FieldRow[],
  more: Partial<TimeseriesSchema> = {},
): TimeseriesSchema {
  const [targetName, metricName] = name.split(":") as [string, string];
  const fields = (rows: readonly FieldRow[], source: FieldSchema["source"]): FieldSchema[] =>
    rows.map(([field, type, values]) => ({ name: field, type, source, description: `The ${field}.`, values: values ?? null }));
  return {
    timeseriesName: name,
    targetName,
    metricName,
    version: 1,
    targetDescription: `The ${targetName}.`,
    metricDescription: `The ${metricName}.`,
    authzScope: "fleet",
    visibility: "operator_only",
    units: "count" as Units,
    datumType,
    fields: [...fields(targetFields, "target"), ...fields(metricFields, "metric")].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...more,
  };
}

const zone = (metric: string, datumType: DatumType, units: Units, extra: readonly FieldRow[] = []): TimeseriesSchema =>
  timeseries(`zone_resource:${metric}`, datumType, TARGET_FIELDS, [...ZONE_FIELDS, ...extra], { units });
const sled = (metric: string, datumType: DatumType, units: Units): TimeseriesSchema =>
  timeseries(`sled_resource:${metric}`, datumType, TARGET_FIELDS, [["source", "string"]], { units });

/** What the product measures of zones and sleds, written out by hand. */
export const ZONE_SCHEMAS: readonly TimeseriesSchema[] = [
  zone("cpu_nsec", "cumulative_u64", "nanoseconds", [STATES]),
  zone("memory_resident", "u64", "bytes"),
  zone("memory_working_set", "u64", "bytes"),
  zone("swap_reserved", "u64", "bytes"),
  zone("processes", "u64", "count"),
  zone("cpu_used", "f64", "none"),
  sled("cpus_online", "u64", "count"),
  sled("memory_total", "u64", "bytes"),
];

export function schemaOf(name: string, schemas: readonly TimeseriesSchema[] = ZONE_SCHEMAS): TimeseriesSchema {
  const schema = schemas.find(({ timeseriesName }) => timeseriesName === name);
  if (schema === undefined) throw new Error(`no schema ${name}`);
  return schema;
}

const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;

/** Target fields of sled number `sledNumber`. */
export function sledFields(sledNumber: number): ReturnType<typeof fieldSet> {
  return fieldSet([
    { name: "rack_id", value: { type: "uuid", value: uuid(1) } },
    { name: "sled_id", value: { type: "uuid", value: uuid(1000 + sledNumber) } },
    { name: "sled_model", value: { type: "string", value: "913-0000019" } },
    { name: "sled_revision", value: { type: "u32", value: 6n } },
    { name: "sled_serial", value: { type: "string", value: `BRM4422${sledNumber}` } },
  ]);
}

/** Metric fields of a zone as a source reports it. */
export function zoneFields(zoneType: string, zoneNumber: number, source: string): ReturnType<typeof fieldSet> {
  return fieldSet([
    { name: "zone_name", value: { type: "string", value: `oxz_${zoneType}_${uuid(zoneNumber)}` } },
    { name: "zone_type", value: { type: "string", value: zoneType } },
    { name: "zone_id", value: { type: "uuid", value: uuid(zoneNumber) } },
    { name: "source", value: { type: "string", value: source } },
  ]);
}
