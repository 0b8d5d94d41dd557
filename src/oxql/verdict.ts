/**
 * What a filter says of the points of one timeseries: one answer for all of them, or one for each. UNKNOWN is a comparison with a
 * missing value: it fails, and so does its negation.
 */
export type Verdict = Answer | Uint8Array;
export type Answer = typeof NO | typeof YES | typeof UNKNOWN;

export const NO = 0;
export const YES = 1;
export const UNKNOWN = 2;

/** Row is the left answer, column the right one. */
const AND = Uint8Array.of(NO, NO, NO, NO, YES, UNKNOWN, NO, UNKNOWN, UNKNOWN);
const OR = Uint8Array.of(NO, YES, UNKNOWN, YES, YES, YES, UNKNOWN, YES, UNKNOWN);
/** "Exactly one of them holds": a comparison with a missing value does not hold, so what holds beside it is the one. */
const XOR = Uint8Array.of(NO, YES, UNKNOWN, YES, NO, YES, UNKNOWN, YES, UNKNOWN);
const TABLES = { and: AND, or: OR, xor: XOR };

/** Joins two verdicts of the same timeseries. */
export function combine(kind: "and" | "or" | "xor", left: Verdict, right: Verdict): Verdict {
  const table = TABLES[kind];
  if (typeof left === "number" && typeof right === "number") return table[3 * left + right] as Answer;
  const length = typeof left === "number" ? (right as Uint8Array).length : left.length;
  const joined = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const a = typeof left === "number" ? left : left[i]!;
    const b = typeof right === "number" ? right : right[i]!;
    joined[i] = table[3 * a + b]!;
  }
  return joined;
}

/** Turns yes and no round; unknown stays. */
export function negate(verdict: Verdict): Verdict {
  if (typeof verdict === "number") return verdict === UNKNOWN ? UNKNOWN : verdict === YES ? NO : YES;
  return verdict.map((answer) => (answer === UNKNOWN ? UNKNOWN : 1 - answer));
}
