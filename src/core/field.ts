/** Field types of an Oximeter timeseries, in the order of upstream's `FieldValue` enum (the order is part of the key hash). */
export const FIELD_TYPES = ["string", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "ip_addr", "uuid", "bool"] as const;

export type FieldType = (typeof FIELD_TYPES)[number];
export type IntegerType = "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64";

/** One typed value. Integers are bigint at every width; uuids are hyphenated lower case; addresses are text. */
export type FieldValue =
  | { readonly type: "string" | "ip_addr" | "uuid"; readonly value: string }
  | { readonly type: IntegerType; readonly value: bigint }
  | { readonly type: "bool"; readonly value: boolean };

/** A named field. */
export interface Field {
  readonly name: string;
  readonly value: FieldValue;
}

/** Fields sorted by the bytes of their names, each name once. `fieldSet` makes one. */
export type FieldSet = readonly Field[];

export const NIL_UUID = "00000000-0000-0000-0000-000000000000";

const INTEGER_RANGES: Readonly<Record<IntegerType, readonly [bigint, bigint]>> = {
  i8: [-(1n << 7n), (1n << 7n) - 1n],
  u8: [0n, (1n << 8n) - 1n],
  i16: [-(1n << 15n), (1n << 15n) - 1n],
  u16: [0n, (1n << 16n) - 1n],
  i32: [-(1n << 31n), (1n << 31n) - 1n],
  u32: [0n, (1n << 32n) - 1n],
  i64: [-(1n << 63n), (1n << 63n) - 1n],
  u64: [0n, (1n << 64n) - 1n],
};

export function isIntegerType(type: string): type is IntegerType {
  return Object.hasOwn(INTEGER_RANGES, type);
}

/** True where `value` fits the width and sign of `type`. */
export function fitsInteger(type: IntegerType, value: bigint): boolean {
  const [low, high] = INTEGER_RANGES[type];
  return value >= low && value <= high;
}

/** Compares two names by their UTF-8 bytes, as upstream's ordered maps do. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  // Code units order like bytes as long as neither side holds a surrogate; names are ASCII in practice.
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** Sorts fields by name. Throws a plain Error on a duplicate name, which only a bug in the caller can cause. */
export function fieldSet(fields: Iterable<Field>): FieldSet {
  const sorted = [...fields].sort((a, b) => compareNames(a.name, b.name));
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i]!.name === sorted[i - 1]!.name) throw new Error(`field "${sorted[i]!.name}" is given twice`);
  }
  return sorted;
}

/** The value of the named field, or undefined. */
export function fieldValue(fields: FieldSet, name: string): FieldValue | undefined {
  for (const field of fields) if (field.name === name) return field.value;
  return undefined;
}

/** Identity text of a field set: equal exactly where all names, types and values are equal. For map keys. */
export function fieldSetIdentity(fields: FieldSet): string {
  let text = "";
  for (const { name, value } of fields) {
    const printed = String(value.value);
    text += `${name}:${value.type}:${printed.length}:${printed};`;
  }
  return text;
}
