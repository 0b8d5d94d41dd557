import { describe, expect, it } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { parseOperation, print, type Filter, type FilterExpression } from "../../src/oxql/index.ts";
import { NOW_NS, read } from "./ferry-catalogue.ts";

/** A text, and how it is printed; a dot where printing changes nothing. */
const VALID: readonly (readonly [text: string, printed: string])[] = [
  ["get ferry:draught", "."],
  ["\u00a0\u2003\r\n get ferry:draught \v\f\u0085", "get ferry:draught"],
  ["get\t\n ferry:draught|last\n3", "get ferry:draught | last 3"],
  ["get a1:b2_c3_4d", "."],
  ["get get:join | filter first == 1 && in != 2 || on > 3", "."],
  ["get a:b | filter ago in [1] && by == true", "."],
  ["{get a:b}", "{ get a:b }"],
  ["{get a:b;get c:d|last 1;{get e:f}}|join", "{ get a:b; get c:d | last 1; { get e:f } } | join"],
  ["get a:b | filter x==1||y==2&&z==3^w==4", "get a:b | filter x == 1 || y == 2 && z == 3 ^ w == 4"],
  ["get a:b | filter ((x == 1) || ((y == 2))) && (z == 3)", "get a:b | filter (x == 1 || y == 2) && z == 3"],
  ["get a:b | filter x == 1 ^ (y == 2 ^ z == 3)", "get a:b | filter x == 1 ^ y == 2 ^ z == 3"],
  ["get a:b | filter (x == 1 ^ y == 2) ^ z == 3", "."],
  ["get a:b | filter ! ! ! x == 1", "get a:b | filter !(x == 1)"],
  ["get a:b | filter !(!(x == 1 && y == 2))", "get a:b | filter x == 1 && y == 2"],
  ["get a:b | filter !x == 1 || !(y == 2 || z == 3)", "get a:b | filter !(x == 1) || !(y == 2 || z == 3)"],
  ["get a:b | filter x >= -3 && x<= 9 && x<0x10", "get a:b | filter x >= -3 && x <= 9 && x < 16"],
  ["get a:b | filter x == 1\n\t&&\n\ty == 2\n", "get a:b | filter x == 1 && y == 2"],
  ["get a:b | filter x in[1,  2 ,3]", "get a:b | filter x in [1, 2, 3]"],
  ["get a:b | filter x in ['a', \"b\", true, 1.5, @now()]", "get a:b | filter x in ['a', 'b', true, 1.5, @now()]"],
  ["get a:b | filter c:d > 1.0", "."],
  ["get a:b | align mean_within(90000ms)", "get a:b | align mean_within(90s)"],
  ["get a:b | align rate(0x3cs)", "get a:b | align rate(1m)"],
  ["get a:b | align interpolate(14d)", "get a:b | align interpolate(2w)"],
  ["get a:b | align mean_within(4294967295Y)", "."],
  ["get a:b | align mean_within(0s)", "."],
  ["get a:b | group_by []", "."],
  ["get a:b | group_by [ ]", "get a:b | group_by []"],
  ["get a:b | group_by [ , ],sum", "get a:b | group_by [], sum"],
  ["get a:b | group_by [x,]", "get a:b | group_by [x]"],
  ["get a:b | group_by [ x\n, y, ],  p99", "get a:b | group_by [x, y], p99"],
  ["get a:b | group_by [x], mean", "get a:b | group_by [x]"],
  ["get a:b | join", "."],
  ["get a:b | join on[x]", "get a:b | join on [x]"],
  ["get a:b | join\non [ x , y ]", "get a:b | join on [x, y]"],
  ["get a:b | first 0x1F", "get a:b | first 31"],
  ["get a:b | last 18446744073709551615", "get a:b | last 9007199254740991"],
  ["get a:b | top 3", "."],
  ["get a:b | bottom 10  by  max", "get a:b | bottom 10 by max"],
  ["get a:b | map datum", "."],
  ["get a:b | map a+b*c-d/2", "get a:b | map a + b * c - d / 2"],
  ["get a:b | map (a+b)*(c-(d-e))", "get a:b | map (a + b) * (c - (d - e))"],
  ["get a:b | map (a-b)-c", "get a:b | map a - b - c"],
  ["get a:b | map -(-x)+ -a:b", "get a:b | map --x + -a:b"],
  ["get a:b | map -(a * b)", "."],
  ["get a:b | map ago( x , 5m )/ago(ago(y,1h),1h)", "get a:b | map ago(x, 5m) / ago(ago(y, 1h), 1h)"],
  ["get a:b | map ago * 2", "."],
  ["get a:b | map 1e3 + .5 + 4. + 0x10", "get a:b | map 1000 + 0.5 + 4 + 16"],
];

describe("texts that are queries", () => {
  it.each(VALID)("%j", (text, printed) => {
    const query = read(text);
    const expected = printed === "." ? text : printed;
    expect(print(query)).toBe(expected);
    expect(print(read(expected))).toBe(expected);
  });
});

/** A text, and what the message about it says: the sentence, and the marked part of the line. */
const INVALID: readonly (readonly [text: string, sentence: string, marked: string])[] = [
  ["", 'Expected "get" or "{", found the end of the query.', ""],
  ["   ", 'Expected "get" or "{", found the end of the query.', ""],
  ["gte ferry:draught", 'Expected "get" or "{", found "gte". Did you mean get?', "gte"],
  ["get", "get takes a timeseries name, as in get target:metric.", ""],
  ["get ferry", "A timeseries name has two parts: write target:metric.", ""],
  ["get ferry :draught", "A timeseries name has no blanks round its colon: write target:metric.", " "],
  ["get ferry: draught", "A timeseries name has no blanks round its colon: write target:metric.", " "],
  ["get Ferry:draught", "Names have lower-case letters only.", "Ferry"],
  ["get ferry:draughT", "Names have lower-case letters only.", "T"],
  ["get ferry:draught_", "In a name, an underscore stands alone between letters or digits.", "_"],
  ["get a:b, c:d", "get takes one timeseries: for several write { get a:b; get c:d }.", ","],
  ["get a:b | get c:d", "get may only stand first in a query: to use several timeseries, write { get a:b; get c:d }.", "get"],
  ["get a:b | { get c:d }", "A group may only stand first in a query: to use several timeseries, write { get a:b; get c:d }.", "{"],
  ["{ get a:b } | get c:d", "get may only stand first in a query: to use several timeseries, write { get a:b; get c:d }.", "get"],
  ["last 3", "A query begins with get or with a group in braces, not with last.", "last"],
  [
    "get a:b |",
    "Expected an operation, found the end of the query. There are filter, align, group_by, join, first, last, map, top, bottom.",
    "",
  ],
  ["get a:b || last 1", "|| only stands between comparisons: operations are separated by one |.", "|"],
  ["get a:b | fliter x == 1", 'Expected an operation, found "fliter". Did you mean filter?', "fliter"],
  ["get a:b | groupby [x]", 'Expected an operation, found "groupby". Did you mean group_by?', "groupby"],
  ["get a:b;", "A semicolon only separates the queries of a group: leave it out.", ";"],
  ["{ get a:b; }", "A group does not end with a semicolon: leave it out.", "}"],
  ["{ get a:b", "A group is still open: close it by }.", ""],
  ["get a:b -- all", "OxQL has no comments: leave it out.", "-"],
  ["get a:b\r\n| last 1", "A carriage return is not a blank in OxQL: use plain newlines.", "\r"],
  ["get a:b | filter(x == 1)", "There must be a blank after filter.", "("],
  ["get a:b | filter x = 1", "Equality is written ==.", "="],
  ["get a:b | filter x <> 1", "Inequality is written !=.", ">"],
  ["get a:b | filter x !~ 'y'", "A pattern is negated from outside, as in !(name ~= 'pattern').", "!"],
  ["get a:b | filter x =~ 'y'", "The operator for regular expressions is ~=.", "="],
  ["get a:b | filter x == y", '"y" is not a literal: put text in quotes; two fields cannot be compared.', "y"],
  ["get a:b | filter 1 == x", "A comparison begins with a name and ends with a literal, as in slot == 3.", "1"],
  ["get a:b | filter x == 1 & y == 2", "And is written &&.", "&"],
  ["get a:b | filter x == 1 and y == 2", "And is written &&.", "and"],
  ["get a:b | filter x == 1 or y == 2", "Or is written ||.", "or"],
  ["get a:b | filter not x == 1", "Not is written !.", "x"],
  ["get a:b | filter (x == 1", "A parenthesis is still open: close it by ).", ""],
  ["get a:b | filter x == 1)", "This parenthesis closes none: leave it out.", ")"],
  ["get a:b | filter x ~= 3", "~= needs a string: write the pattern in quotes.", "3"],
  ['get a:b | filter x ~= "10.1.1.1"', "~= needs a string: in double quotes this is an address, use single quotes.", '"10.1.1.1"'],
  ["get a:b | filter x == +3", "A number has no plus sign: leave it out.", "+"],
  ["get a:b | filter x == 1_000", "A number has no separators: leave the _ out.", "_000"],
  ["get a:b | filter x == 2e+3", "An exponent has no plus sign: write 1e6.", "e"],
  ["get a:b | filter x == 0x10000000000000000", '"0x10000000000000000" does not fit 64 bits.', "0x10000000000000000"],
  ["get a:b | filter x == 10.0.0.1", "An address is written in double quotes.", "."],
  ["get a:b | filter x == TRUE", "Booleans are lower case: true and false.", "TRUE"],
  ["get a:b | filter x == now()", "The current time is written @now().", "now"],
  [
    "get a:b | filter x == 'open",
    "The string that begins here is not closed: end it with ', and write \\u{27} for that quote within it.",
    "'",
  ],
  ["get a:b | filter x == 'a\\'b'", "A quote cannot be escaped with a backslash: write \\u{27}, or use the other quotes.", "\\'"],
  [
    "get a:b | filter x ~= '\\w'",
    "Unknown escape \\w: the escapes are \\n \\r \\t \\\\ \\0 and \\u{H}; for a backslash itself, as in a regular expression, write \\\\w.",
    "\\w",
  ],
  ["get a:b | filter x == '\\u{d812}'", "\\u{d812} is not a character of Unicode.", "\\u{d812}"],
  ["get a:b | filter x == '\\u{1234567}'", "An escape by code point is written \\u{H} with one to six hexadecimal digits.", "\\u"],
  ["get a:b | filter x in []", "A list has at least one literal.", "]"],
  ["get a:b | filter x in [1,]", 'Expected a literal, found "]".', "]"],
  ["get a:b | filter x > @2031-13-01", "@2031-13-01 is no date and time of the calendar.", "@2031-13-01"],
  ["get a:b | filter x > @2030-02-29T00:00:00", "@2030-02-29T00:00:00 is no date and time of the calendar.", "@2030-02-29T00:00:00"],
  ["get a:b | filter x > @24:00:00", "@24:00:00 is no time of the day.", "@24:00:00"],
  ["get a:b | filter x > @2031-05-07T10:20", "A time needs hours, minutes and seconds: write it as in @2026-05-04T13:30:00.", "T"],
  ["get a:b | filter x > @2031-05-07T10:20:30Z", "A timestamp has no zone, all are UTC: leave the Z out.", "Z"],
  [
    "get a:b | filter x > @yesterday",
    '"@yesterday" is not a timestamp: write @2026-05-04, @2026-05-04T13:30:00, @13:30:00 or @now().',
    "@yesterday",
  ],
  ["get a:b | filter x > @now", '"@now" is not a timestamp: the current time is @now().', "@now"],
  ["get a:b | filter x > @now( )", "There may be no blanks within the parentheses: write mean_within(1m).", " "],
  ["get a:b | filter x > @now() - 1h - 5m", "A timestamp takes one offset only: add them up.", "-"],
  ["get a:b | filter x > @now(0s)", "now cannot be rounded to multiples of zero: write a longer duration, or @now().", "0s"],
  ["get a:b | filter x > @now() - 9000Y", "@now() - 9000Y is outside the years 0 to 9999.", "@now() - 9000Y"],
  ["get a:b | align mean(1m)", "The method is called mean_within. There are mean_within, rate, interpolate.", "mean"],
  ["get a:b | align rate (1m)", "There may be no blank before the parenthesis: write mean_within(1m).", " "],
  [
    "get a:b | align rate(1.5m)",
    "A duration is one whole number and one unit without blanks, which is one of Y M w d h m s ms us ns, as in 90s.",
    "1",
  ],
  ["get a:b | align rate(5min)", "A duration is one whole number and one unit, which is one of Y M w d h m s ms us ns, as in 90s.", "in"],
  [
    "get a:b | align rate(4294967296s)",
    'The count of a duration is a whole number from 0 to 4294967295: write "4294967296s" in a larger unit.',
    "4294967296s",
  ],
  ["get a:b | group_by[x]", "There must be a blank after group_by.", "["],
  ["get a:b | group_by (x)", "The fields are listed in square brackets, as in group_by [name].", "("],
  [
    "get a:b | group_by [x] , sum",
    "The comma before the reducer must follow the bracket without a blank: write group_by [name], sum.",
    ",",
  ],
  ["get a:b | group_by [x], avg", "The reducer is called mean. There are mean, sum, min, max, count, p50, p90, p99.", "avg"],
  ["get a:b | group_by [x ,]", 'Expected "]", found ",".', ","],
  ["get a:b | join x", 'Expected "on", "|" or the end of the query, found "x".', "x"],
  ["get a:b | first 0", "The count is 0: it must be 1 or more.", "0"],
  ["get a:b | first -1", "The count is -1: it must be 1 or more.", "-1"],
  ["get a:b | first 2.0", 'Expected a whole number, found "2".', "2"],
  ["get a:b | first 99999999999999999999", "The count does not fit 64 bits.", "99999999999999999999"],
  ["get a:b | top 3 per max", 'Expected "by", "|" or the end of the query, found "per".', "per"],
  ["get a:b | map", "map takes an expression, as in map datum / 1000.", ""],
  ["get a:b | map 1 +", 'Expected "-", "(" or an expression, found the end of the query.', ""],
  ["get a:b | map a b", 'Expected "*", "/", "+", "-", "|" or the end of the query, found "b".', "b"],
];

describe("texts that are none", () => {
  it.each(INVALID)("%j", (text, sentence, marked) => {
    const error = refusal(text);
    expect(error.message.split("\n")[0]).toBe(sentence);
    expect(error).toMatchObject({ code: "query", kind: "parse" });
    const { offset, length } = error.position!;
    if (marked !== "") expect(text.slice(offset, offset + length)).toBe(marked);
  });

  it("shows the line and marks the place", () => {
    expect(refusal("get a:b\n\t| filter xx = 1\n| last 2").message).toBe(
      "Equality is written ==.\n2 |  | filter xx = 1\n  |              ^",
    );
  });

  it("counts lines and columns from one, in the text as given", () => {
    expect(refusal("\n\n  get a:b |\n  bogus").position).toEqual({ offset: 16, length: 5, line: 4, column: 3 });
  });
});

describe("positions", () => {
  it("cover each node without the blanks behind it", () => {
    const text = " get a:b |  filter x == 'p q'  &&  !( y in [ 1 ] ) | group_by [x] , ";
    const query = read(text.slice(0, -3));
    const shown = (node: { position: { offset: number; length: number } }) =>
      text.slice(node.position.offset, node.position.offset + node.position.length);
    expect(shown(query)).toBe(text.trim().slice(0, -2));
    expect(query.operations.map(shown)).toEqual(["get a:b", "filter x == 'p q'  &&  !( y in [ 1 ] )", "group_by [x]"]);
    const { expression } = query.operations[1] as Filter;
    const { left, right } = expression as Extract<FilterExpression, { left: unknown }>;
    expect([left, right].map(shown)).toEqual(["x == 'p q'", "!( y in [ 1 ] )"]);
    expect(shown((left as Extract<FilterExpression, { literal: unknown }>).literal)).toBe("'p q'");
  });
});

describe("limits", () => {
  it("refuses more than 4096 bytes after trimming, and takes as many", () => {
    const fill = (bytes: number) => `get a:b | filter x == '${"é".repeat((bytes - 24) / 2)}'`;
    expect(read(`  ${fill(4096)}\n`).operations).toHaveLength(2);
    expect(refusal(fill(4098))).toMatchObject({
      kind: "parse",
      position: null,
      message: "The query is longer than 4096 bytes: shorten it or split it into several queries.",
    });
    expect(refusal(" ".repeat(5) + "x".repeat(1 << 20)).kind).toBe("parse");
  });

  it.each(["(", "!(", "{ ", "-", "ago("])("refuses deep nesting of %j, within the length and beyond", (open) => {
    const start = open === "{ " ? "" : open === "-" || open === "ago(" ? "get a:b | map " : "get a:b | filter ";
    expect(refusal(start + open.repeat(300)).kind).toBe("too_complex");
    expect(refusal(start + open.repeat(10_000)).kind).toBe("parse");
    expect(refusal(start + open.repeat(200)).kind).toBe("parse");
  });

  it("takes long chains and runs of !, which do not nest", () => {
    expect(print(read(`get a:b | filter ${"a<1||".repeat(800)}a<1`)).length).toBeGreaterThan(4096);
    expect(print(read(`get a:b | filter ${"!".repeat(4001)}a<1`))).toBe("get a:b | filter !(a < 1)");
    expect(print(read(`get a:b | map ${"a+".repeat(2000)}a`)).length).toBeGreaterThan(4096);
  });
});

describe("one operation", () => {
  it("is read alone", () => {
    expect(parseOperation(" last 2 ", { nowNs: NOW_NS })).toMatchObject({ kind: "limit", end: "last", count: 2 });
    expect(() => parseOperation("last 2 | first 1", { nowNs: NOW_NS })).toThrow(/^Expected the end of the query, found "\|"/);
    expect(() => parseOperation("get a:b", { nowNs: NOW_NS })).toThrow(/may only stand first/);
    expect(() => parseOperation("top 2", { nowNs: NOW_NS, dialect: "upstream" })).toThrow(/^Upstream's OxQL does not have top/);
  });
});

function refusal(text: string): ZonemeterError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ZonemeterError) return error;
    throw error;
  }
  throw new Error(`${text} is not refused`);
}
