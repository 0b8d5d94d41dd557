import { isDoubtfulToken, LARGEST_PLAIN_AMOUNT, SMALLEST_KIB_TOKEN } from "./zonestat-amount.ts";

const LF = 10;
const PERCENT = 37;
const DASH = 45;
const DOT = 46;
const ZERO = 48;
const COLON = 58;
const UPPER_K = 75;

/** What a place is where the bytes are not as asked for. Every method hands it on. */
export const NOT_PLAIN = -1;

/** Digits of a number that stays exact as a double, times 1024 too; those of an aggregate are not used, and may be a wrapped number's. */
const ZONE_DIGITS = 12;
const AGGREGATE_DIGITS = 17;
/** Just below what 64 bits hold: from here on `FieldCursor` decides. */
const AGGREGATE_KIB_END = 18_014_398_509_481_900;

/**
 * Fields of `zonestat -p` in bytes. Each method takes the place where something should stand and gives the place behind it, or NOT_PLAIN, and leaves the
 * number that it read in `value[0]`. What `FieldCursor` would find bad is NOT_PLAIN; so are a few things that it would take.
 */
export class ByteFields {
  bytes: Uint8Array = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** Behind the last whole line. Nothing reads past it, since no field goes on over the end of a line. */
  limit = 0;
  readonly value = new Float64Array(1);

  set(chunk: Uint8Array): void {
    this.bytes = chunk;
    this.view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.limit = chunk.lastIndexOf(LF) + 1;
  }

  literal(at: number, text: Uint8Array): number {
    if (at === NOT_PLAIN || at + text.length > this.limit) return NOT_PLAIN;
    for (let i = 0; i < text.length; i++) if (this.bytes[at + i] !== text[i]) return NOT_PLAIN;
    return at + text.length;
  }

  same(at: number, other: number, length: number): boolean {
    if (at + length > this.limit) return false;
    for (let i = 0; i < length; i++) if (this.bytes[at + i] !== this.bytes[other + i]) return false;
    return true;
  }

  colon(at: number): number {
    return at !== NOT_PLAIN && this.bytes[at] === COLON ? at + 1 : NOT_PLAIN;
  }

  /** A whole number of at most 9 digits and what ends its field. */
  whole(at: number, end: number): number {
    const next = this.#digits(at, 9);
    return next !== NOT_PLAIN && this.bytes[next] === end ? next + 1 : NOT_PLAIN;
  }

  /** An amount that is no `[resource]` in doubt, in bytes, and what ends its field. */
  total(start: number, end: number, wholePages: boolean): number {
    const at = this.#digits(start, ZONE_DIGITS);
    const kib = this.value[0]!;
    if (at === NOT_PLAIN || this.bytes[at] !== UPPER_K || this.bytes[at + 1] !== end) return NOT_PLAIN;
    if (kib < SMALLEST_KIB_TOKEN || isDoubtfulToken(kib, wholePages)) return NOT_PLAIN;
    this.value[0] = 1_024 * kib;
    return at + 2;
  }

  /** An amount as in `PlainRows`, and its colon. */
  amount(start: number, wholePages: boolean): number {
    const at = this.#digits(start, ZONE_DIGITS);
    if (at === NOT_PLAIN) return NOT_PLAIN;
    const printed = this.value[0]!;
    if (this.bytes[at] !== UPPER_K) return printed <= LARGEST_PLAIN_AMOUNT ? this.colon(at) : NOT_PLAIN;
    if (printed < SMALLEST_KIB_TOKEN) return NOT_PLAIN;
    this.value[0] = isDoubtfulToken(printed, wholePages) ? -printed : 1_024 * printed;
    return this.colon(at + 1);
  }

  aggregateAmount(start: number): number {
    if (start === NOT_PLAIN) return NOT_PLAIN;
    if (this.bytes[start] === DASH) return this.colon(start + 1);
    const at = this.#digits(start, AGGREGATE_DIGITS);
    if (at === NOT_PLAIN) return NOT_PLAIN;
    const printed = this.value[0]!;
    if (this.bytes[at] !== UPPER_K) return printed <= LARGEST_PLAIN_AMOUNT ? this.colon(at) : NOT_PLAIN;
    return printed >= SMALLEST_KIB_TOKEN && printed < AGGREGATE_KIB_END ? this.colon(at + 1) : NOT_PLAIN;
  }

  /** `D.DD` in hundredths. */
  hundredths(start: number): number {
    const at = this.#digits(start, 9);
    if (at === NOT_PLAIN || this.bytes[at] !== DOT) return NOT_PLAIN;
    const high = this.bytes[at + 1]! - ZERO;
    if (!(high >= 0 && high <= 9)) return NOT_PLAIN;
    const low = this.bytes[at + 2]! - ZERO;
    if (!(low >= 0 && low <= 9)) return NOT_PLAIN;
    this.value[0] = 100 * this.value[0]! + 10 * high + low;
    return at + 3;
  }

  /** `D.DD%` or `-`, and its colon. */
  percent(at: number): number {
    return this.colon(this.#share(at));
  }

  /** The same at the end of a line. */
  lastPercent(at: number): number {
    const next = this.#share(at);
    return next !== NOT_PLAIN && this.bytes[next] === LF ? next + 1 : NOT_PLAIN;
  }

  #share(start: number): number {
    if (start === NOT_PLAIN) return NOT_PLAIN;
    if (this.bytes[start] === DASH) return start + 1;
    const at = this.hundredths(start);
    return at !== NOT_PLAIN && this.bytes[at] === PERCENT ? at + 1 : NOT_PLAIN;
  }

  /** Digits without a leading zero. */
  #digits(start: number, most: number): number {
    if (start === NOT_PLAIN) return NOT_PLAIN;
    const bytes = this.bytes;
    let value = 0;
    let at = start;
    for (; ; at++) {
      const digit = bytes[at]! - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      value = 10 * value + digit;
    }
    const count = at - start;
    if (count === 0 || count > most || (count > 1 && bytes[start] === ZERO)) return NOT_PLAIN;
    this.value[0] = value;
    return at;
  }
}
