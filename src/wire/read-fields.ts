import { compareNames, FIELD_TYPES, isIntegerType, type Field, type FieldSet, type FieldValue } from "../core/index.ts";
import type { JsonScanner } from "./json-scanner.ts";
import { readBoolean, readInteger, readIpAddress, readUuid } from "./read-scalars.ts";
import { readTagged } from "./read-tagged.ts";

/** A target or a metric: a name and its fields. */
export interface NamedFields {
  readonly name: string;
  readonly fields: FieldSet;
}

const VALUE_SHAPE = { tag: "type", content: "value", expected: 'a field value such as {"type": "u64", "value": 1}' };

/**
 * Reads `{"name": …, "fields": {key: {"name": …, "value": …}}}`. A field is called by its inner `name`, which is what is stored; the key
 * that it stands under is not looked at, as upstream does not either.
 */
export function readNamedFields(scanner: JsonScanner): NamedFields {
  const start = scanner.pos;
  let name: string | undefined;
  let fields: FieldSet | undefined;
  for (let key = scanner.firstKey("an object with name and fields"); key !== null; key = scanner.nextKey()) {
    if (key === "name" && name === undefined) name = scanner.string("a name");
    else if (key === "fields" && fields === undefined) fields = readFields(scanner);
    else if (key === "name" || key === "fields") scanner.fail(start, `an object with one "${key}"`);
    else scanner.skipValue();
  }
  if (name === undefined || fields === undefined) return scanner.fail(start, 'an object with "name" and "fields"');
  return { name, fields };
}

function readFields(scanner: JsonScanner): FieldSet {
  const start = scanner.pos;
  const fields: Field[] = [];
  for (let key = scanner.firstKey("an object of fields"); key !== null; key = scanner.nextKey()) fields.push(readField(scanner));
  fields.sort((a, b) => compareNames(a.name, b.name));
  for (let i = 1; i < fields.length; i++) {
    if (fields[i]!.name === fields[i - 1]!.name) scanner.fail(start, `an object with one field "${fields[i]!.name}"`);
  }
  return fields;
}

function readField(scanner: JsonScanner): Field {
  const start = scanner.pos;
  let name: string | undefined;
  let value: FieldValue | undefined;
  for (let key = scanner.firstKey("a field"); key !== null; key = scanner.nextKey()) {
    if (key === "name" && name === undefined) name = scanner.string("the name of a field");
    else if (key === "value" && value === undefined) value = readTagged(scanner, VALUE_SHAPE, readFieldValue);
    else if (key === "name" || key === "value") scanner.fail(start, `a field with one "${key}"`);
    else scanner.skipValue();
  }
  if (name === undefined || value === undefined) return scanner.fail(start, 'a field with "name" and "value"');
  return { name, value };
}

function readFieldValue(scanner: JsonScanner, type: string, absent: boolean): FieldValue {
  if (absent) return scanner.fail(scanner.pos, 'a field value with "value"');
  if (isIntegerType(type)) return { type, value: readInteger(scanner, type) };
  if (type === "uuid") return { type, value: readUuid(scanner) };
  if (type === "ip_addr") return { type, value: readIpAddress(scanner) };
  if (type === "bool") return { type, value: readBoolean(scanner) };
  if (type === "string") return { type, value: scanner.string("a string") };
  return scanner.fail(scanner.pos, `the value of a known field type (${FIELD_TYPES.join(", ")}) instead of ${JSON.stringify(type)}`);
}
