import type { ComparisonOperator, FilterBinary, FilterExpression, Literal } from "./ast.ts";
import type { Scanner } from "./lexer.ts";
import { readLiteral } from "./literals.ts";

/** Longest first where one begins another. */
const OPERATORS = ["==", "!=", ">=", ">", "<=", "<", "~="] as const satisfies readonly ComparisonOperator[];

/** Binary operators, loosest first. All group to the right. */
const LEVELS = [
  { kind: "or", token: "||" },
  { kind: "and", token: "&&" },
  { kind: "xor", token: "^" },
] as const;

/**
 * ```
 * or  = and [ ~ "||" ~ or ]
 * and = xor [ ~ "&&" ~ and ]
 * xor = not [ ~ "^" ~ xor ]
 * ```
 * Chains are read in a loop and folded from the right, so a long one costs no stack here.
 */
export function readFilterExpression(scanner: Scanner, level = 0): FilterExpression {
  const rule = LEVELS[level];
  if (rule === undefined) return readNot(scanner);
  const operands = [readFilterExpression(scanner, level + 1)];
  for (;;) {
    scanner.blanks();
    if (!scanner.take(rule.token)) break;
    scanner.blanks();
    operands.push(readFilterExpression(scanner, level + 1));
  }
  return operands.reduceRight((right, left): FilterBinary => {
    const end = right.position.offset + right.position.length;
    return { kind: rule.kind, left, right, position: { ...left.position, length: end - left.position.offset } };
  });
}

/** `not = "!" ~ not / primary`. Two negations cancel, through parentheses too. */
function readNot(scanner: Scanner): FilterExpression {
  const start = scanner.offset;
  let negated = false;
  while (scanner.take("!")) {
    negated = !negated;
    scanner.blanks();
  }
  const operand = readPrimary(scanner);
  if (!negated) return operand;
  return operand.kind === "not" ? operand.operand : { kind: "not", operand, position: scanner.positionFrom(start) };
}

/** `primary = compare / "(" ~ or ~ ")"` */
function readPrimary(scanner: Scanner): FilterExpression {
  if (!scanner.take("(")) return readCompare(scanner);
  return scanner.nested(() => {
    scanner.blanks();
    const inner = readFilterExpression(scanner);
    scanner.blanks();
    scanner.demand(")");
    return inner;
  });
}

/**
 * ```
 * compare = ident ~ cmp ~ literal
 *         / name ~ cmp ~ literal                                                  -- superset
 *         / ( ident / name ) ~ "in" ~ "[" ~ literal ( ~ "," ~ literal )* ~ "]"     -- superset
 * cmp     = "==" / "!=" / ">=" / ">" / "<=" / "<" / "~="
 * ```
 * `~=` needs a string.
 */
function readCompare(scanner: Scanner): FilterExpression {
  const start = scanner.offset;
  const identifier = readFilterName(scanner);
  scanner.blanks();
  const operator = OPERATORS.find((token) => scanner.take(token, "a comparison operator"));
  if (operator === undefined) {
    if (!scanner.takeWord("in")) scanner.fail();
    const literals = readLiterals(scanner);
    return { kind: "in", identifier, literals, negated: false, position: scanner.positionFrom(start) };
  }
  scanner.blanks();
  const literal = readLiteral(scanner);
  if (operator === "~=" && literal.type !== "string") refuseRegex(scanner, literal);
  return { kind: "comparison", identifier, operator, literal, position: scanner.positionFrom(start) };
}

function readFilterName(scanner: Scanner): string {
  const identifier = scanner.identifier("a field or special name");
  if (scanner.text[scanner.offset] !== ":") return identifier;
  scanner.advance(1);
  return `${identifier}:${scanner.identifier("a timeseries name")}`;
}

function readLiterals(scanner: Scanner): Literal[] {
  scanner.blanks();
  scanner.demand("[");
  scanner.blanks();
  const literals = [readLiteral(scanner)];
  for (;;) {
    scanner.blanks();
    if (!scanner.take(",")) break;
    scanner.blanks();
    literals.push(readLiteral(scanner));
  }
  scanner.demand("]");
  return literals;
}

function refuseRegex(scanner: Scanner, literal: Literal): never {
  const { offset, length } = literal.position;
  const reads = literal.type === "uuid" || literal.type === "ip_addr";
  const why = reads
    ? `in double quotes this is ${literal.type === "uuid" ? "a UUID" : "an address"}, use single quotes`
    : "write the pattern in quotes";
  scanner.refuse(`~= needs a string: ${why}.`, offset, length);
}
