import { formatRfc3339, NS_PER_SECOND } from "../core/index.ts";
import { offsetsFrom } from "./int64-words.ts";

const DAY_NS = 86_400n * NS_PER_SECOND;
const TWO_DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"));

/**
 * A column of times as the elements of a JSON array: RFC 3339 with 0, 3, 6 or 9 digits of fraction, as `formatRfc3339` gives one at a
 * time. Columns of one memory, as alignment makes them, are formatted once.
 */
export class TimeFormatter {
  readonly #known = new WeakMap<ArrayBufferLike, Map<string, string>>();

  elements(timesNs: BigInt64Array): string {
    const place = `${timesNs.byteOffset}:${timesNs.length}`;
    let texts = this.#known.get(timesNs.buffer);
    if (texts === undefined) this.#known.set(timesNs.buffer, (texts = new Map<string, string>()));
    let text = texts.get(place);
    if (text === undefined) texts.set(place, (text = formatTimes(timesNs)));
    return text;
  }
}

function formatTimes(timesNs: BigInt64Array): string {
  const [first] = timesNs;
  if (first === undefined) return "";
  // A midnight within a day of the first time; towards zero, so that it is a time too.
  const base = first - (first % DAY_NS);
  const offsets = offsetsFrom(base, timesNs);
  const dates = new Map<number, string>();
  const parts: string[] = [];
  for (let i = 0; i < offsets.length; i++) {
    const offset = offsets[i]!;
    // Beyond this a double no longer holds every nanosecond.
    if (Math.abs(offset) > Number.MAX_SAFE_INTEGER) {
      parts.push(`"${formatRfc3339(timesNs[i]!)}"`);
      continue;
    }
    const seconds = Math.floor(offset / 1e9);
    const day = Math.floor(seconds / 86_400);
    let date = dates.get(day);
    if (date === undefined) dates.set(day, (date = formatRfc3339(base + BigInt(day) * DAY_NS).slice(0, 11)));
    const second = seconds - day * 86_400;
    const minute = Math.floor(second / 60);
    const clock = `${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[second % 60]}`;
    parts.push(`"${date}${clock}${fraction(offset - seconds * 1e9)}Z"`);
  }
  return parts.join(",");
}

function fraction(ns: number): string {
  if (ns === 0) return "";
  const digits = String(ns).padStart(9, "0");
  if (!digits.endsWith("000")) return `.${digits}`;
  return digits.endsWith("000000") ? `.${digits.slice(0, 3)}` : `.${digits.slice(0, 6)}`;
}
