import type { NamePool, PooledName } from "./name-pool.ts";
import { ambiguousAmount, isDoubtfulToken, LARGEST_PLAIN_AMOUNT, SMALLEST_KIB_TOKEN, type Amount } from "./zonestat-amount.ts";

const COLON = 58;
const DASH = 45;
const DOT = 46;
const PERCENT = 37;
const ZERO = 48;
const UPPER_K = 75;

/** Percents from here on are an unset limit (UINT_MAX) shown as if it were one. */
export const NO_PERCENT_FROM = 42_949_671;

/** The largest `NK` that a 64-bit amount can print. */
const LARGEST_KIB = 18_014_398_509_481_983n;

/** Digits of a number that stays exact as a double, times 1024 too. */
const EXACT_DIGITS = 12;

/**
 * Reads the colon-separated fields of one line in place, without making strings of them. Every reader takes one field with its colon; one
 * that does not hold what it should, down to a leading zero that the tool never prints, sets `bad`, and the row is then dropped.
 */
export class FieldCursor {
  text = "";
  at = 0;
  end = 0;
  bad = false;

  set(text: string, start: number, end: number): void {
    this.text = text;
    this.at = start;
    this.end = end;
    this.bad = false;
  }

  /** One field as text. */
  word(): string {
    if (this.at > this.end) {
      this.bad = true;
      return "";
    }
    let at = this.at;
    while (at < this.end && this.text.charCodeAt(at) !== COLON) at++;
    const word = this.text.slice(this.at, at);
    this.at = at + 1;
    return word;
  }

  /** True, and passed over, where `start` comes next. */
  takes(start: string): boolean {
    if (!this.text.startsWith(start, this.at) || this.at + start.length > this.end) return false;
    this.at += start.length;
    return true;
  }

  /** One field that is a name. */
  name(names: NamePool): PooledName {
    if (this.at > this.end) {
      this.bad = true;
      return names.get("");
    }
    const read = names.read(this.text, this.at, this.end);
    this.at += read.printedLength + 1;
    return read;
  }

  /** True, and passed over, where the next field is `-`. */
  dash(): boolean {
    const { text, at, end } = this;
    if (text.charCodeAt(at) !== DASH || at >= end || !(at + 1 === end || text.charCodeAt(at + 1) === COLON)) return false;
    this.at = at + 2;
    return true;
  }

  /** A whole number of at most 9 digits. */
  whole(): number {
    const value = this.#digits(9);
    this.#close();
    return value;
  }

  wholeOrDash(): number | null {
    return this.dash() ? null : this.whole();
  }

  /** `D.DD`: a number of CPUs. */
  hundredths(): number {
    const value = this.#hundredths();
    this.#close();
    return value / 100;
  }

  hundredthsOrDash(): number | null {
    return this.dash() ? null : this.hundredths();
  }

  /** `D.DD%` as a fraction of 1. */
  percent(): number | null {
    if (this.dash()) return null;
    const value = this.#hundredths();
    if (this.at < this.end && this.text.charCodeAt(this.at) === PERCENT) this.at += 1;
    else this.bad = true;
    this.#close();
    return value >= NO_PERCENT_FROM * 100 ? null : value / 10_000;
  }

  /** An amount; `wholePages` where it can only be whole pages (see `isDoubtfulToken`). */
  amount(wholePages: boolean): Amount {
    if (this.dash()) return null;
    const first = this.at;
    const value = this.#digits(17);
    const digits = this.at - first;
    const suffixed = this.at < this.end && this.text.charCodeAt(this.at) === UPPER_K;
    if (suffixed) this.at += 1;
    this.#close();
    if (this.bad || (suffixed ? value < SMALLEST_KIB_TOKEN : value > LARGEST_PLAIN_AMOUNT)) {
      this.bad = true;
      return null;
    }
    if (!suffixed) return BigInt(value);
    if (digits <= EXACT_DIGITS) return isDoubtfulToken(value, wholePages) ? ambiguousAmount(value) : BigInt(value * 1_024);
    const kib = BigInt(this.text.slice(first, first + digits));
    if (kib > LARGEST_KIB) this.bad = true;
    return kib * 1_024n;
  }

  /** `H-MM-SS.cc` in ns. */
  cpuTimeNs(): bigint {
    const hours = this.#digits(12);
    if (this.text.charCodeAt(this.at) !== DASH) this.bad = true;
    this.at += 1;
    const minutes = this.#twoDigits();
    if (this.text.charCodeAt(this.at) !== DASH) this.bad = true;
    this.at += 1;
    const seconds = this.#twoDigits();
    if (this.text.charCodeAt(this.at) !== DOT) this.bad = true;
    this.at += 1;
    const hundredths = this.#twoDigits();
    this.#close();
    if (this.bad || minutes > 59 || seconds > 59) {
      this.bad = true;
      return 0n;
    }
    return (BigInt(hours) * 3_600n + BigInt(minutes * 60 + seconds)) * 1_000_000_000n + BigInt(hundredths) * 10_000_000n;
  }

  /** Digits without a leading zero. */
  #digits(most: number): number {
    const { text, end } = this;
    const first = this.at;
    let at = first;
    let value = 0;
    while (at < end) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at++;
    }
    const count = at - first;
    if (count === 0 || count > most || (count > 1 && text.charCodeAt(first) === ZERO)) this.bad = true;
    this.at = at;
    return value;
  }

  #twoDigits(): number {
    const high = this.text.charCodeAt(this.at) - ZERO;
    const low = this.text.charCodeAt(this.at + 1) - ZERO;
    this.at += 2;
    if (this.at > this.end || !(high >= 0 && high <= 9 && low >= 0 && low <= 9)) this.bad = true;
    return high * 10 + low;
  }

  #hundredths(): number {
    const whole = this.#digits(9);
    if (this.at >= this.end || this.text.charCodeAt(this.at) !== DOT) this.bad = true;
    this.at += 1;
    return whole * 100 + this.#twoDigits();
  }

  /** The field must be over here. */
  #close(): void {
    if (this.at < this.end) {
      if (this.text.charCodeAt(this.at) !== COLON) this.bad = true;
    } else if (this.at > this.end) {
      this.bad = true;
    }
    this.at += 1;
  }
}
