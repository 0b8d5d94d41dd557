import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { TomlPositions, type TomlPath } from "../../src/schema/toml-positions.ts";

const AWKWARD = `# [not.a.table]
title = "a \\" # ] } ' quote" # comment = 1
"quoted key" = 'literal \\'
'ключ'.plain . "dotted \\u0041" = 1979-05-27 07:32:00
text = """
[fake]
a = "b"
ends in quotes"""""
lines = '''
key = { x = 1 }'''
empty = {}
numbers = [ 1, 2_000,
  # a comment with ] in it
  [ 3.5, -4e2 ], [],
  { a = [ true ], b.c = "d" }, ]

[table]
x = 1

  [[table.list]]
  a = 1
  [table.list.sub]
  b = 2
  [[table.list.deep]]
  c = 3
  [[table.list.deep]]
  c = 4

[[table.list]]
a = 5
[table.list.sub]
b = 6
`;

describe("TomlPositions", () => {
  test.each<[TomlPath, string, string]>([
    [["title"], "2:1", "2:9"],
    [["quoted key"], "3:1", "3:16"],
    [["ключ"], "4:1", "4:1"],
    [["ключ", "plain"], "4:8", "4:8"],
    [["ключ", "plain", "dotted A"], "4:16", "4:34"],
    [["text"], "5:1", "5:8"],
    [["lines"], "9:1", "9:9"],
    [["empty"], "11:1", "11:9"],
    [["numbers"], "12:1", "12:11"],
    [["numbers", 0], "12:13", "12:13"],
    [["numbers", 1], "12:16", "12:16"],
    [["numbers", 2, 1], "14:10", "14:10"],
    [["numbers", 3], "14:18", "14:18"],
    [["numbers", 4, "a", 0], "15:11", "15:11"],
    [["numbers", 4, "b", "c"], "15:21", "15:25"],
    [["table"], "17:2", "17:1"],
    [["table", "list"], "20:11", "20:3"],
    [["table", "list", 0], "20:3", "20:3"],
    [["table", "list", 0, "sub", "b"], "23:3", "23:7"],
    [["table", "list", 0, "deep", 1, "c"], "27:3", "27:7"],
    [["table", "list", 1, "a"], "30:1", "30:5"],
    [["table", "list", 1, "sub"], "31:13", "31:1"],
    [["table", "list", 1, "sub", "b"], "32:1", "32:5"],
  ])("finds %j", (path, key, value) => {
    parse(AWKWARD);
    const positions = new TomlPositions(AWKWARD);
    const show = ({ line, column }: { line: number; column: number }): string => `${line}:${column}`;
    expect([show(positions.key(path)), show(positions.value(path))]).toEqual([key, value]);
  });

  test("gives the nearest table for what is not there, and the first line where there is none", () => {
    const positions = new TomlPositions(AWKWARD);
    expect(positions.value(["table", "list", 1, "sub", "nothing"])).toEqual({ line: 31, column: 1 });
    expect(positions.value(["nothing", 3])).toEqual({ line: 1, column: 1 });
  });

  test("the header of a table counts more than a mention on the way to another", () => {
    const positions = new TomlPositions("[a.b]\nx = 1\n[a]\ny = 2\n");
    expect(positions.value(["a"])).toEqual({ line: 3, column: 1 });
    expect(new TomlPositions("[a.b]\nx = 1\n").value(["a"])).toEqual({ line: 1, column: 1 });
  });

  test("carriage returns end lines too", () => {
    expect(new TomlPositions("a = 1\r\n\r\n[b]\r\nc = [\r\n  7 ]\r\n").value(["b", "c", 0])).toEqual({ line: 5, column: 3 });
  });

  test("finds every value of any document, in any way of writing it", () => {
    fc.assert(
      fc.property(arbitraryTable(3), ({ toml, leaves }) => {
        // Each leaf is a number of its own, so that its text names it.
        const text = `${toml}\n`;
        const positions = new TomlPositions(text);
        const lines = text.split("\n");
        const parsed = parse(text) as unknown;
        for (const { path, literal } of leaves) {
          const { line, column } = positions.value(path);
          expect(lines[line - 1]!.slice(column - 1), JSON.stringify(path)).toMatch(new RegExp(`^${literal}(?!\\d)`));
          expect(path.reduce<unknown>((value, part) => (value as Record<string | number, unknown>)[part], parsed)).toBe(Number(literal));
        }
      }),
      { numRuns: 300 },
    );
  });
});

interface Written {
  readonly toml: string;
  readonly leaves: readonly { readonly path: TomlPath; readonly literal: string }[];
}

type Node =
  | { readonly kind: "leaf" }
  | { readonly kind: "array"; readonly items: readonly Node[] }
  | { readonly kind: "table"; readonly style: number; readonly entries: readonly (readonly [string, Node])[] };

/** A document as text, with the paths of its leaves: numbers that count up in the order of the text. */
function arbitraryTable(depth: number): fc.Arbitrary<Written> {
  const { root } = fc.letrec<{ root: Node; table: Node; node: Node }>((tie) => ({
    root: fc.record({
      kind: fc.constant("table" as const),
      style: fc.constant(0),
      entries: fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b-1", "c_2", "7", "d e", "é", 'q"x'), tie("node")), {
        selector: ([key]) => key,
        maxLength: 5,
      }),
    }),
    table: fc.record({
      kind: fc.constant("table" as const),
      style: fc.nat({ max: 2 }),
      entries: fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b-1", "c_2", "é"), tie("node")), { selector: ([key]) => key, maxLength: 3 }),
    }),
    node: fc.oneof(
      { maxDepth: depth },
      fc.constant({ kind: "leaf" as const }),
      fc.record({ kind: fc.constant("array" as const), items: fc.array(tie("node"), { maxLength: 3 }) }),
      tie("table"),
    ),
  }));
  return root.map((tree) => {
    const leaves: { path: TomlPath; literal: string }[] = [];
    let count = 0;
    const keyOf = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
    const inline = (node: Node, path: TomlPath): string => {
      if (node.kind === "leaf") {
        count += 1;
        leaves.push({ path, literal: String(count) });
        return String(count);
      }
      if (node.kind === "array") return `[${node.items.map((item, i) => `\n ${inline(item, [...path, i])} # [,]\n`).join(",")}]`;
      return `{ ${node.entries.map(([key, item]) => `${keyOf(key)} = ${inline(item, [...path, key])}`).join(", ")} }`;
    };
    /** Pairs first, then what has a header of its own. */
    const block = (node: Node & { kind: "table" }, header: string, path: TomlPath): string => {
      const pairs: string[] = [];
      const rest: (() => string)[] = [];
      for (const [key, item] of node.entries) {
        const name = header === "" ? keyOf(key) : `${header}.${keyOf(key)}`;
        const tables =
          item.kind === "array" && item.items.length > 0 && item.items.every((one) => one.kind === "table") ? item.items : null;
        if (item.kind === "table" && item.style === 1) rest.push(() => `[ ${name} ]\n${block(item, name, [...path, key])}`);
        else if (item.kind === "table" && item.style === 2 && item.entries.length > 0) {
          for (const [inner, one] of item.entries)
            pairs.push(`  ${keyOf(key)} . ${keyOf(inner)} = ${inline(one, [...path, key, inner])} # x`);
        } else if (tables !== null) {
          rest.push(() =>
            tables.map((one, i) => `[[${name}]] # [[no]]\n${block(one as Node & { kind: "table" }, name, [...path, key, i])}`).join("\n"),
          );
        } else pairs.push(`${keyOf(key)}=${inline(item, [...path, key])}`);
      }
      return [...pairs, ...rest.map((write) => write())].join("\n");
    };
    const toml = block(tree as Node & { kind: "table" }, "", []);
    return { toml, leaves };
  });
}
