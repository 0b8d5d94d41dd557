import { describe, expect, it } from "vitest";
import { complete } from "../../src/oxql/index.ts";
import { FERRIES } from "./ferry-catalogue.ts";

const OPERATIONS = ["filter", "align", "group_by", "join", "first", "last", "map", "top", "bottom"];
const REDUCERS = ["mean", "sum", "min", "max", "count", "p50", "p90", "p99"];
const TIMESERIES = FERRIES.names();

/** A text with the cursor at `|>`, what is suggested, and the part of the text that it replaces. */
const CASES: readonly (readonly [text: string, suggested: readonly string[], replaced: string])[] = [
  ["|>", ["get", "{"], ""],
  ["g|>", ["get"], "g"],
  ["get |>", TIMESERIES, ""],
  ["get fer|>", TIMESERIES.filter((name) => name.startsWith("ferry:")), "fer"],
  ["get turns|>", ["engine:turns", "harbour:turns"], "turns"],
  ["get engine:t|>urns | last 1", ["engine:turns"], "engine:turns"],
  ["get ferry:crew |>", ["|"], ""],
  ["get ferry:crew | |>", OPERATIONS, ""],
  ["get ferry:crew | fi|>", ["filter", "first"], "fi"],
  ["get ferry:crew\n|al|>", ["align"], "al"],
  ["get ferry:draught | filter |>", ["berth", "deck", "loaded", "name", "radio", "timestamp", "datum", "!", "("], ""],
  ["get ferry:draught | filter deck == 1 && l|>", ["loaded"], "l"],
  ["get ferry:draught | filter !(|>", ["berth", "deck", "loaded", "name", "radio", "timestamp", "datum", "!", "("], ""],
  ["get engine:turns | filter |>", ["cylinder", "name", "timestamp", "start_time", "datum", "!", "("], ""],
  ["get engine:knocks | filter |>", ["name", "timestamp", "start_time", "!", "("], ""],
  ["get ferry:draught | filter loaded |>", ["==", "!=", "in"], ""],
  ["get ferry:draught | filter name |>", ["==", "!=", "~=", "<", "<=", ">", ">=", "in"], ""],
  ["get ferry:draught | filter loaded == |>", ["true", "false"], ""],
  ["get ferry:draught | filter timestamp > |>", ["@now() - 1h", "@now() - 15m", "@now() - 1d", "@now() - 1w", "@now()", "@now(1m)"], ""],
  [
    "get ferry:draught | filter timestamp > @n|>",
    ["@now() - 1h", "@now() - 15m", "@now() - 1d", "@now() - 1w", "@now()", "@now(1m)"],
    "@n",
  ],
  ["get ferry:draught | filter timestamp > @now(1|>", ["10s", "1m", "15m", "1h", "1d"], "1"],
  ["get ferry:draught | filter timestamp > @now() - |>", ["10s", "1m", "5m", "15m", "1h", "1d"], ""],
  ["get harbour:turns | filter quay == |>", ["'north'", "'it\\u{27}s south'"], ""],
  ["get harbour:turns | filter quay == 'n|>", ["'north'"], "'n"],
  ["get harbour:turns | filter quay == 'nor|>th' && name == 'x'", ["'north'"], "'north'"],
  ["get harbour:turns | filter quay in ['north', |>", ["'north'", "'it\\u{27}s south'"], ""],
  ["get ferry:draught | filter deck == 1 |>", ["^", "&&", "||", "|"], ""],
  ["get ferry:crew | align |>", ["mean_within(", "interpolate("], ""],
  ["get engine:turns | align |>", ["mean_within(", "rate("], ""],
  ["{ get engine:turns; get ferry:crew } | align |>", ["mean_within("], ""],
  ["get ferry:crew | align mean|>", ["mean_within("], "mean"],
  ["get ferry:crew | align mean_within(|>", ["10s", "1m", "5m", "15m", "1h", "1d"], ""],
  ["get engine:turns | align rate(1m) | group_by [|>", ["cylinder", "name"], ""],
  ["get engine:turns | align rate(1m) | group_by [name, |>", ["cylinder", "name", "]"], ""],
  ["get engine:turns | align rate(1m) | group_by [name], |>", REDUCERS, ""],
  ["get engine:turns | align rate(1m) | group_by [name] | filter |>", ["name", "timestamp", "datum", "!", "("], ""],
  ["get ferry:crew | last |>", ["1", "10", "100"], ""],
  ["get ferry:crew | top 3 |>", ["by", "|"], ""],
  ["get ferry:crew | top 3 by m|>", ["mean", "min", "max", "sum"], "m"],
  ["{ get engine:turns; |>", ["get", "{"], ""],
  ["{ get engine:turns |>", ["|", ";", "}"], ""],
  ["{ get ferry:crew; get engine:turns } | filter |>", ["name", "timestamp", "datum", "!", "("], ""],
  [
    "{ get engine:turns; get engine:fuel } | align rate(1m) | join | filter |>",
    ["cylinder", "name", "timestamp", "engine:turns", "engine:fuel", "!", "("],
    "",
  ],
  [
    "{ get engine:turns; get engine:fuel } | align rate(1m) | join | map engine:turns / |>",
    ["engine:turns", "engine:fuel", "ago(", "-", "("],
    "",
  ],
  ["{ get engine:turns; get ferry:crew } | align mean_within(1m) | join |>", ["on", "|"], ""],
  ["get ferry:crew | align rate(1m) | filter |>", ["name", "timestamp", "datum", "!", "("], ""],
  ["get no:such | filter |>", ["timestamp", "!", "("], ""],
  ["get ferry:crew | bogus 3 | |>", [], ""],
  ["get ferry:crew | filter name == '\\q|>", [], ""],
  ["get ferry:crew | last 3x|>", [], ""],
];

describe("completion", () => {
  it.each(CASES)("%j", (marked, suggested, replaced) => {
    const cursor = marked.indexOf("|>");
    const text = marked.replace("|>", "");
    const { from, to, suggestions } = complete(text, cursor, FERRIES);
    expect(suggestions.map((each) => each.text)).toEqual(suggested);
    if (suggested.length > 0) expect(text.slice(from, to)).toBe(replaced);
  });

  it("tells what things are", () => {
    expect(complete("get ferry:crew", 14, FERRIES).suggestions).toEqual([
      { text: "ferry:crew", kind: "timeseries", detail: "what crew is" },
    ]);
    expect(complete("get ferry:draught | filter dec", 30, FERRIES).suggestions).toEqual([{ text: "deck", kind: "name", detail: "u8" }]);
  });

  it("knows only what the catalogue does", () => {
    expect(complete("get ", 4, FERRIES.forCustomers()).suggestions).toEqual([]);
  });

  it("takes any cursor and any length of text", () => {
    expect(complete("get ferry:crew | la", 99, FERRIES).suggestions.map(({ text }) => text)).toEqual(["last"]);
    expect(complete("get ferry:crew", -1, FERRIES)).toMatchObject({ from: 0, to: 3 });
    expect(complete("x".repeat(1 << 20), 1 << 19, FERRIES).suggestions).toEqual([]);
    expect(complete(`{ `.repeat(5_000), 10_000, FERRIES).suggestions).toEqual([]);
  });
});
