import { describe, expect, it } from "vitest";
import { Catalogue, ZonemeterError } from "../../src/core/index.ts";
import { describeTable, plan, printPlan } from "../../src/oxql/index.ts";
import { FERRIES, planned, read } from "./ferry-catalogue.ts";

/** A query, and the tables that it gives. */
const ACCEPTED: readonly (readonly [query: string, ...tables: string[]])[] = [
  ["get ferry:draught | last 1", "ferry:draught {berth: uuid, deck: u8, loaded: bool, name: string, radio: ip_addr}: gauge double"],
  ["get ferry:crew | last 1", "ferry:crew {name: string}: gauge integer"],
  ["get ferry:flag | filter datum == 'fi'", "ferry:flag {name: string}: gauge string"],
  ["get ferry:flag | filter datum ~= '^f'", "ferry:flag {name: string}: gauge string"],
  ["get ferry:moving | filter datum != true", "ferry:moving {name: string}: gauge boolean"],
  ["get harbour:turns | filter datum > 1.5", "harbour:turns {name: string, quay: string}: gauge double"],
  ["get engine:turns | first 2", "engine:turns {cylinder: i32, name: string}: delta integer"],
  ["get engine:fuel | filter name == 'Aurora'", "engine:fuel {cylinder: i32, name: string}: delta double"],
  ["get engine:knocks | filter timestamp > @now() - 1h", "engine:knocks {name: string}: delta integer_distribution"],
  ["get engine:strokes | filter start_time > @now() - 1h", "engine:strokes {name: string}: delta double_distribution"],
  ["get engine:turns | filter start_time > @2031-01-01", "engine:turns {cylinder: i32, name: string}: delta integer"],
  ["get engine:turns | filter name == 'x' || datum > 3", "engine:turns {cylinder: i32, name: string}: delta integer"],
  [
    'get ferry:draught | filter deck == 300 && deck != -1 && loaded == true && radio == "::1"',
    "ferry:draught {berth: uuid, deck: u8, loaded: bool, name: string, radio: ip_addr}: gauge double",
  ],
  [
    "get ferry:draught | filter berth in [\"00000000-0000-0000-0000-000000000001\"] && name in ['a', 'b']",
    "ferry:draught {berth: uuid, deck: u8, loaded: bool, name: string, radio: ip_addr}: gauge double",
  ],
  ["get clock:timestamp | filter timestamp == 'noon' && datum == 7", "clock:timestamp {datum: u64, timestamp: string}: gauge integer"],
  ["get ferry:crew | filter crew > 3", "ferry:crew {name: string}: gauge integer"],
  ["get ferry:crew | filter ferry:crew > 3", "ferry:crew {name: string}: gauge integer"],
  ["get ferry:crew | last 9 | align mean_within(1m)", "ferry:crew {name: string}: gauge double every 1m"],
  ["get ferry:crew | last 9 | align interpolate(1m)", "ferry:crew {name: string}: gauge double every 1m"],
  ["get engine:turns | last 9 | align rate(90s)", "engine:turns {cylinder: i32, name: string}: gauge double every 90s"],
  [
    "get ferry:crew | filter name == 'x' | align mean_within(1m) | align mean_within(1h)",
    "ferry:crew {name: string}: gauge double every 1h",
  ],
  [
    "get ferry:crew | filter name == 'x' | align mean_within(1m) | filter name == 'y' || name == 'z'",
    "ferry:crew {name: string}: gauge double every 1m",
  ],
  ["get engine:turns | last 9 | align rate(1m) | group_by [name], sum", "engine:turns {name: string}: gauge double every 1m"],
  ["get engine:turns | last 9 | align rate(1m) | group_by [], count", "engine:turns {}: gauge integer every 1m"],
  ["get engine:turns | last 9 | align rate(1m) | group_by [name, name] | group_by [], p90", "engine:turns {}: gauge double every 1m"],
  ["get ferry:crew | last 9 | top 3 by max", "ferry:crew {name: string}: gauge integer"],
  ["get ferry:crew | last 9 | align mean_within(1m) | bottom 3 | last 1", "ferry:crew {name: string}: gauge double every 1m"],
  [
    "{ get ferry:crew; get engine:turns } | filter name == 'x'",
    "ferry:crew {name: string}: gauge integer",
    "engine:turns {cylinder: i32, name: string}: delta integer",
  ],
  [
    "{ get ferry:crew | last 1; get ferry:flag | filter name == 'x' }",
    "ferry:crew {name: string}: gauge integer",
    "ferry:flag {name: string}: gauge string",
  ],
  [
    "{ get engine:turns; get engine:fuel } | last 9 | align rate(1m) | join",
    "engine:turns,engine:fuel {cylinder: i32, name: string}: gauge double, gauge double every 1m",
  ],
  [
    "{ get engine:turns; get engine:fuel } | last 9 | align rate(1m) | join | filter fuel > 1.0 && engine:turns < 5.0",
    "engine:turns,engine:fuel {cylinder: i32, name: string}: gauge double, gauge double every 1m",
  ],
  [
    "{ get engine:turns; get engine:fuel } | last 9 | align rate(1m) | join | map turns / fuel | group_by [name]",
    "engine:turns,engine:fuel {name: string}: gauge double every 1m",
  ],
  [
    "{ get engine:turns | last 9 | align rate(1m) ; get ferry:crew | last 9 | align mean_within(1m) } | join on [name]",
    "engine:turns,ferry:crew {cylinder: i32, name: string}: gauge double, gauge double every 1m",
  ],
  [
    "get ferry:crew | last 9 | align mean_within(1m) | map -(datum - ago(crew, 1h)) * 2 + ago(5, 0s)",
    "ferry:crew {name: string}: gauge double every 1m",
  ],
  ["get ferry:crew | first 5 | filter timestamp > @2031-01-01", "ferry:crew {name: string}: gauge integer"],
];

describe("queries that are accepted", () => {
  it.each(ACCEPTED)("%s", (query, ...tables) => {
    expect(planned(query).tables.map(describeTable)).toEqual(tables);
  });
});

const ENGINES = "{ get engine:turns; get engine:fuel } | last 9 | align rate(1m) | join";

/** A query, the kind of its error, words of the message, and what is marked. */
const REFUSED: readonly (readonly [query: string, kind: string, words: string, marked: string])[] = [
  ["get ferry:draft | last 1", "unknown_timeseries", 'There is no timeseries "ferry:draft". Did you mean ferry:draught?', "ferry:draft"],
  [
    "{ get ferry:crew | filter bogus == 1; get nothing:like_it }",
    "unknown_timeseries",
    'There is no timeseries "nothing:like_it".',
    "nothing:like_it",
  ],
  ["get ferry:photo | last 1", "not_implemented", "holds bytes", "get ferry:photo"],
  [
    "get ferry:crew | filter nmae == 'x'",
    "invalid_identifier",
    'has no "nmae". Did you mean name? It has name, timestamp and datum.',
    "nmae",
  ],
  ["get ferry:crew | filter start_time > @now()", "invalid_identifier", 'has no "start_time"', "start_time"],
  ["get ferry:crew | filter name == 'a' && ferry:draught > 1.0", "invalid_identifier", 'has no "ferry:draught"', "ferry:draught"],
  ["get engine:knocks | filter datum > 1", "invalid_identifier", "is a histogram", "datum"],
  ["get engine:knocks | last 1 | filter counts == 1", "unsupported_filter_identifier", "is a histogram", "counts"],
  ["get ferry:crew | filter counts == 1", "invalid_identifier", 'has no "counts"', "counts"],
  ["{ get ferry:crew; get harbour:turns } | filter quay == 'x'", "invalid_identifier", 'ferry:crew has no "quay"', "quay"],
  [`${ENGINES} | filter datum > 1.0`, "datum_on_nd_table", "engine:turns or engine:fuel", "datum"],
  [
    "{ get engine:turns; get engine:turns } | last 9 | align rate(1m) | join | filter turns > 1.0",
    "invalid_identifier",
    "stands for 2 columns",
    "turns",
  ],
  [
    "get engine:turns | last 9 | align rate(1m) | filter start_time > @now()",
    "start_time_not_cumulative",
    "before the align",
    "start_time",
  ],
  ["get ferry:draught | filter datum > 5", "type_mismatch", "is a double: write 5.0.", "5"],
  ["get ferry:crew | filter datum > 5.0", "type_mismatch", "is an integer: write 5.", "5.0"],
  ["get ferry:crew | filter datum > 5s", "type_mismatch", "is an integer: write an integer such as 5.", "5s"],
  ["get ferry:crew | filter datum > @now()", "type_mismatch", "is an integer", "@now()"],
  ["get ferry:crew | filter timestamp > 'monday'", "type_mismatch", "write a time such as @now() - 1h", "'monday'"],
  ["get ferry:crew | filter timestamp > '2031-05-07'", "type_mismatch", "write @2031-05-07 without quotes", "'2031-05-07'"],
  [
    "get ferry:crew | filter timestamp > '2031-05-07 01:02:03.5Z'",
    "type_mismatch",
    "write @2031-05-07T01:02:03.5 ",
    "'2031-05-07 01:02:03.5Z'",
  ],
  ["get ferry:crew | filter timestamp > 1748779200", "type_mismatch", "write @2025-06-01T12:00:00.", "1748779200"],
  ["get ferry:crew | filter timestamp > 1748779200123", "type_mismatch", "write @2025-06-01T12:00:00.123.", "1748779200123"],
  ["get ferry:crew | filter timestamp > 5", "type_mismatch", "write a time such as @now() - 1h", "5"],
  ["get ferry:crew | filter timestamp > 90m", "type_mismatch", "write @now() - 90m", "90m"],
  ["get ferry:crew | filter time > @now() - 1h", "invalid_identifier", "Did you mean timestamp?", "time"],
  ["get ferry:crew | filter value > 5", "invalid_identifier", "Did you mean datum?", "value"],
  ["get ferry:crew | filter crow > 5", "invalid_identifier", 'has no "crow". It has', "crow"],
  ["get ferry:draught | filter loaded == 'true'", "type_mismatch", "write true without quotes", "'true'"],
  ['get ferry:draught | filter name == "10.1.2.3"', "type_mismatch", "use single quotes", '"10.1.2.3"'],
  ["get ferry:draught | filter name == 5", "type_mismatch", "write '5'", "5"],
  [
    "get ferry:draught | filter berth == '00000000000000000000000000000001'",
    "type_mismatch",
    "use double quotes",
    "'00000000000000000000000000000001'",
  ],
  [
    'get ferry:draught | filter berth == "00000000-0000-0000-0000-00000000001"',
    "type_mismatch",
    "8-4-4-4-12",
    '"00000000-0000-0000-0000-00000000001"',
  ],
  ["get ferry:draught | filter radio == '10.1.2.3'", "type_mismatch", 'write "10.1.2.3" in double quotes', "'10.1.2.3'"],
  ["get ferry:draught | filter radio == 'fd00::/8'", "type_mismatch", "networks", "'fd00::/8'"],
  ["get ferry:draught | filter deck ~= '1'", "type_mismatch", "~= is for strings", "'1'"],
  ["get ferry:draught | filter deck in [1, 2.0]", "type_mismatch", "write 2", "2.0"],
  ["get ferry:draught | filter deck == 36893488147419103232", "type_mismatch", "write an integer", "36893488147419103232"],
  ["get ferry:crew | filter name ~= 'a[b-'", "type_mismatch", "this bracket is not closed", "["],
  ["get ferry:crew | filter name ~= '\\u{1F600}\\\\d{2,1}'", "type_mismatch", "the second count is below the first", "{2,1}"],
  ["get ferry:crew | last 1 | align rate(1m)", "type_mismatch", "rate needs a counter", "align rate(1m)"],
  ["get engine:turns | last 1 | align interpolate(1m)", "type_mismatch", "interpolate needs a gauge", "align interpolate(1m)"],
  ["get engine:turns | last 1 | align rate(1m) | align rate(1m)", "type_mismatch", "rate needs a counter", "align rate(1m)"],
  ["get ferry:crew | last 1 | align mean_within(0s)", "parse", "period of zero", "align mean_within(0s)"],
  ["get ferry:flag | last 1 | align mean_within(1m)", "non_numeric", "holds string values", "align mean_within(1m)"],
  ["get engine:strokes | last 1 | align mean_within(1m)", "non_numeric", "holds double_distribution values", "align mean_within(1m)"],
  [`${ENGINES} | align mean_within(1m)`, "multi_dimensional", "2 values a point", "align mean_within(1m)"],
  ["get ferry:crew | last 1 | group_by [name]", "not_aligned", "put an align before it", "group_by [name]"],
  [
    "{ get ferry:crew; get harbour:turns } | last 1 | align mean_within(1m) | group_by [name]",
    "single_table_required",
    "ferry:crew and harbour:turns",
    "group_by [name]",
  ],
  [`${ENGINES} | group_by [name]`, "multi_dimensional", "2 values a point", "group_by [name]"],
  [
    "get ferry:crew | last 1 | align mean_within(1m) | group_by [name, nmae]",
    "unknown_group_field",
    'no field "nmae". Did you mean name?',
    "nmae",
  ],
  ["get engine:turns | last 1 | align rate(1m) | group_by [name] | group_by [cylinder]", "unknown_group_field", "It has name.", "cylinder"],
  [
    "get engine:turns | last 1 | align rate(1m) | group_by [name] | filter cylinder == 1",
    "invalid_identifier",
    'has no "cylinder"',
    "cylinder",
  ],
  ["get ferry:crew | last 1 | align mean_within(1m) | join", "multiple_tables_required", "here is ferry:crew", "join"],
  ["{ get engine:turns; get engine:fuel } | last 1 | join", "not_aligned", "engine:turns is not", "join"],
  [
    "{ get engine:turns | last 1 | align rate(1m); get engine:fuel | last 1 | align rate(2m) } | join",
    "join_period_mismatch",
    "to 1m and engine:fuel to 2m",
    "join",
  ],
  [
    "{ get engine:turns; get ferry:crew } | last 1 | align mean_within(1m) | join",
    "join_field_mismatch",
    "differ in their fields, in cylinder",
    "join",
  ],
  [`{ ${ENGINES}; get engine:turns | last 1 | align rate(1m) } | join`, "multi_dimensional", "and join takes one", "join"],
  [
    "{ get engine:turns; get ferry:crew } | last 1 | align mean_within(1m) | join on [cylinder]",
    "join_field_mismatch",
    'ferry:crew has no field "cylinder"',
    "cylinder",
  ],
  ["get ferry:crew | last 1 | map datum", "not_aligned", "map needs aligned data", "map datum"],
  ["get ferry:crew | last 1 | align mean_within(1m) | map name + 1", "invalid_identifier", "name is a field", "name"],
  [`${ENGINES} | map datum + 1`, "datum_on_nd_table", "engine:turns or engine:fuel", "datum"],
  [
    "{ get harbour:turns; get harbour:turns } | last 1 | align mean_within(1m) | join | map turns",
    "invalid_identifier",
    "stands for 2 columns",
    "turns",
  ],
  [
    "get ferry:crew | last 1 | align mean_within(1m) | map ago(crew, 90s)",
    "type_mismatch",
    "not a multiple of the period of 1m",
    "ago(crew, 90s)",
  ],
  ["get ferry:flag | last 1 | top 3", "non_numeric", "top takes numbers only", "top 3"],
  [`${ENGINES} | bottom 1`, "multi_dimensional", "bottom takes one", "bottom 1"],
  ["get ferry:crew", "full_table_scan", "neither a filter nor a limit reaches it", "get ferry:crew"],
  ["get ferry:crew | align mean_within(1m) | last 1", "full_table_scan", "a limit behind align does not count", "get ferry:crew"],
  ["get engine:turns | filter datum > 3", "full_table_scan", "by the datum of a counter", "get engine:turns"],
  ["get ferry:crew | align mean_within(1m) | filter datum > 3.0", "full_table_scan", "of anything behind align", "get ferry:crew"],
  ["get ferry:crew | top 3 | filter name == 'x'", "full_table_scan", "nothing behind top or bottom counts", "get ferry:crew"],
  ["{ get ferry:crew | last 1; get ferry:flag }", "full_table_scan", "get ferry:flag would read all", "get ferry:flag"],
  [
    "get ferry:crew | align mean_within(1m) | first 5 | filter timestamp > @2031-01-01",
    "full_table_scan",
    "get ferry:crew",
    "get ferry:crew",
  ],
  [
    "{ get engine:turns; get ferry:crew } | align mean_within(1m) | join on [name] | filter cylinder == 1",
    "full_table_scan",
    "get engine:turns",
    "get engine:turns",
  ],
];

describe("queries that are refused", () => {
  it.each(REFUSED)("%s", (query, kind, words, marked) => {
    const error = refusal(query);
    expect(error).toMatchObject({ code: "query", kind });
    expect(error.message.split("\n")[0]).toContain(words);
    const { offset, length } = error.position!;
    expect(query.slice(offset, offset + length)).toBe(marked);
    expect(error.message.split("\n")).toHaveLength(3);
  });

  it("too complex a filter, after types and before full scans", () => {
    const filter = Array.from({ length: 20 }, (_, i) => `(deck == ${i} || deck == ${i + 1})`).join(" && ");
    expect(refusal(`get ferry:draught | filter ${filter}`).kind).toBe("too_complex");
    expect(refusal(`get ferry:draught | filter ${filter} && bogus == 1`).kind).toBe("invalid_identifier");
  });

  it("says the same of a hidden timeseries and of one that does not exist", () => {
    const hidden = FERRIES.forCustomers();
    const empty = new Catalogue([]);
    const messages = [hidden, empty].map((catalogue) => {
      try {
        return plan(read("get ferry:crew | last 1"), catalogue).tables.length;
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(messages[0]).toBe('There is no timeseries "ferry:crew".\n1 | get ferry:crew | last 1\n  |     ^^^^^^^^^^');
    expect(messages[1]).toBe(messages[0]);
  });

  it("interpolation and columns by name in the upstream dialect", () => {
    const upstream = (query: string) => () => plan(read(query, "upstream"), FERRIES, { dialect: "upstream" });
    expect(upstream("get ferry:crew | last 1 | align interpolate(1m)")).toThrow(expect.objectContaining({ kind: "not_implemented" }));
    expect(upstream("get ferry:crew | filter crew > 3")).toThrow(expect.objectContaining({ kind: "invalid_identifier" }));
  });
});

describe("the printed plan", () => {
  it("shows what each get asks for, what runs on it, and what comes out", () => {
    const text =
      "{ get engine:turns | filter cylinder == 1; get engine:fuel } | filter name ~= 'A' && timestamp > @2031-05-07 | align rate(1m) | join | map turns / fuel | last 2";
    expect(printPlan(planned(text))).toBe(`{
  get engine:turns
      where cylinder == 1 && name ~= 'A' && timestamp > @2031-05-07
      and the sample before each range
  | delta
  | filter cylinder == 1;
  get engine:fuel
      where name ~= 'A' && timestamp > @2031-05-07
      and the sample before each range
  | delta
}
| filter name ~= 'A' && timestamp > @2031-05-07
| align rate(1m)
| join
| map turns / fuel
| last 2
gives
  engine:turns,engine:fuel {cylinder: i32, name: string}: gauge double every 1m`);
  });

  it("shows what the store puts together by window, if it can", () => {
    const printed = (text: string, windows: boolean): string => printPlan(plan(read(text), FERRIES, { windows }));
    const counter = "get engine:turns | filter timestamp > @2031-05-07 | align rate(1m)";
    expect(printed(counter, true)).toContain(
      "    and the sample before each range\n    of each window of 1m only its first and last sample\n| delta\n",
    );
    expect(printed(counter, false)).not.toContain("window");
    const gauge = "get ferry:crew | filter timestamp > @2031-05-07 | align mean_within(10m)";
    expect(printed(gauge, true)).toContain("    of each window of 10m only the sum and number of its samples\n");
    expect(printed("get ferry:crew | filter timestamp > @2031-05-07 && datum > 3 | align mean_within(10m)", true)).not.toContain("window");
    expect(
      printed("{ get ferry:crew | align mean_within(10m); get ferry:crew | last 1 } | filter timestamp > @2031-05-07", true),
    ).toContain("window of 10m");
  });

  it("shows alternatives, limits and full reads", () => {
    expect(printPlan(planned("get harbour:turns | filter quay == 'north' || name == 'x' && datum > 1.0"))).toContain(
      "    where name == 'x'\n       or quay == 'north'\n",
    );
    expect(printPlan(planned("get ferry:crew | last 3"))).toContain(
      "get ferry:crew\n    all rows\n    the last 3 of each timeseries\n| last 3",
    );
    expect(planned("get ferry:crew | filter datum > 3").gets).toMatchObject([
      { request: { alternatives: [], limit: null, lookBack: false } },
    ]);
  });
});

function refusal(query: string): ZonemeterError {
  try {
    planned(query);
  } catch (error) {
    if (error instanceof ZonemeterError) return error;
    throw error;
  }
  throw new Error(`${query} is not refused`);
}
