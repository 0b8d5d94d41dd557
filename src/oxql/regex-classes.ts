/** Code points from the first to the last, both included. */
export type CharRange = readonly [first: number, last: number];

export const LAST_CODE_POINT = 0x10ffff;

const DIGIT = chars("09");
export const WORD = chars("09AZ__az");
/** RE2's: without vertical tab. */
const SPACE = chars("\t\n\f\r  ");

/** Pairs of first and last, as RE2 defines the POSIX names. */
const POSIX: ReadonlyMap<string, readonly CharRange[]> = new Map([
  ["alnum", chars("09AZaz")],
  ["alpha", chars("AZaz")],
  ["ascii", chars("\x00\x7f")],
  ["blank", chars("\t\t  ")],
  ["cntrl", chars("\x00\x1f\x7f\x7f")],
  ["digit", DIGIT],
  ["graph", chars("!~")],
  ["lower", chars("az")],
  ["print", chars(" ~")],
  ["punct", chars("!/:@[`{~")],
  ["space", chars("\t\r  ")],
  ["upper", chars("AZ")],
  ["word", WORD],
  ["xdigit", chars("09AFaf")],
]);

export function posixClass(name: string, negated: boolean): readonly CharRange[] | null {
  const ranges = POSIX.get(name);
  return ranges === undefined ? null : negated ? complement(ranges) : ranges;
}

/** `\d \w \s` and their opposites `\D \W \S`. */
export function escapeClass(letter: string): readonly CharRange[] {
  const ranges = { d: DIGIT, w: WORD, s: SPACE }[letter.toLowerCase()]!;
  return letter === letter.toLowerCase() ? ranges : complement(ranges);
}

/** Ranges wider than this keep their case under `i` except for ASCII letters; single letters of every script are folded. */
const FOLDED_WIDTH = 512;

/** The range and what its letters are in the other case. */
export function caseVariants(range: CharRange): CharRange[] {
  const [first, last] = range;
  const variants: CharRange[] = [range];
  const end = last - first > FOLDED_WIDTH ? Math.min(last, 0x7f) : last;
  for (let code = first; code <= end; code++) {
    for (const variant of foldsOf(code)) if (variant < first || variant > last) variants.push([variant, variant]);
  }
  return variants;
}

function foldsOf(code: number): number[] {
  // Two letters beyond ASCII fold to ASCII ones: long s, and the Kelvin sign.
  if (code === 0x73 || code === 0x53) return [0x73, 0x53, 0x17f];
  if (code === 0x6b || code === 0x4b) return [0x6b, 0x4b, 0x212a];
  const char = String.fromCodePoint(code);
  return [char.toLowerCase(), char.toUpperCase()].filter((other) => [...other].length === 1).map((other) => other.codePointAt(0)!);
}

function complement(ranges: readonly CharRange[]): CharRange[] {
  const gaps: CharRange[] = [];
  let from = 0;
  for (const [first, last] of ranges) {
    if (first > from) gaps.push([from, first - 1]);
    from = last + 1;
  }
  if (from <= LAST_CODE_POINT) gaps.push([from, LAST_CODE_POINT]);
  return gaps;
}

function chars(pairs: string): CharRange[] {
  return Array.from({ length: pairs.length / 2 }, (_, index): CharRange => [pairs.charCodeAt(2 * index), pairs.charCodeAt(2 * index + 1)]);
}
