import { fitsInteger, isIntegerType, parseIpAddress, type FieldType, type FieldValue, type IntegerType } from "../core/index.ts";
import type { RowBinaryReader } from "./row-binary-reader.ts";
import type { RowBinaryWriter } from "./row-binary-writer.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * ClickHouse types of fields. Upstream keeps addresses as IPv6, which makes `10.0.0.1` and `::ffff:10.0.0.1` one; identity is exact here, so
 * they stay text.
 */
const SQL_TYPES: Readonly<Record<FieldType, string>> = {
  string: "String",
  i8: "Int8",
  u8: "UInt8",
  i16: "Int16",
  u16: "UInt16",
  i32: "Int32",
  u32: "UInt32",
  i64: "Int64",
  u64: "UInt64",
  ip_addr: "String",
  uuid: "UUID",
  bool: "Bool",
};

export function fieldSqlType(type: FieldType): string {
  return SQL_TYPES[type];
}

/** True where the value is a well-formed one of its own type. */
export function isWellFormed(value: FieldValue): boolean {
  switch (value.type) {
    case "string":
    case "bool":
      return true;
    case "uuid":
      return UUID.test(value.value);
    case "ip_addr":
      return parseIpAddress(value.value) !== null;
    default:
      return fitsInteger(value.type, value.value);
  }
}

export function writeField(writer: RowBinaryWriter, value: FieldValue): void {
  switch (value.type) {
    case "string":
    case "ip_addr":
      return writer.string(value.value);
    case "uuid":
      return writer.uuid(value.value);
    case "bool":
      return writer.u8(value.value ? 1 : 0);
    default:
      return writeInteger(writer, integerBytes(value.type), value.value);
  }
}

export function readField(reader: RowBinaryReader, type: FieldType): FieldValue {
  if (isIntegerType(type)) return { type, value: reader.integer(integerBytes(type), type.startsWith("i")) };
  switch (type) {
    case "uuid":
      return { type, value: reader.uuid() };
    case "bool":
      return { type, value: reader.u8() !== 0 };
    default:
      return { type, value: reader.string() } as FieldValue;
  }
}

/** The value that an enumerated field has where its schema lists `text`, or null where the text is none of the field's type. */
export function enumeratedValue(type: FieldType, text: string): FieldValue | null {
  if (isIntegerType(type)) return /^-?\d{1,20}$/.test(text) && fitsInteger(type, BigInt(text)) ? { type, value: BigInt(text) } : null;
  if (type === "bool") return text === "true" || text === "false" ? { type, value: text === "true" } : null;
  const value = { type, value: text } as FieldValue;
  return isWellFormed(value) ? value : null;
}

export function integerBytes(type: IntegerType): number {
  return Number(type.slice(1)) / 8;
}

/** Writes the low bytes of an integer that fits them. */
export function writeInteger(writer: RowBinaryWriter, bytes: number, value: bigint): void {
  if (bytes === 8) writer.u64(BigInt.asUintN(64, value));
  else if (bytes === 4) writer.u32(Number(BigInt.asUintN(32, value)));
  else if (bytes === 2) writer.u16(Number(BigInt.asUintN(16, value)));
  else writer.u8(Number(BigInt.asUintN(8, value)));
}
