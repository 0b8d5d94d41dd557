import { COMPLETION_MAX_SUGGESTIONS, ZonemeterError, type Catalogue } from "../core/index.ts";
import { candidatesFor, type Candidate } from "./candidates.ts";
import { Scanner } from "./lexer.ts";
import { Parser } from "./parser.ts";

/** What could stand at the cursor. Each suggestion replaces the text from `from` to `to` (UTF-16 offsets). The likeliest come first. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Candidate[];
}

/** Stands for the cursor: no rule of the grammar takes it, so the parser stops there and tells what it would have taken. */
const CURSOR = "\u0001";

/**
 * Suggestions for the word at `cursor` (a UTF-16 offset into `text`; outside, the nearest end). Looks at the text before it only, which
 * must parse as far as it goes; else there are none. Timeseries, fields and values are those of `catalogue`, so of what one principal
 * may know. Throws nothing.
 */
export function complete(text: string, cursor: number, catalogue: Catalogue): Completion {
  const at = Math.min(Math.max(0, cursor), text.length);
  const word = /@?[a-zA-Z0-9_:]*$/.exec(text.slice(Math.max(0, at - 200), at))![0];
  const to = at + /^[a-zA-Z0-9_:]*/.exec(text.slice(at, at + 200))![0].length;
  const before = text.slice(0, at - word.length);
  const stop = parseUpTo(before);
  if (stop === null) return { from: at, to: at, suggestions: [] };
  const suggestions = matching(candidatesFor({ ...stop, before: before.slice(0, stop.offset), catalogue }), text.slice(stop.offset, at));
  // Within a string the whole of it is replaced, with its quotes.
  return { from: stop.offset, to: stop.offset < before.length && /^['"]/.test(text.slice(to)) ? to + 1 : to, suggestions };
}

type Stop = Pick<Parameters<typeof candidatesFor>[0], "expected" | "operations"> & { readonly offset: number };

/** Where reading `before` stops: at its end, or at the beginning of a string that it ends within. Null where it stops earlier. */
function parseUpTo(before: string): Stop | null {
  try {
    const scanner = new Scanner(before + CURSOR, 0n);
    const parser = new Parser(scanner);
    try {
      parser.whole(() => parser.query());
    } catch (error) {
      if (!(error instanceof ZonemeterError)) throw error;
      const operations = parser.open.at(-1) ?? parser.last;
      const { offset } = scanner;
      if (offset === before.length) return { offset, expected: scanner.expected, operations };
      const inString = error.position?.offset === offset && /^['"]/.test(before.slice(offset));
      return inString ? { offset, expected: ["a literal"], operations } : null;
    }
    return null;
  } catch (error) {
    // Too long a text.
    if (error instanceof ZonemeterError) return null;
    throw error;
  }
}

/** Those that begin with what is typed, then those that hold it; in the order given otherwise. */
function matching(candidates: readonly Candidate[], typed: string): Candidate[] {
  const wanted = typed.toLowerCase();
  const places = candidates.map(({ text }) => text.toLowerCase().indexOf(wanted));
  const starting = candidates.filter((_, index) => places[index] === 0);
  const holding = candidates.filter((_, index) => places[index]! > 0);
  return [...starting, ...holding].slice(0, COMPLETION_MAX_SUGGESTIONS);
}
