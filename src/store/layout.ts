import {
  compareNames,
  fieldSet,
  highwayHash64,
  isCumulativeType,
  STORE_TABLE_COLUMNS,
  ZonemeterError,
  type FieldSchema,
  type FieldSet,
  type TimeseriesSchema,
} from "../core/index.ts";
import { enumeratedValue } from "./field-type.ts";
import { isStorable, type StorableType } from "./value-type.ts";

/**
 * The wide layout, derived from schemas alone. The metrics of a target that share their open fields (all but the enumerated metric fields)
 * share one table: a row is one series at one instant, with one column for each metric and combination of enumerated values. So a
 * snapshot is one row, whatever the target.
 */
export interface Layout {
  readonly tables: readonly WideDesign[];
  /** By timeseries name. */
  readonly timeseries: ReadonlyMap<string, TimeseriesDesign>;
  /** Why a declared timeseries has no place here, by name: the end of a sentence about it. */
  readonly unstorable: ReadonlyMap<string, string>;
}

/** One pair of tables: samples, and the series they belong to. */
export interface WideDesign {
  readonly name: string;
  readonly targetName: string;
  /** What tells one series' fields from another's, sorted by name. */
  readonly openFields: readonly FieldSchema[];
  /** The field whose values should lie together on disk, or null: queries often ask for one type of thing. */
  readonly clusteringField: string | null;
  /** Sorted by label. */
  readonly columns: readonly ColumnDesign[];
}

export interface ColumnDesign {
  /** What people see: `memory_resident`, `cpu_nsec(state=user)`. */
  readonly label: string;
  readonly name: string;
  readonly metricName: string;
  readonly datumType: StorableType;
  readonly cumulative: boolean;
  /** The enumerated fields with this column's values. */
  readonly fields: FieldSet;
}

export interface TimeseriesDesign {
  readonly schema: TimeseriesSchema;
  readonly table: WideDesign;
  readonly columns: readonly ColumnDesign[];
  readonly targetFields: readonly FieldSchema[];
  readonly metricFields: readonly FieldSchema[];
}

/** Columns of every samples or series table beside the derived ones; a metric or field of such a name gets an underscore behind it. */
const RESERVED = /^(b|sid|ts|present_\d+|start_time|first_b|last_b|imported_at)$/;

export function columnName(label: string): string {
  // Names of metrics and fields never end with an underscore, so this meets no other.
  return RESERVED.test(label) ? `${label}_` : label;
}

/** Throws ZonemeterError `config` for schemas that contradict each other or need too many columns. */
export function deriveLayout(schemas: Iterable<TimeseriesSchema>): Layout {
  const unstorable = new Map<string, string>();
  const groups = new Map<string, TimeseriesSchema[]>();
  for (const schema of schemas) {
    const reason = whyUnstorable(schema);
    if (reason !== null) {
      unstorable.set(schema.timeseriesName, reason);
      continue;
    }
    const name = tableNameOf(schema);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [schema]);
    else group.push(schema);
  }
  const timeseries = new Map<string, TimeseriesDesign>();
  const tables: WideDesign[] = [];
  for (const [name, group] of groups) {
    const table = wideTable(name, group);
    tables.push(table);
    for (const schema of group) {
      const columns = table.columns.filter((column) => column.metricName === schema.metricName);
      const targetFields = schema.fields.filter((field) => field.source === "target");
      const metricFields = schema.fields.filter((field) => field.source === "metric");
      timeseries.set(schema.timeseriesName, { schema, table, columns, targetFields, metricFields });
    }
  }
  return { tables, timeseries, unstorable };
}

function whyUnstorable(schema: TimeseriesSchema): string | null {
  if (schema.visibility !== "operator_only") return "is visible to customers, and this store keeps only what operators alone may see";
  if (!isStorable(schema.datumType)) return `has data of type ${schema.datumType}, which this store does not keep`;
  return null;
}

/** Enumerated metric fields become columns; a target's own fields never vary within a snapshot, so they always tell series apart. */
function isOpen(field: FieldSchema): boolean {
  return field.source === "target" || field.values === null;
}

/** Named after the target and its open metric fields, so that the name stays when a metric, a state or a target field is added. */
function tableNameOf(schema: TimeseriesSchema): string {
  const names = schema.fields.filter((field) => field.source === "metric" && isOpen(field)).map((field) => field.name);
  const hash = highwayHash64(Buffer.from(names.sort(compareNames).join(",")))
    .toString(16)
    .padStart(16, "0");
  return `${schema.targetName}_${hash.slice(0, 8)}`;
}

function wideTable(name: string, group: readonly TimeseriesSchema[]): WideDesign {
  const targetName = group[0]!.targetName;
  const openFields = new Map<string, FieldSchema>();
  for (const field of group.flatMap((schema) => schema.fields.filter(isOpen))) {
    const other = openFields.get(field.name);
    if (other !== undefined && other.type !== field.type) {
      throw new ZonemeterError(
        "config",
        `Field "${field.name}" of target "${targetName}" is ${other.type} in one schema and ${field.type} in another: give it one type.`,
      );
    }
    openFields.set(field.name, field);
  }
  for (const schema of group) {
    const missing = [...openFields.values()].find((field) => !schema.fields.some(({ name }) => name === field.name));
    if (missing !== undefined) {
      throw new ZonemeterError(
        "config",
        `Timeseries "${schema.timeseriesName}" lacks target field "${missing.name}", which others of its target have.`,
      );
    }
  }
  const columns = group.flatMap(metricColumns).sort((a, b) => compareNames(a.label, b.label));
  if (columns.length > STORE_TABLE_COLUMNS) {
    throw new ZonemeterError(
      "config",
      `Target "${targetName}" needs ${columns.length} columns for its metrics and enumerated values, and at most ${STORE_TABLE_COLUMNS} are possible: enumerate fewer values.`,
    );
  }
  const sorted = [...openFields.values()].sort((a, b) => compareNames(a.name, b.name));
  const typed = sorted.find((field) => field.source === "metric" && field.type === "string" && field.name.endsWith("_type"));
  return { name, targetName, openFields: sorted, clusteringField: typed?.name ?? null, columns };
}

/** One column for each combination of the enumerated values. */
function metricColumns(schema: TimeseriesSchema): ColumnDesign[] {
  const datumType = schema.datumType as StorableType;
  const enumerated = schema.fields.filter((field) => !isOpen(field));
  const combinations = enumerated.reduce((count, field) => count * field.values!.length, 1);
  if (combinations > STORE_TABLE_COLUMNS) {
    throw new ZonemeterError(
      "config",
      `Timeseries "${schema.timeseriesName}" has ${combinations} combinations of enumerated values, and at most ${STORE_TABLE_COLUMNS} columns are possible: enumerate fewer.`,
    );
  }
  let fieldSets: FieldSet[] = [[]];
  for (const field of enumerated) {
    const values = field.values!.map((text) => {
      const value = enumeratedValue(field.type, text);
      if (value === null)
        throw new ZonemeterError("config", `Value "${text}" of field "${field.name}" of "${schema.timeseriesName}" is no ${field.type}.`);
      return value;
    });
    fieldSets = fieldSets.flatMap((fields) => values.map((value) => fieldSet([...fields, { name: field.name, value }])));
  }
  return fieldSets.map((fields) => {
    const labels = fields.map((field) => `${field.name}=${String(field.value.value)}`).join(",");
    const label = labels === "" ? schema.metricName : `${schema.metricName}(${labels})`;
    return { label, name: columnName(label), metricName: schema.metricName, datumType, cumulative: isCumulativeType(datumType), fields };
  });
}
