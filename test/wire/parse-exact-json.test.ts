import fc from "fast-check";
import { parse as parseLossless, isLosslessNumber } from "lossless-json";
import { describe, expect, it } from "vitest";
import { parseExactJson, stringifyExact, type ExactJson } from "../../src/wire/index.ts";

describe("parseExactJson", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["18446744073709551615", 18446744073709551615n],
    ["-9223372036854775808", -9223372036854775808n],
    ["12345678901234567.5", 12345678901234568],
    ["1e20", 1e20],
    ["12345678901234567890e2", Number("12345678901234567890e2")],
    ["0.12345678901234567890", 0.12345678901234568],
    ["1E12345678901234567890", Infinity],
    ['"18446744073709551615"', "18446744073709551615"],
    ['"a\\"18446744073709551615\\\\"', 'a"18446744073709551615\\'],
    ['[{"x":[18446744073709551615,1]},null,true]', [{ x: [18446744073709551615n, 1] }, null, true]],
  ])("reads %s", (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each([
    "012345678901234567890",
    "12345678901234567890x",
    "{12345678901234567890:1}",
    "[12345678901234567890",
    '"1234567890123456789',
    "--1234567890123456789",
    "+1234567890123456789",
  ])("refuses %s as JSON.parse does", (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it("agrees with a general lossless parser on any value, and prints it back", () => {
    const integer = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n), fc.integer().map(BigInt));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        integer,
        fc.string(),
        fc.string({ unit: "binary" }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("tree")),
        fc.dictionary(fc.string(), tie("tree")),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = stringifyExact(value as ExactJson);
        const oracle = parseLossless(text, null, { parseNumber: (digits) => BigInt(digits) });
        const read = JSON.stringify(parseExactJson(text), (_key, item: unknown) =>
          typeof item === "bigint" || typeof item === "number" ? `#${item}` : item,
        );
        const expected = JSON.stringify(oracle, (_key, item: unknown) =>
          typeof item === "bigint" || isLosslessNumber(item) ? `#${String(item)}` : item,
        );
        expect(read).toBe(expected);
        expect(stringifyExact(parseExactJson(text) as ExactJson)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("does not take a text for a tagged integer", () => {
    const value = { a: "int:00000000-0000-0000-0000-000000000000:5", b: 2n ** 63n };
    expect(parseExactJson(stringifyExact(value as ExactJson))).toEqual(value);
  });
});
