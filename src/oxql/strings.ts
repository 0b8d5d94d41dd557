import type { Scanner } from "./lexer.ts";

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["\\", "\\"],
  ["0", "\0"],
]);
const CODE_POINT = /\\u\{([0-9a-fA-F]{1,6})\}/y;

/**
 * `string = "'" … "'" / '"' … '"'`: anything but its own quote, newlines too. Escapes: `\n \r \t \\ \0 \u{H}` with one to six hex
 * digits; a quote cannot be escaped.
 */
export function readString(scanner: Scanner): string {
  const { text } = scanner;
  const start = scanner.offset;
  const quote = text[start]!;
  let value = "";
  let at = start + 1;
  for (;;) {
    const char = text[at];
    if (char === undefined) {
      scanner.refuse(
        `The string that begins here is not closed: end it with ${quote}, and write ${escapeOf(quote)} for that quote within it.`,
        start,
        1,
      );
    }
    if (char === quote) break;
    if (char !== "\\") {
      value += char;
      at++;
      continue;
    }
    const simple = SIMPLE_ESCAPES.get(text[at + 1] ?? "");
    if (simple !== undefined) {
      value += simple;
      at += 2;
      continue;
    }
    CODE_POINT.lastIndex = at;
    const codePoint = CODE_POINT.exec(text);
    if (codePoint === null) refuseEscape(scanner, at);
    const code = Number.parseInt(codePoint[1]!, 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      scanner.refuse(`${codePoint[0]} is not a character of Unicode.`, at, codePoint[0].length);
    }
    value += String.fromCodePoint(code);
    at += codePoint[0].length;
  }
  scanner.advance(at + 1 - start);
  return value;
}

/** A single-quoted literal that reads back as `value`. Single quotes, since in double quotes it could read as a UUID or an address. */
export function quoteString(value: string): string {
  const escaped = value.replaceAll(/[\\'\n\r\t\0]/g, (char) => {
    if (char === "'") return escapeOf(char);
    for (const [letter, meant] of SIMPLE_ESCAPES) if (meant === char) return `\\${letter}`;
    return char;
  });
  return `'${escaped}'`;
}

function escapeOf(quote: string): string {
  return `\\u{${quote.charCodeAt(0).toString(16)}}`;
}

function refuseEscape(scanner: Scanner, at: number): never {
  const written = scanner.text.slice(at, at + 2);
  const next = written[1];
  if (next === "u") scanner.refuse("An escape by code point is written \\u{H} with one to six hexadecimal digits.", at, 2);
  if (next === "'" || next === '"')
    scanner.refuse(`A quote cannot be escaped with a backslash: write ${escapeOf(next)}, or use the other quotes.`, at, 2);
  if (next === undefined) scanner.refuse("The query ends within an escape: write \\\\ for a backslash.", at, 1);
  scanner.refuse(
    `Unknown escape ${written}: the escapes are \\n \\r \\t \\\\ \\0 and \\u{H}; for a backslash itself, as in a regular expression, write \\\\${next}.`,
    at,
    2,
  );
}

/** Where character `index` of a string's value is written within its literal `source`, quotes included. */
export function offsetInLiteral(source: string, index: number): number {
  let at = 1;
  for (let left = index; left > 0 && at < source.length;) {
    CODE_POINT.lastIndex = at;
    const codePoint = source[at] === "\\" ? CODE_POINT.exec(source) : null;
    const units = codePoint !== null && Number.parseInt(codePoint[1]!, 16) > 0xffff ? 2 : 1;
    at += codePoint?.[0].length ?? (source[at] === "\\" ? 2 : 1);
    left -= units;
  }
  return at;
}
