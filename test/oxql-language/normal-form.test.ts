import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalForm, print, printOperation, type Comparison, type Filter, type FilterExpression, type Term } from "../../src/oxql/index.ts";
import { read } from "./ferry-catalogue.ts";

/** A filter, and its alternatives. */
const CASES: readonly (readonly [filter: string, alternatives: readonly string[]])[] = [
  ["a == 1", ["a == 1"]],
  ["!(a == 1)", ["a != 1"]],
  ["!(a < 1) && !(b >= 2)", ["a >= 1 && b < 2"]],
  ["a > 1 || b <= 2 || c != 3", ["a > 1", "b <= 2", "c != 3"]],
  ["a == 1 && (b == 2 || c == 3)", ["a == 1 && b == 2", "a == 1 && c == 3"]],
  ["!(a == 1 || b == 2)", ["a != 1 && b != 2"]],
  ["!(a == 1 && b == 2)", ["a != 1", "b != 2"]],
  ["a == 1 ^ b == 2", ["a == 1 && b != 2", "a != 1 && b == 2"]],
  ["!(a == 1 ^ b == 2)", ["a == 1 && b == 2", "a != 1 && b != 2"]],
  ["!(a ~= 'x')", ["!(a ~= 'x')"]],
  ["!(a in [1, 2])", ["!(a in [1, 2])"]],
  ["!(!(a in [1, 2]) || b == 1)", ["a in [1, 2] && b != 1"]],
];

describe("normal form", () => {
  it.each(CASES)("%s", (filter, alternatives) => {
    expect(normalForm(expressionOf(filter)).map(printed)).toEqual(alternatives);
  });

  it("says the same as the expression, whatever its terms are", () => {
    const term = fc.constantFrom("a == 1", "b == 1", "c == 1", "d == 1", "e == 1");
    const { text } = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { maxDepth: 4 },
        term,
        fc.tuple(tie("text"), fc.constantFrom("&&", "||", "^"), tie("text")).map(([l, o, r]) => `(${l} ${o} ${r})`),
        tie("text").map((t) => `!(${t})`),
      ),
    }));
    fc.assert(
      fc.property(text, (filter) => {
        const expression = expressionOf(filter);
        const alternatives = normalForm(expression);
        for (let bits = 0; bits < 32; bits++) {
          const truth = (name: string) => (bits & (1 << "abcde".indexOf(name))) !== 0;
          const any = alternatives.some((terms) =>
            terms.every((each) => truth(each.identifier) === ((each as Comparison).operator === "==")),
          );
          expect(any).toBe(holds(expression, truth));
        }
      }),
    );
  });

  it("refuses what explodes, and at once", () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, i) => `(a == ${i} || b == ${i})`).join(" && ");
    expect(normalForm(expressionOf(pairs(10)))).toHaveLength(1024);
    for (const filter of [
      pairs(11),
      pairs(100),
      Array.from({ length: 300 }, (_, i) => `a == ${i}`).join(" ^ "),
      `!(${pairs(30).replaceAll("||", "+").replaceAll("&&", "||").replaceAll("+", "&&")})`,
    ]) {
      expect(() => normalForm(expressionOf(filter))).toThrow(expect.objectContaining({ kind: "too_complex" }));
    }
  });

  it("takes long chains", () => {
    const chain = (operator: string) => Array.from({ length: 300 }, (_, i) => `a == ${i}`).join(` ${operator} `);
    expect(normalForm(expressionOf(chain("||")))).toHaveLength(300);
    expect(normalForm(expressionOf(chain("&&")))[0]).toHaveLength(300);
    expect(normalForm(expressionOf(`!(${chain("&&")})`))).toHaveLength(300);
  });
});

function holds(expression: FilterExpression, truth: (name: string) => boolean): boolean {
  switch (expression.kind) {
    case "comparison":
    case "in":
      return truth(expression.identifier);
    case "not":
      return !holds(expression.operand, truth);
    case "and":
      return holds(expression.left, truth) && holds(expression.right, truth);
    case "or":
      return holds(expression.left, truth) || holds(expression.right, truth);
    case "xor":
      return holds(expression.left, truth) !== holds(expression.right, truth);
  }
}

function expressionOf(filter: string): FilterExpression {
  const query = read(`get a:b | filter ${filter}`);
  expect(print(query)).toContain("filter");
  return (query.operations[1] as Filter).expression;
}

function printed(terms: readonly Term[]): string {
  return terms
    .map((expression) => printOperation({ kind: "filter", expression, position: expression.position }).slice("filter ".length))
    .join(" && ");
}
