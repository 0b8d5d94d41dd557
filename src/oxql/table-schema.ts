import { hasStartTime, isHistogramType, type Catalogue, type DatumType, type FieldType, type TimeseriesSchema } from "../core/index.ts";
import type { AlignMethod } from "./ast.ts";
import type { DataType, MetricType } from "./table.ts";

/** What is known of a table before it has data. */
export interface TableSchema {
  /** Timeseries name; after a join the names with commas between. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** One per value of a point; more than one only after a join. */
  readonly columns: readonly ColumnSchema[];
  /** Null until an `align`. */
  readonly alignment: AlignmentSchema | null;
}

export interface ColumnSchema {
  /** The timeseries name that the column came from. */
  readonly name: string;
  readonly metricType: MetricType;
  readonly dataType: DataType;
}

export interface AlignmentSchema {
  readonly method: AlignMethod;
  readonly periodNs: bigint;
}

/** The table that a `get` gives: counters and histograms as deltas. `bytes` has no OxQL type: null. */
export function schemaOfGet(schema: TimeseriesSchema): TableSchema | null {
  const dataType = dataTypeOf(schema.datumType);
  if (dataType === null) return null;
  const name = schema.timeseriesName;
  return {
    name,
    fields: new Map(schema.fields.map((field) => [field.name, field.type])),
    columns: [{ name, metricType: hasStartTime(schema.datumType) ? "delta" : "gauge", dataType }],
    alignment: null,
  };
}

/** What OxQL calls the values of a stored type; null where it has none. */
export function dataTypeOf(datumType: DatumType): DataType | null {
  switch (datumType) {
    case "bytes":
      return null;
    case "bool":
      return "boolean";
    case "string":
      return "string";
    default: {
      const isDouble = /_?f(?:32|64)$/.test(datumType);
      if (isHistogramType(datumType)) return isDouble ? "double_distribution" : "integer_distribution";
      return isDouble ? "double" : "integer";
    }
  }
}

export function isNumericType(dataType: DataType): boolean {
  return dataType === "integer" || dataType === "double";
}

export function isDistributionType(dataType: DataType): boolean {
  return dataType === "integer_distribution" || dataType === "double_distribution";
}

/** True where the timeseries was a counter or histogram before anything aligned it. */
export function comesFromCounter(table: TableSchema, catalogue: Catalogue): boolean {
  return table.columns.some(({ name }) => {
    const schema = catalogue.get(name);
    return schema !== undefined && hasStartTime(schema.datumType);
  });
}
