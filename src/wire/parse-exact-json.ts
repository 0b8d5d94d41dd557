import { randomUUID } from "node:crypto";

/**
 * Parses JSON; an integer literal outside ±(2^53-1) becomes a bigint, every other number a number. Throws SyntaxError like JSON.parse,
 * which rounds such integers and on Node 20 gives no access to the source text: so they are tagged before it reads them. The tag is
 * random, so that no text can forge it.
 */
export function parseExactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const tag = `int:${randomUUID()}:`;
  const tagged = text.replaceAll(STRING_OR_LONG_INTEGER, (token) => (token.startsWith('"') ? token : `"${tag}${token}"`));
  return JSON.parse(tagged, (key, value: unknown) => {
    if (key.startsWith(tag)) throw new SyntaxError(`the number ${key.slice(tag.length)} stands where a property name must be`);
    if (typeof value !== "string" || !value.startsWith(tag)) return value;
    const exact = BigInt(value.slice(tag.length));
    const rounded = Number(exact);
    return Number.isSafeInteger(rounded) ? rounded : exact;
  });
}

/** Strings are matched first, so that digits inside them are left alone. A fraction or exponent makes the literal a float. */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\[^][^"\\]*)*"|(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/g;
