import { messageOf, ZonemeterError } from "../core/index.ts";

/** Strings, to step over them, and numbers. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
/** Integers with fewer digits always fit a double. */
const LONG_INTEGER = /^-?\d{16,}$/;
/** Where none of these is, there is no long integer. It may also be the inside of a string. */
const MAYBE_LONG = /(?:^|[^\d.eE+-])-?\d{16,}(?![\d.eE])/;
/** Begins the string that stands for a long integer. */
const MARK = "\u0000";

/**
 * `JSON.parse`, but an integer of 16 digits or more comes out as a marked string, which `longInteger` reads. Throws ZonemeterError
 * `invalid_input` where the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  try {
    if (!MAYBE_LONG.test(text)) return JSON.parse(text);
    return JSON.parse(text.replace(TOKENS, (token) => (LONG_INTEGER.test(token) ? `"\\u0000${token}"` : token)));
  } catch (error) {
    throw new ZonemeterError("invalid_input", `The answer is not JSON (${messageOf(error)}); is the URL that of a query API?`, {
      cause: error,
    });
  }
}

/** The integer that a marked string stands for, or null for any other value. Only to be asked where a number is wanted. */
export function longInteger(value: unknown): bigint | null {
  if (typeof value !== "string" || !value.startsWith(MARK)) return null;
  const digits = value.slice(MARK.length);
  return LONG_INTEGER.test(digits) ? BigInt(digits) : null;
}
