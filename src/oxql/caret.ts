import type { TextPosition } from "../core/index.ts";

/** Characters of a line that are shown, so that it fits a terminal of 80 columns with its gutter; of longer lines, those around the place. */
const SHOWN = 72;

/** Take two columns of a terminal: East Asian wide and full-width characters, and emoji. */
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/gu;
/** Take none. */
const COMBINING = /\p{M}/gu;

/**
 * The line of `text` that `position` is in and carets below the place, no newline at the end. A place that spans lines is marked on
 * its first. Control and format characters show as blanks, so that the carets stay below what they mean.
 */
export function showPlace(text: string, position: TextPosition): string {
  const { offset } = position;
  const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  const newline = text.indexOf("\n", offset);
  const lineEnd = newline === -1 ? text.length : newline;
  const from = outsidePair(text, Math.max(lineStart, Math.min(offset - SHOWN / 2, lineEnd - SHOWN)));
  const to = outsidePair(text, Math.min(lineEnd, Math.max(from + SHOWN, offset + 1)));
  const before = (from > lineStart ? "…" : "") + printable(text.slice(from, offset));
  const marked = printable(text.slice(offset, Math.min(offset + position.length, to)));
  const after = printable(text.slice(offset + marked.length, to)) + (to < lineEnd ? "…" : "");
  const gutter = `${position.line} | `;
  const carets = "^".repeat(Math.max(1, columns(marked)));
  return `${gutter}${before}${marked}${after}\n${" ".repeat(gutter.length - 2)}| ${" ".repeat(columns(before))}${carets}`;
}

/** Keeps the number of UTF-16 units. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => " ".repeat(char.length));
}

/** An offset that does not part the two halves of a character. */
function outsidePair(text: string, offset: number): number {
  return /[\ud800-\udbff]/.test(text[offset - 1] ?? "") && /[\udc00-\udfff]/.test(text[offset] ?? "") ? offset + 1 : offset;
}

function columns(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0) - (text.match(COMBINING)?.length ?? 0);
}
