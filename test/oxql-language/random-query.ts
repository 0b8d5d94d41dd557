import fc from "fast-check";
import { REDUCERS, type Arithmetic, type FilterExpression, type Literal, type Operation, type Query } from "../../src/oxql/index.ts";

/** Positions and text are no part of what a query means; `meaning` leaves them out. */
const position = { offset: 0, length: 0, line: 1, column: 1 };

const identifier = fc.stringMatching(/^[a-z][a-z0-9]{0,3}(_[a-z0-9]{1,3}){0,2}$/);
const name = fc.tuple(identifier, identifier).map(([target, metric]) => `${target}:${metric}`);
const count = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(Number.MAX_SAFE_INTEGER));
const reducer = fc.constantFrom(...REDUCERS);

/** Any duration that can be written: a count of a unit. */
const durationNs = fc
  .tuple(
    fc.oneof(fc.bigInt(0n, 100n), fc.bigInt(0n, (1n << 32n) - 1n)),
    fc.constantFrom(
      1n,
      1_000n,
      1_000_000n,
      1_000_000_000n,
      60_000_000_000n,
      3_600_000_000_000n,
      86_400_000_000_000n,
      2_592_000_000_000_000n,
      31_536_000_000_000_000n,
    ),
  )
  .map(([units, ns]) => units * ns);

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom("'", '"', "\\", "\n", "\r", "\t", "\0", "a", "\u{1f600}", "\ud800") }),
);
const hexDigit = fc.constantFrom(..."0123456789abcdef");

const literal: fc.Arbitrary<Literal> = fc.oneof(
  fc.boolean().map((value): Literal => ({ type: "boolean", value, position })),
  fc.bigInt(-(1n << 63n), (1n << 64n) - 1n).map((value): Literal => ({ type: "integer", value, position })),
  fc.double({ noNaN: true }).map((value): Literal => ({ type: "double", value, position })),
  text.map((value): Literal => ({ type: "string", value, position })),
  fc
    .array(hexDigit, { minLength: 32, maxLength: 32 })
    .map((digits): Literal => ({ type: "uuid", value: digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"), position })),
  fc.ipV4().map((value): Literal => ({ type: "ip_addr", value, position })),
  fc
    .constantFrom("::", "::1", "fd00:1::7", "1:2:3:4:5:6:7:8", "::ffff:10.0.0.1")
    .map((value): Literal => ({ type: "ip_addr", value, position })),
  durationNs.map((valueNs): Literal => ({ type: "duration", valueNs, position })),
  fc
    .constantFrom(
      { text: "@1970-01-02", valueNs: 86_400_000_000_000n },
      { text: "@1970-01-01T00:00:01.5 - 1s", valueNs: 500_000_000n },
      { text: "@now()", valueNs: 90_000_000_000n },
      { text: "@now(1m) + 0x10s", valueNs: 76_000_000_000n },
      { text: "@00:00:07", valueNs: 7_000_000_000n },
    )
    .map((time): Literal => ({ type: "timestamp", ...time, position })),
);

const operators = ["==", "!=", "<", "<=", ">", ">="] as const;

const { expression } = fc.letrec<{ expression: FilterExpression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc
      .tuple(fc.oneof(identifier, name), fc.constantFrom(...operators), literal)
      .map(([id, operator, value]): FilterExpression => ({ kind: "comparison", identifier: id, operator, literal: value, position })),
    fc.tuple(identifier, text).map(([id, value]): FilterExpression => ({
      kind: "comparison",
      identifier: id,
      operator: "~=",
      literal: { type: "string", value, position },
      position,
    })),
    fc
      .tuple(identifier, fc.array(literal, { minLength: 1, maxLength: 4 }))
      .map(([id, literals]): FilterExpression => ({ kind: "in", identifier: id, literals, negated: false, position })),
    fc
      .tuple(fc.constantFrom("and", "or", "xor"), tie("expression"), tie("expression"))
      .map(([kind, left, right]): FilterExpression => ({ kind, left, right, position })),
    // Two negations cancel while parsing, so no tree has them.
    tie("expression").map((operand): FilterExpression => (operand.kind === "not" ? operand : { kind: "not", operand, position })),
  ),
}));

const { arithmetic } = fc.letrec<{ arithmetic: Arithmetic }>((tie) => ({
  arithmetic: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(identifier, name).map((column): Arithmetic => ({ kind: "column", name: column, position })),
    fc.double({ min: 0, noNaN: true }).map((value): Arithmetic => ({ kind: "constant", value, position })),
    fc
      .tuple(fc.constantFrom("+", "-", "*", "/"), tie("arithmetic"), tie("arithmetic"))
      .map(([operator, left, right]): Arithmetic => ({ kind: "binary", operator, left, right, position })),
    tie("arithmetic").map((operand): Arithmetic => ({ kind: "negate", operand, position })),
    fc.tuple(tie("arithmetic"), durationNs).map(([operand, ns]): Arithmetic => ({ kind: "ago", operand, durationNs: ns, position })),
  ),
}));

const laterOperation: fc.Arbitrary<Operation> = fc.oneof(
  expression.map((each): Operation => ({ kind: "filter", expression: each, position })),
  fc
    .tuple(fc.constantFrom("mean_within", "interpolate", "rate"), durationNs)
    .map(([method, periodNs]): Operation => ({ kind: "align", method, periodNs, position })),
  fc
    .tuple(fc.array(identifier, { maxLength: 3 }), reducer)
    .map(([fields, by]): Operation => ({ kind: "group_by", fields, reducer: by, position })),
  fc.option(fc.array(identifier, { maxLength: 3 })).map((on): Operation => ({ kind: "join", on, position })),
  fc.tuple(fc.constantFrom("first", "last"), count).map(([end, many]): Operation => ({ kind: "limit", end, count: many, position })),
  fc
    .tuple(fc.constantFrom("top", "bottom"), count, reducer)
    .map(([end, many, by]): Operation => ({ kind: "rank", end, count: many, reducer: by, position })),
  arithmetic.map((each): Operation => ({ kind: "map", expression: each, position })),
);

/** Any tree that the parser can make. `@now()` in it is 90 s after the epoch. */
export const { query: randomQuery } = fc.letrec<{ query: Query }>((tie) => ({
  query: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        name.map((timeseriesName): Operation => ({ kind: "get", timeseriesName, position })),
        fc.array(tie("query"), { minLength: 1, maxLength: 3 }).map((queries): Operation => ({ kind: "group", queries, position })),
      ),
      fc.array(laterOperation, { maxLength: 3 }),
    )
    .map(([first, others]): Query => ({ kind: "query", operations: [first, ...others], text: "", position })),
}));

export const RANDOM_NOW_NS = 90_000_000_000n;

/** The tree without positions and text. */
export function meaning(query: Query): unknown {
  return JSON.parse(
    JSON.stringify(query, (key, value: unknown) => {
      if (key === "position" || (key === "text" && typeof value === "string" && !value.startsWith("@"))) return undefined;
      if (typeof value === "bigint") return `${value}n`;
      return typeof value === "number" ? `${Object.is(value, -0) ? "-" : ""}${value}` : value;
    }),
  );
}
