import { compareNames, isIntegerType, type FieldValue } from "../../core/index.ts";
import type { Comparison, ComparisonOperator, Literal, Membership } from "../ast.ts";
import { offsetsFrom } from "../int64-words.ts";
import { ipAddressBytes } from "../ip-address.ts";
import { compileRegex } from "../regex.ts";
import type { Column } from "../table.ts";
import { combine, negate, NO, UNKNOWN, YES, type Answer, type Verdict } from "../verdict.ts";

/** One comparison with a field, with times or with a column of values. Literals fit what they are compared with: `filter` checks that. */
export type Test = Comparison | Membership;

/** Answers by how the value stands to the literal: below, equal, above, or (NaN) none of these. */
const ACCEPTS: Readonly<Record<Exclude<ComparisonOperator, "~=" | "!~=">, Uint8Array>> = {
  "==": Uint8Array.of(NO, YES, NO, NO),
  "!=": Uint8Array.of(YES, NO, YES, YES),
  "<": Uint8Array.of(YES, NO, NO, NO),
  "<=": Uint8Array.of(YES, YES, NO, NO),
  ">": Uint8Array.of(NO, NO, YES, NO),
  ">=": Uint8Array.of(NO, YES, YES, NO),
};
const BELOW = 0;
const EQUAL = 1;
const ABOVE = 2;
const UNORDERED = 3;

/** The answer for a field: the same for every point. Bools order false first, uuids and addresses by their bytes, IPv4 before IPv6. */
export function testField(test: Test, value: FieldValue): Verdict {
  return forLiterals(test, (operator, literal) => {
    if (isRegex(operator)) return matcher(operator, literal)(String(value.value));
    return ACCEPTS[operator][fieldOrder(value, literal)]! as Answer;
  });
}

/** An answer for each of `timesNs`. */
export function testTimes(test: Test, timesNs: BigInt64Array): Verdict {
  return forLiterals(test, (operator, literal) => {
    if (isRegex(operator) || literal.type !== "timestamp") throw new Error(`a time cannot be compared ${operator} ${literal.type}`);
    // Literals reach beyond 64 bits of nanoseconds, stored times don't.
    if (literal.valueNs !== BigInt.asIntN(64, literal.valueNs)) return ACCEPTS[operator][literal.valueNs > 0n ? BELOW : ABOVE]! as Answer;
    const accepts = ACCEPTS[operator];
    const offsets = offsetsFrom(literal.valueNs, timesNs);
    const answers = new Uint8Array(offsets.length);
    for (let i = 0; i < answers.length; i++) answers[i] = accepts[Math.sign(offsets[i]!) + 1]!;
    return answers;
  });
}

/** An answer for each value of a column; UNKNOWN where it is missing. */
export function testColumn(test: Test, column: Column): Verdict {
  const verdict = forLiterals(test, (operator, literal) => testValues(operator, literal, column));
  const { present } = column;
  if (present === null || typeof verdict === "number") return verdict;
  return verdict.map((answer, i) => (present[i] === 0 ? UNKNOWN : answer));
}

function testValues(operator: ComparisonOperator, literal: Literal, column: Column): Uint8Array {
  const answers = new Uint8Array(column.values.length);
  if (isRegex(operator)) {
    const answer = matcher(operator, literal);
    for (let i = 0; i < answers.length; i++) answers[i] = answer(column.values[i] as string);
    return answers;
  }
  const accepts = ACCEPTS[operator];
  if (column.type === "string") {
    const wanted = (literal as { value: string }).value;
    for (let i = 0; i < answers.length; i++) answers[i] = accepts[Math.sign(compareNames(column.values[i]!, wanted)) + 1]!;
  } else {
    const wanted = (literal as { value: bigint | number | boolean }).value;
    for (let i = 0; i < answers.length; i++) {
      const value = column.values[i] as bigint | number | boolean;
      answers[i] = accepts[value < wanted ? BELOW : value > wanted ? ABOVE : value === wanted ? EQUAL : UNORDERED]!;
    }
  }
  return answers;
}

/** A comparison is asked once; `in` is "equal to one of them". */
function forLiterals(test: Test, ask: (operator: ComparisonOperator, literal: Literal) => Verdict): Verdict {
  if (test.kind === "comparison") return ask(test.operator, test.literal);
  const any = test.literals.map((literal) => ask("==", literal)).reduce((left, right) => combine("or", left, right));
  return test.negated ? negate(any) : any;
}

function fieldOrder(value: FieldValue, literal: Literal): number {
  const wanted = (literal as { value: bigint | string | boolean }).value;
  if (value.type === "string") return Math.sign(compareNames(value.value, wanted as string)) + 1;
  if (value.type === "ip_addr") return Math.sign(compareAddresses(value.value, wanted as string)) + 1;
  const own = value.type === "uuid" ? value.value.toLowerCase() : value.value;
  return own < wanted ? BELOW : own > wanted ? ABOVE : EQUAL;
}

function compareAddresses(a: string, b: string): number {
  const left = ipAddressBytes(a);
  const right = ipAddressBytes(b);
  // A stored text that is no address equals itself alone.
  if (left === null || right === null) return compareNames(a, b);
  return left.length - right.length || Buffer.compare(left, right);
}

function isRegex(operator: ComparisonOperator): operator is "~=" | "!~=" {
  return operator === "~=" || operator === "!~=";
}

/** Matchers by literal: one filter asks the same pattern of every timeseries. */
const MATCHERS = new WeakMap<Literal, (text: string) => boolean>();

function matcher(operator: "~=" | "!~=", literal: Literal): (text: string) => Answer {
  if (literal.type !== "string") throw new Error(`a ${literal.type} is no pattern`);
  let matches = MATCHERS.get(literal);
  if (matches === undefined) MATCHERS.set(literal, (matches = compileRegex(literal.value)));
  const [hit, miss] = operator === "~=" ? ([YES, NO] as const) : ([NO, YES] as const);
  return (text) => (matches(text) ? hit : miss);
}

/** The literal type that a field or a column of the given type is compared with, or null where it is compared with none. */
export function literalTypeFor(type: FieldValue["type"] | Column["type"]): Literal["type"] | null {
  switch (type) {
    case "bool":
    case "boolean":
      return "boolean";
    case "string":
    case "uuid":
    case "ip_addr":
    case "double":
    case "integer":
      return type;
    default:
      return isIntegerType(type) ? "integer" : null;
  }
}
