import type { Arithmetic } from "./ast.ts";
import type { Scanner } from "./lexer.ts";
import { readDuration, takeDouble, takeInteger } from "./literals.ts";

/** Binary operators of `map`, loosest first. All group to the left. */
const LEVELS = [
  ["+", "-"],
  ["*", "/"],
] as const;

/**
 * Superset:
 * ```
 * sum     = product ( ~ ( "+" / "-" ) ~ product )*
 * product = unary ( ~ ( "*" / "/" ) ~ unary )*
 * ```
 */
export function readArithmetic(scanner: Scanner, level = 0): Arithmetic {
  const operators = LEVELS[level];
  if (operators === undefined) return readUnary(scanner);
  const start = scanner.offset;
  let left = readArithmetic(scanner, level + 1);
  for (;;) {
    scanner.blanks();
    const operator = operators.find((token) => scanner.take(token));
    if (operator === undefined) return left;
    scanner.blanks();
    const right = readArithmetic(scanner, level + 1);
    left = { kind: "binary", operator, left, right, position: scanner.positionFrom(start) };
  }
}

/** `unary = "-" ~ unary / atom` */
function readUnary(scanner: Scanner): Arithmetic {
  const start = scanner.offset;
  if (!scanner.take("-")) return readAtom(scanner);
  return scanner.nested(() => {
    scanner.blanks();
    const operand = readUnary(scanner);
    return { kind: "negate", operand, position: scanner.positionFrom(start) };
  });
}

/** `atom = number / "(" ~ sum ~ ")" / "ago" ~ "(" ~ sum ~ "," ~ duration ~ ")" / name / ident`; numbers have no sign of their own. */
function readAtom(scanner: Scanner): Arithmetic {
  const start = scanner.offset;
  if (scanner.take("(")) return scanner.nested(() => readParenthesized(scanner));
  if (scanner.peek(/[a-z]/y) === null) {
    const value = takeInteger(scanner) ?? takeDouble(scanner);
    if (value === null) scanner.fail("an expression");
    return { kind: "constant", value: Number(value), position: scanner.positionFrom(start) };
  }
  const name = scanner.identifier("an expression");
  if (scanner.take(":"))
    return { kind: "column", name: `${name}:${scanner.identifier("a timeseries name")}`, position: scanner.positionFrom(start) };
  if (name === "ago" && scanner.peek(/[ \t\n]*\(/y) !== null) return readAgo(scanner, start);
  return { kind: "column", name, position: scanner.positionFrom(start) };
}

function readParenthesized(scanner: Scanner): Arithmetic {
  scanner.blanks();
  const inner = readArithmetic(scanner);
  scanner.blanks();
  scanner.demand(")");
  return inner;
}

function readAgo(scanner: Scanner, start: number): Arithmetic {
  return scanner.nested(() => {
    scanner.blanks();
    scanner.demand("(");
    scanner.blanks();
    const operand = readArithmetic(scanner);
    scanner.blanks();
    scanner.demand(",");
    scanner.blanks();
    const durationNs = readDuration(scanner);
    scanner.blanks();
    scanner.demand(")");
    return { kind: "ago", operand, durationNs, position: scanner.positionFrom(start) };
  });
}
