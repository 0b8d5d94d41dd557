/**
 * An amount as zonestat prints it, in bytes or a count.
 *
 * - bigint: exact below 10000, else the lower bound of a truncated value.
 * - null: `-`, no limit or not applicable. Never zero.
 * - ambiguous: the token has two readings (see `ambiguousAmount`).
 * - wrapped: a number below zero that was printed as one near 2^64, or derived from such a number.
 */
export type Amount = bigint | null | AmbiguousAmount | WrappedAmount;

/** Both ranges are inclusive. */
export interface AmbiguousAmount {
  readonly kind: "ambiguous";
  readonly asKiB: readonly [bigint, bigint];
  readonly asMissingDot: readonly [bigint, bigint];
}

export interface WrappedAmount {
  readonly kind: "wrapped";
  /** What was printed, for the record only. */
  readonly printed: bigint;
}

/** The share of a total as a fraction (1 is 100 %); null for `-`; `wrapped` beside an amount that is. */
export type Fraction = number | null | "wrapped";

/** The tools print up to this with all digits; above it a suffix follows. */
export const LARGEST_PLAIN_AMOUNT = 9_999;

/** `NK` is printed for 10000 at least, whether its point is lost (10000 prints `97K`) or not (100000 does too). */
export const SMALLEST_KIB_TOKEN = 97;
const LARGEST_DOTLESS_TOKEN = 976;
const SMALLEST_KIB_AMOUNT = 100_000n;
const SMALLEST_DOTLESS_AMOUNT = 10_000n;
const LARGEST_DOTLESS_AMOUNT = 99_999n;

/**
 * zonestat loses the decimal point of values from 10000 to 99999, so `NK` there means N/10 KiB or N KiB. Amounts of swap are whole 4 KiB
 * pages, of which only every tenth token can come out of a lost point (`wholePages`); all others can be anything.
 */
export function isDoubtfulToken(kib: number, wholePages: boolean): boolean {
  if (kib < SMALLEST_KIB_TOKEN || kib > LARGEST_DOTLESS_TOKEN) return false;
  return !wholePages || (kib % 40 === 0 && kib >= 120 && kib <= 960);
}

/** The two readings of a doubtful `NK`. */
export function ambiguousAmount(kib: number): AmbiguousAmount {
  const token = BigInt(kib);
  const lowKiB = token * 1_024n;
  const lowDotless = (token * 1_024n + 9n) / 10n;
  const highDotless = ((token + 1n) * 1_024n + 9n) / 10n - 1n;
  return {
    kind: "ambiguous",
    asKiB: [lowKiB < SMALLEST_KIB_AMOUNT ? SMALLEST_KIB_AMOUNT : lowKiB, lowKiB + 1_023n],
    asMissingDot: [
      lowDotless < SMALLEST_DOTLESS_AMOUNT ? SMALLEST_DOTLESS_AMOUNT : lowDotless,
      highDotless > LARGEST_DOTLESS_AMOUNT ? LARGEST_DOTLESS_AMOUNT : highDotless,
    ],
  };
}

export function isAmbiguous(amount: Amount): amount is AmbiguousAmount {
  return typeof amount === "object" && amount !== null && amount.kind === "ambiguous";
}

/** The smallest value that an amount can stand for. */
export function smallestOf(amount: bigint | AmbiguousAmount | WrappedAmount): bigint {
  if (typeof amount === "bigint") return amount;
  return amount.kind === "wrapped" ? amount.printed : amount.asMissingDot[0];
}

/** The largest value that an amount of parseable output can stand for: it was cut to whole KiB. */
export function largestOf(amount: bigint | AmbiguousAmount): bigint {
  if (typeof amount !== "bigint") return amount.asKiB[1];
  return amount > BigInt(LARGEST_PLAIN_AMOUNT) ? amount + 1_023n : amount;
}
