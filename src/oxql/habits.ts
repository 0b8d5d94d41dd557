import { REDUCERS } from "./ast.ts";
import { lastWord, wants, word, type Slip } from "./slips.ts";
import { ALIGN_METHODS, OPERATION_WORDS } from "./words.ts";

/** What OxQL has for the operations of SQL, PromQL and the shell. */
const OPERATIONS: ReadonlyMap<string, string> = byWord([
  ["where having grep", "Conditions stand in a filter, as in | filter name == 'value'."],
  [
    "select project fields keep drop",
    "All fields come along: filter chooses among timeseries, and group_by keeps only the fields it names.",
  ],
  ["limit head tail take", "first n and last n limit the points of each timeseries, top n and bottom n the timeseries."],
  ["order sort topk bottomk", "Points come in the order of their times; top n and bottom n rank timeseries."],
  ["group by without", "Grouping is written | group_by [name, other], sum, behind an align."],
  ["increase irate delta mean_within interpolate rate", "That is a way to align, as in | align rate(1m)."],
  [
    "sum mean avg average median min max count aggregate reduce p50 p90 p99",
    "Timeseries are reduced by | group_by [name], sum, samples to one for each window by | align mean_within(1m).",
  ],
  ["as", "A timeseries keeps its name: there are no other names for it."],
]);

const REDUCER_WORDS: ReadonlyMap<string, string> = byWord([
  ["avg average", "mean"],
  ["total add", "sum"],
  ["median", "p50"],
  ["minimum least", "min"],
  ["maximum most", "max"],
  ["p95", "p90 or p99"],
]);

const METHOD_WORDS: ReadonlyMap<string, string> = byWord([
  ["mean avg average", "mean_within"],
  ["increase irate delta per_second", "rate"],
]);

/** What stands behind each operation's word. */
const USES: Readonly<Record<(typeof OPERATION_WORDS)[number], string>> = {
  get: "a timeseries name, as in get target:metric",
  filter: "a condition, as in filter name == 'value'",
  align: "a method and a period, as in align mean_within(1m)",
  group_by: "fields, as in group_by [name], sum",
  join: "nothing, or fields, as in join on [name]",
  first: "a number, as in first 10",
  last: "a number, as in last 10",
  map: "an expression, as in map datum / 1000",
  top: "a number, as in top 10",
  bottom: "a number, as in bottom 10",
};

const NO_NULL = "There is no null: a missing value fails every comparison.";

/** What users of other languages write: what it looks like, and how OxQL has it. They come before the slips of OxQL itself. */
export const HABITS: readonly Slip[] = [
  {
    fits: ({ expected, after }) => wants(expected, '"get"') && /^[a-z]\w*:[a-z]/.test(after),
    say: ({ after }) => `A query begins with get: write get ${/^[\w:]+/.exec(after)![0].slice(0, 100)}.`,
  },
  {
    fits: ({ expected, after }) => wants(expected, '"get"') && /^(?:select|show|with|from|describe|insert|delete|update)\b/i.test(after),
    say: () => "OxQL is not SQL: a query begins with get target:metric, and goes on with | filter name == 'value'.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"get"') && /^\w+\s*(?:\(|\{|(?:by|without)\b)/.test(after),
    say: () => "A query is a pipeline, without functions around it: get target:metric | align rate(5m) | group_by [name], sum.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a timeseries name") && /^["'`]/.test(after),
    say: () => "A timeseries name stands without quotes: write get target:metric.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '":"') && !wants(expected, '"*"') && /^[./]\w/.test(after),
    say: () => "The two parts of a timeseries name are joined by a colon: write target:metric.",
  },
  {
    fits: ({ before, after }) => /\bget[ \t\n]+[\w:]+$/.test(before) && after.startsWith("{"),
    say: () => "Conditions stand in a filter behind a pipe, as in | filter name == 'value'.",
  },
  {
    fits: ({ before, after }) => /\bget[ \t\n]+[\w:]+$/.test(before) && after.startsWith("["),
    say: () => "A time range is a filter, as in | filter timestamp > @now() - 5m.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "the end of the query") && /^;\s*\S/.test(after),
    say: () => "Several queries stand in a group: write { get a:b; get c:d }.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "an operation") && /^[a-z][\w:]*[ \t\n]*(?:[=!~<>]|in[ \t\n]*\[)/.test(after),
    say: () => "Or between comparisons is written ||; | is followed by an operation such as filter.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"|"') && OPERATION_WORDS.some((known) => known === word(after)),
    say: ({ after }) =>
      word(after) === "get"
        ? "Several queries stand in a group, with semicolons between them: write { get a:b; get c:d }."
        : `Operations are separated by |: put one before ${word(after)}.`,
  },
  {
    fits: ({ expected, before, after }) =>
      wants(expected, '"|"') && /\][ \t\n]*$/.test(before) && REDUCERS.some((known) => known === word(after)),
    say: ({ after }) => `A comma touches the bracket before the reducer: write group_by [name], ${word(after)}.`,
  },
  {
    fits: ({ expected, after }) => wants(expected, '"by"') && REDUCERS.some((known) => known === word(after)),
    say: ({ after }) => `By what to rank stands behind by: write top 5 by ${word(after)}.`,
  },
  {
    fits: ({ expected, after }) => (wants(expected, "an operation") || wants(expected, '"|"')) && OPERATIONS.has(word(after).toLowerCase()),
    say: ({ after }) => OPERATIONS.get(word(after).toLowerCase())!,
  },
  {
    fits: ({ expected, after }) => wants(expected, "a reducer") && REDUCER_WORDS.has(word(after).toLowerCase()),
    say: ({ after }) => `The reducer is called ${REDUCER_WORDS.get(word(after).toLowerCase())}. There are ${REDUCERS.join(", ")}.`,
  },
  {
    fits: ({ expected, after }) => wants(expected, "an alignment method") && METHOD_WORDS.has(word(after).toLowerCase()),
    say: ({ after }) => `The method is called ${METHOD_WORDS.get(word(after).toLowerCase())}. There are ${ALIGN_METHODS.join(", ")}.`,
  },
  {
    fits: ({ expected, after }) => wants(expected, "an alignment method") && /^\d/.test(after),
    say: () => "A method comes before the period: write align mean_within(1m).",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, "a blank") && after === "" && Object.hasOwn(USES, lastWord(before)),
    say: ({ before }) => `${lastWord(before)} takes ${USES[lastWord(before) as keyof typeof USES]}.`,
  },
  {
    fits: ({ expected, after }) => wants(expected, '"["') && /^[a-z'"]/.test(after),
    say: () => "A list stands in square brackets, as in group_by [name] and name in ['a', 'b'].",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, '"["') && /\bin[ \t\n]*$/.test(before) && after.startsWith("("),
    say: () => "A list stands in square brackets, as in name in ['a', 'b'].",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a field name") && /^["'`]/.test(after),
    say: () => "Field names stand without quotes, as in group_by [name].",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"]"') && /^[a-z]/.test(after),
    say: () => "A list has commas, and the reducer stands behind its bracket: write group_by [name, other], sum.",
  },
  {
    fits: ({ before, after }) => /\][ \t\n]*,[ \t\n]*\w+$/.test(before) && /^[,(]/.test(after),
    say: () => "There is one reducer, and it has no arguments: write group_by [name], sum.",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, "a comparison operator") && /[a-z0-9]$/.test(before) && /^-[a-z]/.test(after),
    say: () => "A name has no hyphens: it may have underscores.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && /^not\s+in\b/i.test(after),
    say: () => "Not in is written around it, as in !(name in ['a', 'b']).",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && /^between\b/i.test(after),
    say: () => "A range is two comparisons, as in slot >= 1 && slot <= 5.",
  },
  {
    fits: ({ expected, after }) =>
      wants(expected, "a comparison operator") && /^(?:i?like|rlike|regexp?|match(?:es)?|contains|startswith|endswith)\b/i.test(after),
    say: () => "Text is searched for a regular expression by ~=, as in name ~= '^oxz_'.",
  },
  { fits: ({ expected, after }) => wants(expected, "a comparison operator") && /^is\b/i.test(after), say: () => NO_NULL },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && /^[.(]/.test(after),
    say: () => "A filter has no functions: compare the name itself, as in name ~= '^oxz_'.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && /^[+*/%-]/.test(after) && !isComment(after),
    say: () => "A filter does not compute: do it by map, behind an align, and filter datum then.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && /^(?:$|[|&)^])/.test(after),
    say: () => "A condition is a comparison, as in name == 'value' or online == true.",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, "a literal") && before.endsWith("==") && after.startsWith("="),
    say: () => "Equality is written ==.",
  },
  { fits: ({ expected, after }) => wants(expected, "a literal") && /^(?:null|nil|none)\b/i.test(after), say: () => NO_NULL },
  {
    fits: ({ expected, after }) => wants(expected, "a literal") && /^[“”„‘’‚«»`]/.test(after),
    say: () => "Text stands in plain quotes, ' or \".",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a literal") && after.startsWith("/") && !isComment(after),
    say: () => "A pattern is a string in quotes, as in name ~= '^oxz_'.",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, "a literal") && before.endsWith("[") && after.startsWith("]"),
    say: () => "A list has at least one literal.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a literal") && after.startsWith("["),
    say: () => "A list is compared by in, as in name in ['a', 'b'].",
  },
  {
    fits: ({ before, after }) =>
      /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})$/i.test(
        /[0-9a-f-]*$/i.exec(before.slice(-40))![0] + /^[0-9a-f-]*/i.exec(after)![0],
      ),
    say: () => "A UUID stands in double quotes.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a duration") && /^["']/.test(after),
    say: () => "A duration stands without quotes, as in 5m.",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, "a duration") && /[+-]$/.test(before) && /^\d\d:?\d\d\b/.test(after),
    say: () => "A timestamp has no zone, all are UTC: leave the offset from UTC out.",
  },
  {
    fits: ({ expected, before, after }) =>
      wants(expected, '"("') && /(?:mean_within|rate|interpolate)[ \t\n]*$/.test(before) && /^[ \t]*["']?\d/.test(after),
    say: () => "The period stands in parentheses: write mean_within(1m).",
  },
  {
    fits: ({ before, after }) => /@\d{4}-\d{1,2}-\d{1,2}$/.test(before) && /^\d{1,2}:\d/.test(after),
    say: () => "A date and a time are joined by T, as in @2026-05-04T13:30:00.",
  },
  {
    fits: ({ before, after }) => /[^@\w.]\d{4}$/.test(before) && /^-\d\d?-\d/.test(after),
    say: () => "A timestamp begins with @, as in @2026-05-04.",
  },
  {
    fits: ({ before, after }) =>
      /-\d+$/.test(before) && /^(?:ms|us|ns|[YMwdhms])\b/.test(after) && !/[ \t\n](?:first|last|top|bottom)\s+-\d+$/.test(before),
    say: () => "A duration has no sign: an hour before now is @now() - 1h.",
  },
  {
    fits: ({ before, after }) => /\b(?:first|last|top|bottom)[ \t\n]+\d+$/.test(before) && /^(?:ms|us|ns|[YMwdhms])\b/.test(after),
    say: () => "This is a number of points, not a time: a range of times is | filter timestamp > @now() - 5m.",
  },
  {
    fits: ({ before, after }) => /\d$/.test(before) && /^,\d{3}\b/.test(after),
    say: () => "A number has no separators: leave the commas out.",
  },
  {
    fits: ({ expected, before, after }) =>
      wants(expected, '"&&"') && /[^\w"']-?\d+(?:\.\d*)?$/.test(before) && /^(?![eE]\+)[A-Za-z%]/.test(after),
    say: () => "Only durations have a unit, which is one of Y M w d h m s ms us ns: write the number alone.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"&&"') && /^[+*/%-]/.test(after) && !isComment(after),
    say: () => "A comparison ends with one literal: nothing is computed in a filter.",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, "an expression") && before.endsWith("*") && after.startsWith("*"),
    say: () => "map has + - * / only.",
  },
  { fits: ({ expected, after }) => wants(expected, '"*"') && /^[%^&]/.test(after), say: () => "map has + - * / only." },
  {
    fits: ({ expected, after }) => wants(expected, '"*"') && /^=(?!=)/.test(after),
    say: () => "The result has no name of its own: write map datum * 2, and the result is the datum.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"*"') && /^[=!<>~]/.test(after),
    say: () => "map computes, and does not compare: filter what it gives, as in | filter datum > 5.0.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"*"') && /^[ \t\n]*\(/.test(after),
    say: () => "map has no functions but ago, as in ago(datum, 1h).",
  },
  {
    fits: ({ expected, after }) => wants(expected, '")"') && (after === "" || /^\|(?!\|)/.test(after)),
    say: () => "A parenthesis is still open: close it by ).",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"}"') && after === "",
    say: () => "A group is still open: close it by }.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"|"') && after.startsWith(")"),
    say: () => "This parenthesis closes none: leave it out.",
  },
];

function byWord(entries: readonly (readonly [words: string, meaning: string])[]): ReadonlyMap<string, string> {
  return new Map(entries.flatMap(([words, meaning]) => words.split(" ").map((each) => [each, meaning] as const)));
}

function isComment(text: string): boolean {
  return /^(?:\/\/|--|\/\*)/.test(text);
}
