import { parseRfc3339 } from "../core/index.ts";
import { putSum, wordsOf } from "./int64-words.ts";

const MINUTE_LENGTH = "2030-01-01T00:00:".length;
const ZERO = 48;

/**
 * Reads columns of RFC 3339 times, as `parseRfc3339` does one at a time. Times in UTC of one minute, and neighbours mostly are, are
 * read by their seconds alone.
 */
export class TimeParser {
  /** Nothing begins with this until a time has been read. */
  #minute = "\u0000";
  /** Nanoseconds of `#minute`. */
  readonly #base = new BigInt64Array(1);
  readonly #baseWords = wordsOf(this.#base);

  /** Fills `times`, which is as long as `texts`. Gives the index of the first entry that is no time, or null. */
  parseInto(times: BigInt64Array, texts: readonly unknown[]): number | null {
    const words = wordsOf(times);
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i];
      if (typeof text !== "string") return i;
      const offset = text.startsWith(this.#minute) ? nsOfMinute(text) : -1;
      if (offset >= 0) putSum(words, i, this.#baseWords, offset);
      else if (!this.#parseOne(times, i, text)) return i;
    }
    return null;
  }

  #parseOne(times: BigInt64Array, i: number, text: string): boolean {
    const ns = parseRfc3339(text);
    if (ns === null) return false;
    times[i] = ns;
    const minute = text.slice(0, MINUTE_LENGTH);
    const base = parseRfc3339(`${minute}00Z`);
    if (base !== null) [this.#minute, this.#base[0]] = [minute, base];
    return true;
  }
}

/** Nanoseconds from the text's minute on, or -1 where the rest of the text is not two digits, an optional fraction and `Z`. */
function nsOfMinute(text: string): number {
  if (text.length < MINUTE_LENGTH + 3 || text.charCodeAt(text.length - 1) !== 0x5a) return -1;
  const tens = text.charCodeAt(MINUTE_LENGTH) - ZERO;
  const ones = text.charCodeAt(MINUTE_LENGTH + 1) - ZERO;
  if (tens < 0 || tens > 5 || ones < 0 || ones > 9) return -1;
  let ns = 0;
  const end = text.length - 1;
  let at = MINUTE_LENGTH + 2;
  if (at < end) {
    if (text.charCodeAt(at) !== 0x2e || end - at > 10 || end - at < 2) return -1;
    let scale = 100_000_000;
    for (at += 1; at < end; at++, scale /= 10) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) return -1;
      ns += digit * scale;
    }
  }
  return (tens * 10 + ones) * 1e9 + ns;
}
