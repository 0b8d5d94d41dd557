import { DATUM_TYPES, hasStartTime, isHistogramType, type DatumType, type FieldType } from "../core/index.ts";

/**
 * Upstream's names for types: of its tables, and of the enumerations in `timeseries_schema`. Its numbers are what its own readers know,
 * so they must never change.
 */

const FIELD_ENUM: Readonly<Record<FieldType, readonly [name: string, number: number, sqlType: string]>> = {
  bool: ["Bool", 1, "Bool"],
  i64: ["I64", 2, "Int64"],
  ip_addr: ["IpAddr", 3, "IPv6"],
  string: ["String", 4, "String"],
  uuid: ["Uuid", 6, "UUID"],
  i8: ["I8", 7, "Int8"],
  u8: ["U8", 8, "UInt8"],
  i16: ["I16", 9, "Int16"],
  u16: ["U16", 10, "UInt16"],
  i32: ["I32", 11, "Int32"],
  u32: ["U32", 12, "UInt32"],
  u64: ["U64", 13, "UInt64"],
};

const DATUM_ENUM: Readonly<Record<DatumType, readonly [name: string, number: number]>> = {
  bool: ["Bool", 1],
  i64: ["I64", 2],
  f64: ["F64", 3],
  string: ["String", 4],
  bytes: ["Bytes", 5],
  cumulative_i64: ["CumulativeI64", 6],
  cumulative_f64: ["CumulativeF64", 7],
  histogram_i64: ["HistogramI64", 8],
  histogram_f64: ["HistogramF64", 9],
  i8: ["I8", 10],
  u8: ["U8", 11],
  i16: ["I16", 12],
  u16: ["U16", 13],
  i32: ["I32", 14],
  u32: ["U32", 15],
  u64: ["U64", 16],
  f32: ["F32", 17],
  cumulative_u64: ["CumulativeU64", 18],
  cumulative_f32: ["CumulativeF32", 19],
  histogram_i8: ["HistogramI8", 20],
  histogram_u8: ["HistogramU8", 21],
  histogram_i16: ["HistogramI16", 22],
  histogram_u16: ["HistogramU16", 23],
  histogram_i32: ["HistogramI32", 24],
  histogram_u32: ["HistogramU32", 25],
  histogram_u64: ["HistogramU64", 26],
  histogram_f32: ["HistogramF32", 27],
};

export const NARROW_FIELD_TYPES = Object.keys(FIELD_ENUM) as readonly FieldType[];
export const NARROW_DATUM_TYPES: readonly DatumType[] = DATUM_TYPES;

export const FIELD_SOURCES = ["target", "metric"] as const;

export const FIELD_TYPE_ENUM = enumType(Object.values(FIELD_ENUM));
export const FIELD_SOURCE_ENUM = enumType([
  ["Target", 1],
  ["Metric", 2],
]);
export const DATUM_TYPE_ENUM = enumType(Object.values(DATUM_ENUM));

const FIELD_BY_NUMBER = new Map(NARROW_FIELD_TYPES.map((type) => [FIELD_ENUM[type][1], type]));
const DATUM_BY_NUMBER = new Map(NARROW_DATUM_TYPES.map((type) => [DATUM_ENUM[type][1], type]));

export function fieldTypeNumber(type: FieldType): number {
  return FIELD_ENUM[type][1];
}

export function fieldTypeOf(number: number): FieldType | undefined {
  return FIELD_BY_NUMBER.get(number);
}

export function datumTypeNumber(type: DatumType): number {
  return DATUM_ENUM[type][1];
}

export function datumTypeOfNumber(number: number): DatumType | undefined {
  return DATUM_BY_NUMBER.get(number);
}

/** `fields_ipaddr` for `ip_addr`. */
export function fieldsTableName(type: FieldType): string {
  return `fields_${type.replaceAll("_", "")}`;
}

/** `measurements_cumulativeu64` for `cumulative_u64`. */
export function measurementsTableName(type: DatumType): string {
  return `measurements_${type.replaceAll("_", "")}`;
}

/** Type of `field_value`; addresses are IPv6, with IPv4 ones mapped into it. */
export function narrowFieldSqlType(type: FieldType): string {
  return FIELD_ENUM[type][2];
}

/** Type of one value, without the Nullable of the `datum` column: for histograms, of an edge. */
export function narrowValueSqlType(type: DatumType): string {
  switch (type) {
    case "bool":
      return "Bool";
    case "string":
      return "String";
    case "bytes":
      return "Array(UInt8)";
    default: {
      const [, kind, bits] = /([iuf])(\d+)$/.exec(type)!;
      return `${{ i: "Int", u: "UInt", f: "Float" }[kind as "i" | "u" | "f"]}${bits}`;
    }
  }
}

/** Columns of a measurements table beside name, key and times. */
export function measurementColumns(type: DatumType): readonly { readonly name: string; readonly type: string }[] {
  const value = narrowValueSqlType(type);
  // A missing byte array cannot be told from an empty one: upstream's issue 4551.
  if (type === "bytes") return [{ name: "datum", type: value }];
  if (!isHistogramType(type)) return [{ name: "datum", type: `Nullable(${value})` }];
  return [
    { name: "bins", type: `Array(${value})` },
    { name: "counts", type: "Array(UInt64)" },
    { name: "min", type: value },
    { name: "max", type: value },
    { name: "sum_of_samples", type: value.startsWith("Float") ? "Float64" : "Int64" },
    { name: "squared_mean", type: "Float64" },
    ...["p50", "p90", "p99"].flatMap((quantile) => [
      { name: `${quantile}_marker_heights`, type: "Array(Float64)" },
      { name: `${quantile}_marker_positions`, type: "Array(UInt64)" },
      { name: `${quantile}_desired_marker_positions`, type: "Array(Float64)" },
    ]),
  ];
}

export function isDated(type: DatumType): boolean {
  return hasStartTime(type);
}

function enumType(members: readonly (readonly [string, number, ...unknown[]])[]): string {
  return `Enum8(${members.map(([name, number]) => `'${name}' = ${number}`).join(", ")})`;
}
