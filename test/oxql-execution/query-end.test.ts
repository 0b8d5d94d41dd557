import { expect, test } from "vitest";
import { parse, queryEnd } from "../../src/oxql/index.ts";
import { DAY_NS, SECOND_NS } from "./tables.ts";

const NOW_NS = DAY_NS + 300n * SECOND_NS;

/** Seconds after midnight, or "now". */
function endOf(text: string): number | "now" {
  const end = queryEnd(parse(text, { nowNs: NOW_NS }), NOW_NS);
  return end === NOW_NS ? "now" : Number((end - DAY_NS) / SECOND_NS);
}

test.each([
  ["no filter", "get a:b | last 1", "now"],
  ["a lower bound", "get a:b | filter timestamp > @00:01:00", "now"],
  ["an open upper bound", "get a:b | filter timestamp < @00:01:00", 60],
  ["a closed upper bound", "get a:b | filter timestamp <= @00:01:00", 60],
  ["an instant", "get a:b | filter timestamp == @00:01:00", 60],
  ["a list of instants", "get a:b | filter timestamp in [@00:02:00, @00:01:00]", 120],
  ["anything but an instant", "get a:b | filter timestamp != @00:01:00", "now"],
  ["the later of two", "get a:b | filter timestamp < @00:01:00 && timestamp < @00:02:00", 120],
  ["in one alternative", "get a:b | filter x == 1 || timestamp < @00:01:00", 60],
  ["in several filters", "get a:b | filter timestamp < @00:02:00 | align mean_within(1m) | filter timestamp < @00:01:00", 120],
  [
    "in subqueries",
    "{ get a:b | filter timestamp < @00:01:00; { get a:b | filter timestamp <= @00:03:00 } } | filter timestamp < @00:02:00",
    180,
  ],
  ["negated", "get a:b | filter !(timestamp < @00:01:00)", "now"],
  ["a negated lower bound", "get a:b | filter !(timestamp > @00:01:00)", 60],
  ["negated twice, apart", "get a:b | filter !(x == 1 && !(timestamp < @00:01:00))", 60],
  ["a negated list", "get a:b | filter !(timestamp in [@00:01:00])", "now"],
  ["one side of either or", "get a:b | filter timestamp > @00:01:00 ^ x == 1", 60],
  ["another field", "get a:b | filter start_time < @00:01:00", "now"],
  ["after now", "get a:b | filter timestamp < @00:09:00", 540],
] as const)("%s", (_title, text, wanted) => {
  expect(endOf(text)).toBe(wanted);
});

test("a long chain of ^ takes no long time", () => {
  const chain = Array.from({ length: 100 }, () => "timestamp<@00:01:00").join("^");
  expect(endOf(`get a:b | filter ${chain}`)).toBe(60);
});
