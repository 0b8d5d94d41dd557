import type { TextPosition } from "../core/index.ts";

/** Characters of a line that are shown; of longer ones, half as many on each side of the place. */
const SHOWN = 120;

/**
 * The line of `text` that `position` is in and carets below the place, no newline at the end. A place that spans lines is marked on
 * its first. Control characters show as blanks, so that the carets stay below what they mean.
 */
export function showPlace(text: string, position: TextPosition): string {
  const lineStart = position.offset === 0 ? 0 : text.lastIndexOf("\n", position.offset - 1) + 1;
  const newline = text.indexOf("\n", position.offset);
  const lineEnd = newline === -1 ? text.length : newline;
  const isShort = lineEnd - lineStart <= SHOWN;
  const from = isShort ? lineStart : Math.max(lineStart, position.offset - SHOWN / 2);
  const to = isShort ? lineEnd : Math.min(lineEnd, position.offset + SHOWN / 2);
  const before = (from > lineStart ? "…" : "") + printable(text.slice(from, position.offset));
  const after = printable(text.slice(position.offset, to)) + (to < lineEnd ? "…" : "");
  const gutter = `${position.line} | `;
  const carets = "^".repeat(Math.max(1, Math.min(position.length, to - position.offset)));
  return `${gutter}${before}${after}\n${" ".repeat(gutter.length - 2)}| ${" ".repeat(before.length)}${carets}`;
}

function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ");
}
