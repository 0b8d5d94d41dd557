import {
  fitsInteger,
  isHistogramType,
  isIntegerType,
  parseIpAddress,
  type Datum,
  type DatumType,
  type FieldType,
  type FieldValue,
  type Histogram,
  type Quantile,
} from "../core/index.ts";
import { readField, writeField, writeInteger } from "./field-type.ts";
import type { RowBinaryReader } from "./row-binary-reader.ts";
import type { RowBinaryWriter } from "./row-binary-writer.ts";

/** How values stand in upstream's tables, in RowBinary. */

const V4_IN_V6 = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/** `field_value` of a field that is well formed. */
export function writeNarrowField(writer: RowBinaryWriter, value: FieldValue): void {
  if (value.type !== "ip_addr") return writeField(writer, value);
  const bytes = parseIpAddress(value.value)!;
  if (bytes.length === 4) writer.raw(V4_IN_V6);
  writer.raw(bytes);
}

/** An IPv4 address that was mapped comes back as one, as upstream reads it. */
export function readNarrowField(reader: RowBinaryReader, type: FieldType): FieldValue {
  return type === "ip_addr" ? { type, value: addressText(reader.raw(16)) } : readField(reader, type);
}

function addressText(bytes: Uint8Array): string {
  if (V4_IN_V6.every((byte, i) => bytes[i] === byte)) return bytes.subarray(12).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  // The longest run of two or more groups of zeros is left out, the first of equals: RFC 5952.
  let best = { at: 0, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (groups[at + length] === "0") length++;
    if (length > best.length) best = { at, length };
  }
  if (best.length < 2) return groups.join(":");
  return `${groups.slice(0, best.at).join(":")}::${groups.slice(best.at + best.length).join(":")}`;
}

/** Whether a datum's value is one of its type, as far as types alone don't say. */
export function fitsNarrow(datum: Datum): boolean {
  if (datum.type === "missing") return true;
  const { type, value } = datum;
  if (isHistogramType(type)) return isHistogram(type, value as Histogram);
  const scalar = type.replace("cumulative_", "");
  if (isIntegerType(scalar)) return typeof value === "bigint" && fitsInteger(scalar, value);
  if (type === "bytes") return value instanceof Uint8Array;
  return typeof value === { bool: "boolean", string: "string" }[type as string] || (typeof value === "number" && /f(32|64)$/.test(type));
}

function isHistogram(type: DatumType, value: Histogram): boolean {
  const scalar = type.slice("histogram_".length);
  const isValue = isIntegerType(scalar)
    ? (edge: unknown): boolean => typeof edge === "bigint" && fitsInteger(scalar, edge)
    : (edge: unknown): boolean => typeof edge === "number";
  const isSum = isIntegerType(scalar)
    ? typeof value.sumOfSamples === "bigint" && fitsInteger("i64", value.sumOfSamples)
    : typeof value.sumOfSamples === "number";
  // No bins is how a missing one is told.
  return (
    value.edges.length > 0 &&
    value.edges.length === value.counts.length &&
    value.edges.every(isValue) &&
    isValue(value.min) &&
    isValue(value.max) &&
    isSum
  );
}

/** The columns behind the times. A missing datum is NULL, a missing histogram has no bins, missing bytes are none. */
export function writeNarrowDatum(writer: RowBinaryWriter, datum: Datum): void {
  const type = datum.type === "missing" ? datum.datumType : datum.type;
  const value = datum.type === "missing" ? null : datum.value;
  if (isHistogramType(type)) return writeHistogram(writer, type, value as Histogram | null);
  if (type === "bytes") {
    const bytes = (value as Uint8Array | null) ?? new Uint8Array();
    writer.array(Array.from(bytes), (byte) => writer.u8(byte));
    return;
  }
  writer.u8(value === null ? 1 : 0);
  if (value !== null) scalarWriter(writer, type)(value as bigint);
}

function scalarWriter(writer: RowBinaryWriter, type: DatumType): (value: bigint | number | boolean | string) => void {
  const scalar = type.replace(/^(cumulative|histogram)_/, "");
  if (isIntegerType(scalar)) {
    const bytes = Number(scalar.slice(1)) / 8;
    return (value) => writeInteger(writer, bytes, value as bigint);
  }
  if (scalar === "f32") return (value) => writer.f32(value as number);
  if (scalar === "f64") return (value) => writer.f64(value as number);
  if (scalar === "bool") return (value) => writer.u8(value === true ? 1 : 0);
  return (value) => writer.string(value as string);
}

const NO_QUANTILE: Pick<Quantile, "markerHeights" | "markerPositions" | "desiredMarkerPositions"> = {
  markerHeights: [],
  markerPositions: [],
  desiredMarkerPositions: [],
};

function writeHistogram(writer: RowBinaryWriter, type: DatumType, value: Histogram | null): void {
  const write = scalarWriter(writer, type);
  const whole = !/f(32|64)$/.test(type);
  const zero = whole ? 0n : 0;
  writer.array(value?.edges ?? [], write);
  writer.array(value?.counts ?? [], (count) => writer.u64(count));
  write(value?.min ?? zero);
  write(value?.max ?? zero);
  if (whole) writer.i64((value?.sumOfSamples as bigint | undefined) ?? 0n);
  else writer.f64((value?.sumOfSamples as number | undefined) ?? 0);
  writer.f64(value?.squaredMean ?? 0);
  for (const quantile of [value?.p50, value?.p90, value?.p99]) {
    const { markerHeights, markerPositions, desiredMarkerPositions } = quantile ?? NO_QUANTILE;
    writer.array(markerHeights, (height) => writer.f64(height));
    writer.array(markerPositions, (position) => writer.u64(position));
    writer.array(desiredMarkerPositions, (position) => writer.f64(position));
  }
}
