import { describe, expect, it } from "vitest";
import { read } from "./ferry-catalogue.ts";

/** What our language has beyond upstream's, and what the message calls it. */
const ADDITIONS: readonly (readonly [query: string, what: string])[] = [
  ["get a:b | align rate(1m)", "align rate"],
  ["get a:b | group_by [x], max", "the reducer max"],
  ["get a:b | join on [x]", "join on"],
  ["get a:b | top 3", "top"],
  ["get a:b | bottom 3 by sum", "bottom"],
  ["get a:b | map datum * 2", "map"],
  ["{ get a:b | filter x in [1]; get c:d }", "in"],
  ["get a:b | filter x == 1 || !(a:b > 2)", "a timeseries name in a filter"],
  ["get a:b | filter timestamp > @now(1m)", "the timestamp @now(1m)"],
  ["get a:b | filter timestamp > @now(1m) - 1h", "the timestamp @now(1m) - 1h"],
  ["get a:b | filter timestamp > @2031-05-07 - 1h", "the timestamp @2031-05-07 - 1h"],
  ["get a:b | filter timestamp > @10:00:00+1h", "the timestamp @10:00:00 + 1h"],
];

describe("the upstream dialect", () => {
  it.each(ADDITIONS)("refuses %s", (query, what) => {
    expect(read(query).kind).toBe("query");
    expect(() => read(query, "upstream")).toThrow(
      expect.objectContaining({
        kind: "parse",
        message: expect.stringMatching(`^Upstream's OxQL does not have ${what.replaceAll(/[()+*?.]/g, "\\$&")}\\.`) as string,
      }),
    );
  });

  it("takes the rest", () => {
    const query =
      "{ get a:b | align interpolate(1m); get c:d } | filter x == 1 ^ !(timestamp > @now() - 1h || y ~= 'z') | group_by [x], sum | join | first 3";
    expect(read(query, "upstream")).toEqual(read(query));
  });
});
