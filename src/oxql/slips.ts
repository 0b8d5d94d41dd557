import type { Expectation } from "./lexer.ts";

/** What the text has at a place where something else was expected. */
export interface Place {
  /** The text up to the place, without the blanks before it. */
  readonly before: string;
  readonly after: string;
  readonly expected: readonly Expectation[];
}

/** What a mistake looks like, and what to say of it. */
export interface Slip {
  readonly fits: (place: Place) => boolean;
  readonly say: (place: Place) => string;
}

/** Slips in OxQL that are made often. The first that fits is used. */
export const SLIPS: readonly Slip[] = [
  { fits: ({ after }) => after.startsWith("\r"), say: () => "A carriage return is not a blank in OxQL: use plain newlines." },
  { fits: ({ after }) => after.startsWith("#") || /^(?:\/\/|--|\/\*)/.test(after), say: () => "OxQL has no comments: leave it out." },
  { fits: ({ after }) => /^;\s*$/.test(after), say: () => "A semicolon only separates the queries of a group: leave it out." },
  {
    fits: ({ after, before, expected }) => wants(expected, '"get"') && after.startsWith("}") && before.endsWith(";"),
    say: () => "A group does not end with a semicolon: leave it out.",
  },
  {
    fits: ({ before, after, expected }) => wants(expected, "an operation") && before.endsWith("|") && after.startsWith("|"),
    say: () => "|| only stands between comparisons: operations are separated by one |.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && after.startsWith("=~"),
    say: () => "The operator for regular expressions is ~=.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && after.startsWith("="),
    say: () => "Equality is written ==.",
  },
  {
    fits: ({ expected, before, after }) => wants(expected, "a literal") && before.endsWith("<") && after.startsWith(">"),
    say: () => "Inequality is written !=.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a comparison operator") && after.startsWith("!~"),
    say: () => "A pattern is negated from outside, as in !(name ~= 'pattern').",
  },
  { fits: ({ expected, after }) => wants(expected, '"&&"') && /^(?:&|and\b)/i.test(after), say: () => "And is written &&." },
  { fits: ({ expected, after }) => wants(expected, '"||"') && /^or\b/i.test(after), say: () => "Or is written ||." },
  {
    fits: ({ expected, before, after }) => wants(expected, "a comparison operator") && /\bnot\s+$/.test(before) && /^[a-z(]/.test(after),
    say: () => "Not is written !.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a field or special name") && /^["'@\d.-]/.test(after),
    say: () => "A comparison begins with a name and ends with a literal, as in slot == 3.",
  },
  { fits: ({ expected, after }) => wants(expected, "a literal") && /^now\b/.test(after), say: () => "The current time is written @now()." },
  {
    fits: ({ expected, after }) => wants(expected, "a literal") && /^\+\s*[\d.]/.test(after),
    say: () => "A number has no plus sign: leave it out.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a literal") && /^(?:true|false)\b/i.test(after),
    say: () => "Booleans are lower case: true and false.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a literal") && /^[a-z_]/i.test(after),
    say: ({ after }) => `"${word(after)}" is not a literal: put text in quotes; two fields cannot be compared.`,
  },
  { fits: ({ before, after }) => /\d$/.test(before) && /^_\d/.test(after), say: () => "A number has no separators: leave the _ out." },
  {
    fits: ({ before, after }) => /\d[eE]?$/.test(before) && /^[eE]?\+\d/.test(after),
    say: () => "An exponent has no plus sign: write 1e6.",
  },
  { fits: ({ before, after }) => /\d\.\d+$/.test(before) && /^\.\d/.test(after), say: () => "An address is written in double quotes." },
  {
    fits: ({ before, after }) => /\d(?:ms|us|ns|[YMwdhms])$/.test(before) && /^\w/.test(after),
    say: () => "A duration is one whole number and one unit, which is one of Y M w d h m s ms us ns, as in 90s.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a duration") && /^\s*-?[\d.]/.test(after),
    say: () => "A duration is one whole number and one unit without blanks, which is one of Y M w d h m s ms us ns, as in 90s.",
  },
  {
    fits: ({ expected, after }) => wants(expected, "a duration") && /^[ \t\n]/.test(after),
    say: () => "There may be no blanks within the parentheses: write mean_within(1m).",
  },
  {
    fits: ({ before, after }) => /\bget[ \t\n]+[a-z0-9_:]+$/.test(before) && after.startsWith(","),
    say: () => "get takes one timeseries: for several write { get a:b; get c:d }.",
  },
  {
    fits: ({ before, after }) => before.endsWith("]") && after.startsWith(","),
    say: () => "The comma before the reducer must follow the bracket without a blank: write group_by [name], sum.",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"["') && after.startsWith("("),
    say: () => "The fields are listed in square brackets, as in group_by [name].",
  },
  {
    fits: ({ expected, after }) => wants(expected, '"("') && /^[ \t\n]+\(/.test(after),
    say: () => "There may be no blank before the parenthesis: write mean_within(1m).",
  },
  {
    fits: ({ expected, after }) => wants(expected, '":"') && !/^[ \t\n]+:/.test(after),
    say: () => "A timeseries name has two parts: write target:metric.",
  },
  {
    fits: ({ expected, after }) => (wants(expected, '":"') || wants(expected, "a timeseries name")) && /^[ \t\n]*:?[ \t\n]/.test(after),
    say: () => "A timeseries name has no blanks round its colon: write target:metric.",
  },
  { fits: ({ expected }) => wants(expected, "a blank"), say: ({ before }) => `There must be a blank after ${lastWord(before) || "this"}.` },
  {
    fits: ({ before, after }) => /[a-z0-9]$/.test(before) && after.startsWith("_"),
    say: () => "In a name, an underscore stands alone between letters or digits.",
  },
  {
    fits: ({ before, after, expected }) => /[a-z0-9]$/.test(before) && /^[A-Z]/.test(after) && !wants(expected, "a literal"),
    say: () => "Names have lower-case letters only.",
  },
];

export function wants(expected: readonly Expectation[], label: Expectation): boolean {
  return expected.includes(label);
}

/** The word that `text` begins with, may be empty. */
export function word(text: string): string {
  return /^\w+/.exec(text)?.[0] ?? "";
}

/** The word that `text` ends with, may be empty. */
export function lastWord(text: string): string {
  return /\w*$/.exec(text)![0];
}
