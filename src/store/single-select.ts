import { ZonemeterError } from "../core/index.ts";

/**
 * `SELECT * FROM (text)` of a text that is one SELECT and nothing else. Statements for customers are compiled here and always are; this holds should one
 * ever not be, as a second statement could take the session out of its role. Throws ZonemeterError `internal`, kind `access_denied`.
 */
export function singleSelect(text: string): string {
  if (!isSingleSelect(text)) {
    throw new ZonemeterError("internal", "A statement for customers was not a single SELECT, and did not reach the engine.", {
      kind: "access_denied",
    });
  }
  return `SELECT * FROM (${text})`;
}

/** Quoted parts end where ClickHouse ends them. Comments, heredocs and anything but ASCII have no place outside of quotes. */
function isSingleSelect(text: string): boolean {
  if (!/^SELECT\b/.test(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    switch (character) {
      case "'":
      case "`":
      case '"':
        at = endOfQuoted(text, at);
        if (at < 0) return false;
        break;
      case "(":
        depth += 1;
        break;
      case ")":
        depth -= 1;
        if (depth < 0) return false;
        break;
      case ";":
      case "#":
      case "$":
        return false;
      default:
        if (!/[\t\n\r -~]/.test(character)) return false;
        if ((character === "-" && text[at + 1] === "-") || (character === "/" && text[at + 1] === "*")) return false;
    }
  }
  return depth === 0;
}

/** Place of the quote that ends what begins at `start`, or -1 where none does. A quote that is doubled or has a backslash before it does not. */
function endOfQuoted(text: string, start: number): number {
  const quote = text[start]!;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at;
      at += 1;
    }
  }
  return -1;
}
