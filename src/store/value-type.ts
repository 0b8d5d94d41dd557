import { fitsInteger, isIntegerType, type DatumType, type HistogramType, type IntegerType } from "../core/index.ts";
import { fieldSqlType, integerBytes, writeInteger } from "./field-type.ts";
import type { RowBinaryWriter } from "./row-binary-writer.ts";

/** Datum types that have a column of a wide table. Histograms and bytes have none. */
export type StorableType = Exclude<DatumType, HistogramType | "bytes">;
export type StoredValue = bigint | number | boolean | string;

/** How values of one datum type are stored and read. */
export interface ValueType {
  readonly sqlType: string;
  /** Measured on synthetic fleets: rising counters want differences and bit planes, page-sized gauges their common divisor out first. */
  readonly codec: string;
  /** What a scan asks for: each but text takes 8 bytes in a result row, whatever its stored width. */
  readonly scanType: "UInt64" | "Int64" | "Float64" | "String";
  fits(value: unknown): value is StoredValue;
  write(writer: RowBinaryWriter, value: StoredValue): void;
}

const COUNTER_CODEC = "Delta, T64('bit'), ZSTD(1)";
const GAUGE_CODEC = "GCD, Delta, T64('bit'), ZSTD(1)";
const FLOAT_CODEC = "Gorilla, ZSTD(1)";
const PLAIN_CODEC = "ZSTD(1)";

function integers(type: IntegerType, codec: string): ValueType {
  const bytes = integerBytes(type);
  return {
    sqlType: fieldSqlType(type),
    codec,
    scanType: type.startsWith("u") ? "UInt64" : "Int64",
    fits: (value): value is bigint => typeof value === "bigint" && fitsInteger(type, value),
    write: (writer, value) => writeInteger(writer, bytes, value as bigint),
  };
}

function floats(type: "f32" | "f64"): ValueType {
  return {
    sqlType: type === "f32" ? "Float32" : "Float64",
    codec: FLOAT_CODEC,
    scanType: "Float64",
    fits: (value): value is number => typeof value === "number",
    write: type === "f32" ? (writer, value) => writer.f32(value as number) : (writer, value) => writer.f64(value as number),
  };
}

const BOOL: ValueType = {
  sqlType: "Bool",
  codec: PLAIN_CODEC,
  scanType: "UInt64",
  fits: (value): value is boolean => typeof value === "boolean",
  write: (writer, value) => writer.u8(value === true ? 1 : 0),
};

const STRING: ValueType = {
  sqlType: "String",
  codec: PLAIN_CODEC,
  scanType: "String",
  fits: (value): value is string => typeof value === "string",
  write: (writer, value) => writer.string(value as string),
};

const VALUE_TYPES: Readonly<Record<StorableType, ValueType>> = {
  bool: BOOL,
  string: STRING,
  i8: integers("i8", GAUGE_CODEC),
  u8: integers("u8", GAUGE_CODEC),
  i16: integers("i16", GAUGE_CODEC),
  u16: integers("u16", GAUGE_CODEC),
  i32: integers("i32", GAUGE_CODEC),
  u32: integers("u32", GAUGE_CODEC),
  i64: integers("i64", GAUGE_CODEC),
  u64: integers("u64", GAUGE_CODEC),
  f32: floats("f32"),
  f64: floats("f64"),
  cumulative_i64: integers("i64", COUNTER_CODEC),
  cumulative_u64: integers("u64", COUNTER_CODEC),
  cumulative_f32: floats("f32"),
  cumulative_f64: floats("f64"),
};

export function isStorable(type: DatumType): type is StorableType {
  return Object.hasOwn(VALUE_TYPES, type);
}

export function valueTypeOf(type: StorableType): ValueType {
  return VALUE_TYPES[type];
}

/** Upstream's integer types are a closed list; a datum type without its `cumulative_` says which one a column holds. */
export function isUnsigned(type: StorableType): boolean {
  const scalar = type.replace("cumulative_", "");
  return isIntegerType(scalar) && scalar.startsWith("u");
}
