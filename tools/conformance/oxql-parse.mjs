// Cases of parse.json: whether a text parses, and the tree of its first top-level filter.
import { parseRfc3339 } from "../../dist/core/index.js";
import { parse } from "../../dist/oxql/index.js";
import { attempt, CLOCK_NS, DIALECTS } from "./oxql-refusal.mjs";

const TOKENS = { "||": "or", "&&": "and", "^": "xor" };

export function runCase(testCase) {
  for (const dialect of testCase.valid ? DIALECTS : ["upstream"]) {
    const { value: query, kind, message } = attempt(() => parse(testCase.query, { nowNs: CLOCK_NS, dialect }));
    const valid = query !== undefined;
    if (!valid && kind !== "parse" && kind !== "too_complex") return `${dialect}: refused as ${kind}, which is no parse error`;
    if (testCase.quirk) continue;
    if (valid !== testCase.valid) return valid ? `${dialect}: parses, but is not a query` : `${dialect}: is refused: ${message}`;
    if (!valid || testCase.filter_ast === undefined) continue;
    const filter = query.operations.find((operation) => operation.kind === "filter");
    if (filter === undefined) return `${dialect}: has no filter`;
    const difference = compare(filter.expression, testCase.filter_ast);
    if (difference !== null) return `${dialect}: ${difference}`;
  }
  return null;
}

function compare(actual, expected) {
  const [tag, ...rest] = expected;
  const kind = TOKENS[tag] ?? tag;
  if (kind === "cmp") return compareComparison(actual, rest);
  if (actual.kind !== kind) return `expected ${kind}, got ${actual.kind}`;
  if (kind === "not") return compare(actual.operand, rest[0]);
  return compare(actual.left, rest[0]) ?? compare(actual.right, rest[1]);
}

function compareComparison(actual, [identifier, operator, literal]) {
  if (actual.kind !== "comparison") return `expected a comparison of ${identifier}, got ${actual.kind}`;
  if (actual.identifier !== identifier || actual.operator !== operator) {
    return `expected ${identifier} ${operator}, got ${actual.identifier} ${actual.operator}`;
  }
  const found = actual.literal;
  if (found.type === literal.type && sameLiteral(found, literal)) return null;
  return `expected ${literal.type} ${literal.value ?? literal.value_ns}, got ${found.type} ${found.value ?? found.valueNs}`;
}

function sameLiteral(found, expected) {
  switch (found.type) {
    case "integer":
      return found.value === BigInt(expected.value);
    case "double":
      return sameDouble(found.value, Number(expected.value));
    case "duration":
      return found.valueNs === BigInt(expected.value_ns);
    case "timestamp":
      return found.valueNs === parseRfc3339(expected.value);
    default:
      return found.value === expected.value;
  }
}

function sameDouble(a, b) {
  return a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}
