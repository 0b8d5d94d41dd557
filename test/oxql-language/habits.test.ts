import { expect, it } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { parse } from "../../src/oxql/index.ts";

/** What people write who know other languages, the beginning of what they are told, and what is marked. */
const HABITS: readonly (readonly [text: string, sentence: string, marked: string])[] = [
  ["dock:tide | last 1", "A query begins with get: write get dock:tide.", "dock"],
  ["{ dock:tide; dock:wind } | last 1", "A query begins with get: write get dock:tide.", "dock"],
  ["SELECT * FROM tide", "OxQL is not SQL: a query begins with get", "SELECT"],
  ["show tables", "OxQL is not SQL", "show"],
  ["rate(dock:tide[5m])", "A query is a pipeline, without functions around it", "rate"],
  ["sum by (dock) (tide)", "A query is a pipeline", "sum"],
  ["tide{dock='x'}", "A query is a pipeline", "tide"],
  ["get 'dock:tide'", "A timeseries name stands without quotes", "'"],
  ["get dock.tide", "The two parts of a timeseries name are joined by a colon", "."],
  ["get dock:tide{pier='x'}", "Conditions stand in a filter behind a pipe", "{"],
  ["get dock:tide[5m]", "A time range is a filter", "["],
  ["get dock:tide; get dock:wind", "Several queries stand in a group", ";"],
  ["{ get dock:tide get dock:wind }", "Several queries stand in a group, with semicolons", "get"],
  ["get dock:tide last 1", "Operations are separated by |: put one before last.", "last"],
  ["get dock:tide | filter pier == 1 align rate(1m)", "Operations are separated by |: put one before align.", "align"],
  ["get dock:tide | filter pier == 1 | berth == 2", "Or between comparisons is written ||", "berth"],
  ["get dock:tide | filter pier == 1 | berth in [2]", "Or between comparisons is written ||", "berth"],
  ["get dock:tide where pier = 1", "Conditions stand in a filter, as in", "where"],
  ["get dock:tide | WHERE pier = 1", "Conditions stand in a filter, as in", "WHERE"],
  ["get dock:tide | select pier", "All fields come along", "select"],
  ["get dock:tide | limit 5", "first n and last n limit the points", "limit"],
  ["get dock:tide | order by pier", "Points come in the order of their times", "order"],
  ["get dock:tide | group by pier", "Grouping is written | group_by [name, other], sum", "group"],
  ["get dock:tide | rate(1m)", "That is a way to align, as in | align rate(1m).", "rate"],
  ["get dock:tide | sum", "Timeseries are reduced by | group_by [name], sum", "sum"],
  ["get dock:tide as t", "A timeseries keeps its name", "as"],
  ["get dock:tide | align avg(1m)", "The method is called mean_within.", "avg"],
  ["get dock:tide | align increase(1m)", "The method is called rate.", "increase"],
  ["get dock:tide | align 1m", "A method comes before the period", "1m"],
  ["get dock:tide | align rate 1m", "The period stands in parentheses", " "],
  ["get dock:tide | align rate('1m')", "A duration stands without quotes", "'"],
  ["get dock:tide | align", "align takes a method and a period", ""],
  ["get dock:tide | last", "last takes a number, as in last 10.", ""],
  ["get dock:tide | last 5m", "This is a number of points, not a time", "m"],
  ["get dock:tide | top 5 max", "By what to rank stands behind by: write top 5 by max.", "max"],
  ["get dock:tide | top 5 by average", "The reducer is called mean.", "average"],
  ["get dock:tide | group_by pier", "A list stands in square brackets", "pier"],
  ["get dock:tide | group_by ['pier']", "Field names stand without quotes", "'"],
  ["get dock:tide | group_by [pier berth]", "A list has commas", "berth"],
  ["get dock:tide | group_by [pier] sum", "A comma touches the bracket before the reducer: write group_by [name], sum.", "sum"],
  ["get dock:tide | group_by [pier], sum, max", "There is one reducer", ","],
  ["get dock:tide | group_by [pier], sum(datum)", "There is one reducer", "("],
  ["get dock:tide | filter pier-no == 1", "A name has no hyphens", "-"],
  ["get dock:tide | filter pier not in [1]", "Not in is written around it", "not"],
  ["get dock:tide | filter pier between 1 and 2", "A range is two comparisons", "between"],
  ["get dock:tide | filter pier LIKE 'x%'", "Text is searched for a regular expression by ~=", "LIKE"],
  ["get dock:tide | filter pier is null", "There is no null", "is"],
  ["get dock:tide | filter pier == null", "There is no null", "null"],
  ["get dock:tide | filter lower(pier) == 'x'", "A filter has no functions", "("],
  ["get dock:tide | filter pier.startswith('x')", "A filter has no functions", "."],
  ["get dock:tide | filter datum / 2 > 1", "A filter does not compute", "/"],
  ["get dock:tide | filter datum > 2 * 3", "A comparison ends with one literal", "*"],
  ["get dock:tide | filter open && pier == 1", "A condition is a comparison", "&"],
  ["get dock:tide | filter open", "A condition is a comparison", ""],
  ["get dock:tide | filter pier === 1", "Equality is written ==.", "="],
  ["get dock:tide | filter pier == \u201cx\u201d", "Text stands in plain quotes", "\u201c"],
  ["get dock:tide | filter pier ~= /x/", "A pattern is a string in quotes", "/"],
  ["get dock:tide | filter pier == ['x']", "A list is compared by in", "["],
  ["get dock:tide | filter pier in ('x')", "A list stands in square brackets, as in name in ['a', 'b'].", "("],
  ["get dock:tide | filter pier == 01234567-89ab-cdef-0123-456789abcdef", "A UUID stands in double quotes.", "-"],
  ["get dock:tide | filter pier == 0a1b2c3d-89ab-cdef-0123-456789abcdef", "A UUID stands in double quotes.", "a1b2c3d"],
  ["get dock:tide | filter timestamp > @now() - '1h'", "A duration stands without quotes", "'"],
  ["get dock:tide | filter timestamp > @2031-05-07T10:20:30+02:00", "A timestamp has no zone", "02"],
  ["get dock:tide | filter timestamp > @2031-05-07 10:20:30", "A date and a time are joined by T", "10"],
  ["get dock:tide | filter timestamp > 2031-05-07", "A timestamp begins with @", "-"],
  ["get dock:tide | filter timestamp > -1h", "A duration has no sign", "h"],
  ["get dock:tide | filter datum > 1,000", "A number has no separators: leave the commas out.", ","],
  ["get dock:tide | filter datum > 5GiB", "Only durations have a unit", "GiB"],
  ["get dock:tide | map datum % 2", "map has + - * / only.", "%"],
  ["get dock:tide | map datum ** 2", "map has + - * / only.", "*"],
  ["get dock:tide | map x = datum", "The result has no name of its own", "="],
  ["get dock:tide | map datum > 2", "map computes, and does not compare", ">"],
  ["get dock:tide | map sqrt(datum)", "map has no functions but ago", "("],
  ["get dock:tide | filter (pier == 1 | last 1", "A parenthesis is still open", "|"],
];

it.each(HABITS)("%j", (text, sentence, marked) => {
  let thrown: unknown;
  try {
    parse(text, { nowNs: 0n });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ZonemeterError);
  const { kind, message, position } = thrown as ZonemeterError;
  expect(kind).toBe("parse");
  expect(message.slice(0, sentence.length)).toBe(sentence);
  if (marked !== "") expect(text.slice(position!.offset, position!.offset + position!.length)).toBe(marked);
});
