import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { compileRegex } from "../../src/oxql/index.ts";

/** A pattern, texts that it is found in, and texts that it is not. */
const PATTERNS: readonly (readonly [pattern: string, found: readonly string[], notFound: readonly string[]])[] = [
  ["", ["", "x"], []],
  ["ab", ["ab", "xaby"], ["a", "ba", "AB"]],
  ["^ab$", ["ab"], ["ab\n", "xab", "abx"]],
  ["a|b||c", ["", "a"], []],
  ["^(a|bc)$", ["a", "bc"], ["abc", ""]],
  ["^(?:a|b)+$", ["abba"], ["", "abc"]],
  ["^(?P<first>a)(b)?$", ["a", "ab"], ["b"]],
  ["^a{2}$", ["aa"], ["a", "aaa"]],
  ["^a{2,}$", ["aa", "aaaa"], ["a"]],
  ["^a{0,2}?$", ["", "a", "aa"], ["aaa"]],
  ["^(ab*)*$", ["", "abbbab"], ["b"]],
  ["^.$", ["x", "é", "\u{1f600}", "\r"], ["\n", "xy"]],
  ["^(?s).$", ["\n"], []],
  ["(?m)^b$", ["a\nb\nc"], ["a\nbc"]],
  ["\\Ab\\z", ["b"], ["a\nb"]],
  ["(?i)sträße", ["STRÄßE", "sträße"], ["strasse"]],
  ["(?i)[a-c]k", ["BK", "b\u212a"], ["dk"]],
  ["a(?i:b)c", ["abc", "aBc"], ["ABc", "abC"]],
  ["(?i)a(?-i)b", ["Ab"], ["AB"]],
  ["^[\\d_-]+$", ["1_-2"], ["a", "٣"]],
  ["^[^\\w]$", ["-", "é"], ["a", "_"]],
  ["^[]a]$", ["]", "a"], ["b"]],
  ["^[a-]$", ["a", "-"], ["b"]],
  ["^[[:alpha:][:^punct:]]$", ["a", "1"], ["!"]],
  ["^[\\x41\\x{42}\\.]$", ["A", "B", "."], ["C", "x"]],
  ["\\bcat\\b", ["a cat.", "cat"], ["cats", "a_cat"]],
  ["\\Bcat", ["tomcat"], ["cat"]],
  ["^\\s\\S\\D$", ["\tab", " 1x"], ["ab1", "\vab"]],
  ["^\\$\\^\\{\\}\\/$", ["$^{}/"], ["$"]],
  ["^}]$", ["}]"], []],
];

describe("patterns", () => {
  it.each(PATTERNS)("%j", (pattern, found, notFound) => {
    const finds = compileRegex(pattern);
    expect(found.filter((text) => !finds(text))).toEqual([]);
    expect(notFound.filter((text) => finds(text))).toEqual([]);
  });

  it("agree with JavaScript's engine where the syntax means the same", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      "c",
      "\\n",
      ".",
      "\\d",
      "\\w",
      "\\s",
      "[ab]",
      "[^a]",
      "[a-c]",
      "[^\\w]",
      "é",
      "\u{1f600}",
      "\\W",
      "[\\d_-]",
    );
    const edge = fc.constantFrom("^", "$", "\\b");
    const repeat = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "+?");
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 3 },
        edge,
        fc.tuple(atom, repeat).map((parts) => parts.join("")),
        fc.array(tie("pattern"), { maxLength: 4 }).map((parts) => parts.join("")),
        fc.tuple(tie("pattern"), tie("pattern"), repeat).map(([left, right, times]) => `(?:${left}|${right})${times}`),
      ),
    }));
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "A", "1", "_", " ", "\n", "é", "\u{1f600}", "-"), { maxLength: 8 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, text, (each, subject) => {
        expect(compileRegex(each)(subject)).toBe(new RegExp(each, "u").test(subject));
      }),
      { numRuns: 5_000 },
    );
  });
});

/** A pattern that is refused, what is said, and the part that is marked. */
const REFUSED: readonly (readonly [pattern: string, words: string, marked: string])[] = [
  ["(", "this parenthesis is not closed", "("],
  ["ab(c(d)", "this parenthesis is not closed", "("],
  ["ab)", "closes nothing", ")"],
  ["a[bc", "this bracket is not closed", "["],
  ["*a", "* has nothing to repeat", "*"],
  ["a|+", "+ has nothing to repeat", "+"],
  ["a**", "cannot be repeated", "*"],
  ["a{2}{3}", "cannot be repeated", "{"],
  ["a++", "cannot be repeated", "+"],
  ["a{", "write \\{", "{"],
  ["a{,3}", "write \\{", "{"],
  ["{2}", "write \\{", "{"],
  ["a{3,2}", "the second count is below the first", "{3,2}"],
  ["a{1001}", "at most 1000", "{1001}"],
  ["(?=a)", "no look-around", "(?"],
  ["(?<!a)b", "no look-around", "(?"],
  ["(?<n>a)", "no such group", "(?"],
  ["(a)\\1", "no back references", "\\1"],
  ["\\p{L}", "there is no escape \\p", "\\p"],
  ["\\Z", "there is no escape \\Z", "\\Z"],
  ["a\\", "ends within an escape", "\\"],
  ["\\x{110000}", "no such character", "\\x{110000}"],
  ["[b-a]", "ends before it begins", "-"],
  ["[a-\\d]", "a character at each end", "\\"],
  ["[\\d-z]", "a character at each end", "-"],
  ["[[:letter:]]", "there is no class [:letter:]", "[:letter:]"],
  ["[a[b]]", "write \\[", "["],
  ["[a&&b]", "cannot be combined", "&&"],
];

describe("patterns that are refused", () => {
  it.each(REFUSED)("%j", (pattern, words, marked) => {
    const error = refusal(pattern);
    expect(error).toMatchObject({ code: "query", kind: "type_mismatch" });
    expect(error.message).toContain(words);
    const { offset, length } = error.position!;
    expect(pattern.slice(offset, offset + length)).toBe(marked);
  });

  it("those that nest deep or count high", () => {
    expect(refusal("(".repeat(200) + ")".repeat(200)).message).toContain("deeper than 100 levels");
    expect(refusal("(a{1000}){1000}").message).toContain("more than 2000 steps");
    expect(compileRegex("(((){1000}){1000}){1000}")("")).toBe(true);
  });
});

it("answers in time linear in the text, where engines that backtrack would never end", () => {
  for (const pattern of ["(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*x", "(a?){200}a{200}$", "([a-z]+)*[A-Z]$"]) {
    expect(compileRegex(pattern)(`${"a".repeat(20_000)}!`)).toBe(false);
  }
});

function refusal(pattern: string): ZonemeterError {
  try {
    compileRegex(pattern);
  } catch (error) {
    if (error instanceof ZonemeterError) return error;
    throw error;
  }
  throw new Error(`${pattern} is not refused`);
}
