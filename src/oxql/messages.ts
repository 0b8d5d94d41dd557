import { didYouMean } from "../core/index.ts";
import { REDUCERS } from "./ast.ts";
import { HABITS } from "./habits.ts";
import type { Expectation } from "./lexer.ts";
import { SLIPS, wants, word, type Place } from "./slips.ts";
import { ALIGN_METHODS, OPERATION_WORDS } from "./words.ts";

const KNOWN = [...HABITS, ...SLIPS];

/** The sentence for `text` having something else at `offset` than `expected`, and how many characters to mark there. */
export function expectedButFound(text: string, offset: number, expected: readonly Expectation[]): { sentence: string; length: number } {
  const after = text.slice(offset);
  const length = Math.max(1, Math.min(/^\w+/.exec(after)?.[0].length ?? 1, after.length));
  const place: Place = { before: text.slice(0, offset).trimEnd(), after, expected };
  const touching: Place = { ...place, before: text.slice(0, offset) };
  const slip = KNOWN.find(({ fits }) => fits(touching)) ?? KNOWN.find(({ fits }) => fits(place));
  if (slip !== undefined) return { sentence: slip.say(place), length };
  return { sentence: `Expected ${list(expected)}, found ${found(after)}.${unknownWord(place)}`, length };
}

/** `a, b or c` */
export function list(items: readonly string[], conjunction: "or" | "and" = "or"): string {
  if (items.length < 2) return items[0] ?? "something else";
  return `${items.slice(0, -1).join(", ")} ${conjunction} ${items.at(-1)}`;
}

function found(after: string): string {
  if (after === "") return "the end of the query";
  const shown = word(after) || String.fromCodePoint(after.codePointAt(0)!);
  return JSON.stringify(shown.length > 40 ? `${shown.slice(0, 40)}…` : shown);
}

/** Names what could have been meant by a word from a closed list, and lists all of it where nothing is near. */
function unknownWord({ after, expected }: Place): string {
  const choices: readonly [Expectation, readonly string[]][] = [
    ["an operation", OPERATION_WORDS.filter((known) => known !== "get")],
    ['"get"', ["get"]],
    ["a reducer", REDUCERS],
    ["an alignment method", ALIGN_METHODS],
  ];
  const choice = choices.find(([label]) => wants(expected, label));
  if (choice === undefined) return "";
  return didYouMean(word(after), choice[1]) || (choice[1].length === 1 ? "" : ` There are ${choice[1].join(", ")}.`);
}
