import { compareNames, isIntegerType, parseIpAddress, type FieldSchema, type FieldValue } from "../core/index.ts";
import { compileRegex, queryError, type Comparison, type Literal, type Membership } from "../oxql/index.ts";

export type FieldTest = (value: FieldValue) => boolean;

/**
 * The meaning of one condition on a field, typed and exact: integers compare as integers, strings by their bytes, addresses and UUIDs by
 * theirs, false before true, `~=` searches. Throws ZonemeterError `query` where the literal does not fit the field.
 */
export function fieldTest(condition: Comparison | Membership, field: FieldSchema): FieldTest {
  if (condition.kind === "in") {
    const tests = condition.literals.map((literal) => equals(field, literal));
    return (value) => tests.some((test) => test(value)) !== condition.negated;
  }
  const { operator, literal } = condition;
  switch (operator) {
    case "~=":
    case "!~=": {
      if (field.type !== "string" || literal.type !== "string") throw misfit(field, literal);
      const finds = compileRegex(literal.value);
      return (value) => finds(String(value.value)) === (operator === "~=");
    }
    case "==":
      return equals(field, literal);
    case "!=": {
      const same = equals(field, literal);
      return (value) => !same(value);
    }
    default: {
      const compare = comparison(field, literal);
      return (value) => ordered(compare(value), operator);
    }
  }
}

function equals(field: FieldSchema, literal: Literal): FieldTest {
  const compare = comparison(field, literal);
  return (value) => compare(value) === 0;
}

function ordered(order: number, operator: "<" | "<=" | ">" | ">="): boolean {
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

/** How a field's value stands to the literal: negative before it, 0 equal, positive behind it. */
function comparison(field: FieldSchema, literal: Literal): (value: FieldValue) => number {
  if (isIntegerType(field.type) && literal.type === "integer") {
    const wanted = literal.value;
    return ({ value }) => (value === wanted ? 0 : (value as bigint) < wanted ? -1 : 1);
  }
  if (field.type === "bool" && literal.type === "boolean") {
    const wanted = literal.value;
    return ({ value }) => Number(value) - Number(wanted);
  }
  if (field.type === "string" && literal.type === "string") {
    const wanted = literal.value;
    return ({ value }) => compareNames(value as string, wanted);
  }
  if (field.type === "uuid" && literal.type === "uuid") {
    // Stored ones are in lower case with hyphens, where text sorts as the bytes do.
    const wanted = canonicalUuid(literal.value);
    return ({ value }) => (value === wanted ? 0 : (value as string) < wanted ? -1 : 1);
  }
  if (field.type === "ip_addr" && literal.type === "ip_addr") {
    const wanted = parseIpAddress(literal.value);
    if (wanted === null) throw misfit(field, literal);
    return ({ value }) => compareAddresses(parseIpAddress(value as string)!, wanted);
  }
  throw misfit(field, literal);
}

function canonicalUuid(text: string): string {
  const hex = text.replaceAll("-", "").toLowerCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** IPv4 before IPv6, as in Rust. */
function compareAddresses(a: Uint8Array, b: Uint8Array): number {
  return a.length - b.length || Buffer.compare(a, b);
}

function misfit(field: FieldSchema, literal: Literal): Error {
  return queryError(
    "type_mismatch",
    `Field "${field.name}" is ${field.type} and cannot be compared with a ${literal.type}.`,
    literal.position,
  );
}
