/** What separates words within a query. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a;
}

/** Unicode White_Space, which upstream trims. JavaScript's own trim differs in U+0085 and U+FEFF. */
function isWhiteSpace(code: number): boolean {
  return (
    (code >= 0x09 && code <= 0x0d) ||
    code === 0x20 ||
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

export function trimmedEnd(text: string): number {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return end;
}

export function trimmedStart(text: string): number {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  return start;
}
