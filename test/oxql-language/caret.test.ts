import { expect, it } from "vitest";
import { showPlace } from "../../src/oxql/caret.ts";

/** The two lines for `text`, of which the part between the bars is the place. */
function shown(text: string): string[] {
  const [before, marked, after] = text.split("|") as [string, string, string];
  const position = { offset: before.length, length: marked.length, line: before.split("\n").length, column: 1 };
  return showPlace(before + marked + after, position).split("\n");
}

it("marks a place below its line", () => {
  expect(shown("one\ntwo |three| four\nfive")).toEqual(["2 | two three four", "  |     ^^^^^"]);
});

it("marks the end of the text, and the first line of a longer place", () => {
  expect(shown("one||")).toEqual(["1 | one", "  |    ^"]);
  expect(shown("one |two\nthree| four")).toEqual(["1 | one two", "  |     ^^^"]);
});

it("shows control and format characters as blanks", () => {
  expect(shown("a\t\0\u202e\u200b|b|\u2028c")).toEqual(["1 | a    b c", "  |      ^"]);
});

it.each([
  ["wide characters take two columns", "'\u6771\u4eac' |and|", "  |        ^^^"],
  ["emoji too", "'\u{1f600}' |and|", "  |      ^^^"],
  ["combining ones none", "'e\u0301' |and|", "  |     ^^^"],
  ["wide ones are marked whole", "|\ud55c\uad6d| x", "  | ^^^^"],
])("%s", (_title, text, carets) => {
  expect(shown(text)[1]).toBe(carets);
});

it("shows what is around a place in a long line, within 80 columns", () => {
  const long = "x".repeat(300);
  expect(shown(`${long} |place| ${long}`)).toEqual([
    `1 | \u2026${"x".repeat(35)} place ${"x".repeat(30)}\u2026`,
    `  | ${" ".repeat(37)}^^^^^`,
  ]);
  expect(shown(`|place| ${long}`)).toEqual([`1 | place ${"x".repeat(66)}\u2026`, "  | ^^^^^"]);
  expect(shown(`${long} |place|`)).toEqual([`1 | \u2026${"x".repeat(66)} place`, `  | ${" ".repeat(68)}^^^^^`]);
  expect(shown(`|${long}|`)).toEqual([`1 | ${"x".repeat(72)}\u2026`, `  | ${"^".repeat(72)}`]);
});

it("does not part the halves of a character", () => {
  const [line] = shown(`${"\u{1f600}".repeat(60)}x|!|`);
  expect(line).toMatch(/^1 \| \u2026\u{1f600}+x!$/u);
});
