import { DATUM_TYPES, type DatumType } from "./datum.ts";
import { ZonemeterError } from "./errors.ts";
import { FIELD_TYPES, fitsInteger, type FieldSet, type FieldType, type FieldValue, type IntegerType } from "./field.ts";
import { highwayHash64 } from "./highway-hash.ts";
import { parseIpAddress } from "./ip-address.ts";

const FIELD_TYPE_INDEX = Object.fromEntries(FIELD_TYPES.map((type, i) => [type, i])) as Readonly<Record<FieldType, number>>;
const DATUM_TYPE_INDEX = Object.fromEntries(DATUM_TYPES.map((type, i) => [type, i])) as Readonly<Record<DatumType, number>>;

/** Bytes of each integer type. */
const INTEGER_BYTES: Readonly<Record<IntegerType, number>> = { i8: 1, u8: 1, i16: 2, u16: 2, i32: 4, u32: 4, i64: 8, u64: 8 };

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UUID_BYTES = 16;
const ITEM_HEADER_BYTES = 8;
/** A field beyond its strings: item header, two string lengths of up to 5 bytes, type index, and the longest fixed payload. */
const FIELD_OVERHEAD_BYTES = 40;

/** Bytes of the stream that are kept from call to call. Beyond it one very long field would stay in memory for good. */
const KEPT_STREAM_BYTES = 4096;

// The stream that is hashed, reused from call to call; nothing yields between the first byte written and the hash.
let stream = Buffer.alloc(KEPT_STREAM_BYTES);
let length = 0;

/**
 * The key that upstream's tables give a series: the hash of the timeseries name, the target's and the metric's fields (each sorted by name,
 * as `fieldSet` leaves them) and the datum type (for a missing datum, the type it would have had). Each item is written in BCS and
 * preceded by its length as a little-endian u64. Names of target and metric and the version are not part of it.
 *
 * Different series can share a key in principle: join on name and key. Throws ZonemeterError `invalid_input` for a uuid, address or
 * integer that is none of its type.
 */
export function timeseriesKey(timeseriesName: string, targetFields: FieldSet, metricFields: FieldSet, datumType: DatumType): bigint {
  length = 0;
  reserve(timeseriesName.length * 3 + FIELD_OVERHEAD_BYTES);
  const start = beginItem();
  writeString(timeseriesName);
  endItem(start);
  writeFields(targetFields);
  writeFields(metricFields);
  reserve(ITEM_HEADER_BYTES + 1);
  const last = beginItem();
  stream[length++] = DATUM_TYPE_INDEX[datumType];
  endItem(last);
  const key = highwayHash64(stream.subarray(0, length));
  if (stream.length > KEPT_STREAM_BYTES) stream = Buffer.alloc(KEPT_STREAM_BYTES);
  return key;
}

function writeFields(fields: FieldSet): void {
  for (const { name, value } of fields) {
    const textLength = typeof value.value === "string" ? value.value.length : 0;
    reserve((name.length + textLength) * 3 + FIELD_OVERHEAD_BYTES);
    const start = beginItem();
    writeString(name);
    stream[length++] = FIELD_TYPE_INDEX[value.type];
    writePayload(name, value);
    endItem(start);
  }
}

function writePayload(name: string, field: FieldValue): void {
  switch (field.type) {
    case "string":
      writeString(field.value);
      return;
    case "uuid":
      writeUuid(name, field.value);
      return;
    case "ip_addr":
      writeIpAddress(name, field.value);
      return;
    case "bool":
      stream[length++] = field.value ? 1 : 0;
      return;
    default:
      writeInteger(name, field.type, field.value);
  }
}

function writeString(text: string): void {
  const start = length;
  // Nearly every string here is ASCII of less than 128 characters: one byte of length, one for each character.
  if (text.length < 128) {
    stream[length++] = text.length;
    let i = 0;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) break;
      stream[length++] = code;
    }
    if (i === text.length) return;
    length = start;
  }
  writeUleb128(Buffer.byteLength(text));
  length += stream.write(text, length);
}

function writeUleb128(value: number): void {
  let rest = value;
  while (rest > 127) {
    stream[length++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  stream[length++] = rest;
}

function writeUuid(name: string, text: string): void {
  if (!UUID_PATTERN.test(text)) throw notOfType(name, "uuid", text);
  stream[length++] = UUID_BYTES;
  for (let i = 0; i < text.length; i += 2) {
    if (text[i] === "-") i += 1;
    stream[length++] = (hexDigit(text.charCodeAt(i)) << 4) | hexDigit(text.charCodeAt(i + 1));
  }
}

/** 0 to 15 for the code of a hexadecimal digit of either case. */
function hexDigit(code: number): number {
  return code < 58 ? code - 48 : (code | 32) - 87;
}

function writeIpAddress(name: string, text: string): void {
  const bytes = parseIpAddress(text);
  if (bytes === null) throw notOfType(name, "IP address", text);
  stream[length++] = bytes.length === 4 ? 0 : 1;
  stream.set(bytes, length);
  length += bytes.length;
}

function writeInteger(name: string, type: IntegerType, value: bigint): void {
  if (!fitsInteger(type, value)) throw notOfType(name, type, String(value));
  const bytes = INTEGER_BYTES[type];
  if (bytes === 8) stream.writeBigUInt64LE(BigInt.asUintN(64, value), length);
  else stream.writeUIntLE(Number(BigInt.asUintN(bytes * 8, value)), length, bytes);
  length += bytes;
}

function notOfType(name: string, type: string, text: string): ZonemeterError {
  return new ZonemeterError("invalid_input", `Field "${name}" holds "${text}", which is not of type ${type}.`);
}

/** Leaves room for the item's length and returns where it goes. */
function beginItem(): number {
  const start = length;
  length += ITEM_HEADER_BYTES;
  return start;
}

function endItem(start: number): void {
  stream.writeUInt32LE(length - start - ITEM_HEADER_BYTES, start);
  stream.writeUInt32LE(0, start + 4);
}

function reserve(bytes: number): void {
  if (length + bytes <= stream.length) return;
  const larger = Buffer.alloc(Math.max(stream.length * 2, length + bytes));
  stream.copy(larger, 0, 0, length);
  stream = larger;
}
