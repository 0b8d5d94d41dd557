import { isIPv4, isIPv6, SocketAddress } from "node:net";
import { fitsInteger, parseRfc3339, type IntegerType } from "../core/index.ts";
import type { JsonScanner } from "./json-scanner.ts";

/** An integer of the given width, exact. `1.0`, `1e3` and numbers out of range are refused, as upstream refuses them. */
export function readInteger(scanner: JsonScanner, type: IntegerType): bigint {
  const start = scanner.pos;
  const { bytes } = scanner;
  const digits = scanner.integerDigits(`an integer of type ${type}`);
  let value: bigint;
  if (digits <= 15) {
    const negative = bytes[start] === 0x2d;
    let small = 0;
    for (let i = negative ? start + 1 : start; i < scanner.pos; i++) small = small * 10 + (bytes[i]! - 0x30);
    value = BigInt(negative ? -small : small);
    if (type === "u64" && !negative) return value;
  } else if (digits <= 20) value = BigInt(bytes.toString("latin1", start, scanner.pos));
  else return scanner.fail(start, `an integer of type ${type}`);
  if (!fitsInteger(type, value)) scanner.fail(start, `an integer within the range of ${type}`);
  return value;
}

/** A finite float. A 32-bit one is rounded to its nearest value, as upstream's reader does. */
export function readFloat(scanner: JsonScanner, type: "f32" | "f64"): number {
  const start = scanner.pos;
  const value = scanner.number(`a number of type ${type}`);
  if (type === "f64") return value;
  const rounded = Math.fround(value);
  if (!Number.isFinite(rounded)) scanner.fail(start, "a number within the range of f32");
  return rounded;
}

export function readBoolean(scanner: JsonScanner): boolean {
  if (scanner.word("true")) return true;
  if (scanner.word("false")) return false;
  return scanner.fail(scanner.pos, "true or false");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A UUID in any usual form (hyphenated, 32 digits, braced, URN), as hyphenated lower case. */
export function readUuid(scanner: JsonScanner): string {
  const start = scanner.pos;
  const text = scanner.string("a UUID");
  if (UUID.test(text)) return text;
  const bare = text
    .toLowerCase()
    .replace(/^urn:uuid:|^\{(?=.*\}$)/, "")
    .replace(/\}$/, "");
  if (UUID.test(bare)) return bare;
  if (!/^[0-9a-f]{32}$/.test(bare)) scanner.fail(start, "a UUID");
  return bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** An IPv4 or IPv6 address without zone or port, in its canonical spelling, so that one address is one field value. */
export function readIpAddress(scanner: JsonScanner): string {
  const start = scanner.pos;
  const text = scanner.string("an IP address");
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes("%")) scanner.fail(start, "an IP address");
  return new SocketAddress({ address: text, family: "ipv6" }).address;
}

/**
 * Reads times. Samples of one snapshot carry the same text over and over, so the newest one is remembered; an instance is kept for
 * each place where times stand.
 */
export class TimeReader {
  #text = "";
  #valueNs = 0n;

  /** Nanoseconds since the epoch of an RFC 3339 string with any offset. */
  read(scanner: JsonScanner): bigint {
    const start = scanner.pos;
    const text = scanner.string("an RFC 3339 time");
    if (text === this.#text) return this.#valueNs;
    const ns = parseUtc(text) ?? parseRfc3339(text);
    if (ns === null) scanner.fail(start, "an RFC 3339 time");
    this.#text = text;
    this.#valueNs = ns;
    return ns;
  }
}

const digitAt = (text: string, index: number): number => text.charCodeAt(index) - 0x30;
const twoDigitsAt = (text: string, index: number): number => digitAt(text, index) * 10 + digitAt(text, index + 1);

/** The spelling that Oximeter writes, `2026-08-21T10:15:30.123456789Z`, without a regular expression; null for every other. */
function parseUtc(text: string): bigint | null {
  const { length } = text;
  if (length < 20 || length > 30 || text.charCodeAt(length - 1) !== 0x5a || text.charCodeAt(10) !== 0x54) return null;
  if (text[4] !== "-" || text[7] !== "-" || text[13] !== ":" || text[16] !== ":" || (length > 20 && text[19] !== ".")) return null;
  for (let i = 0; i < length - 1; i++) {
    const digit = digitAt(text, i);
    if ((digit < 0 || digit > 9) && i !== 4 && i !== 7 && i !== 10 && i !== 13 && i !== 16 && i !== 19) return null;
  }
  const year = twoDigitsAt(text, 0) * 100 + twoDigitsAt(text, 2);
  const month = twoDigitsAt(text, 5);
  const day = twoDigitsAt(text, 8);
  const [hour, minute, second] = [twoDigitsAt(text, 11), twoDigitsAt(text, 14), twoDigitsAt(text, 17)];
  // Ends of months and odd years are left to the general reader, which checks them against the calendar.
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59) return null;
  let fraction = 0;
  let digits = 0;
  for (let i = 20; i < length - 1; i++, digits++) fraction = fraction * 10 + digitAt(text, i);
  if (length === 21) return null;
  return BigInt(Date.UTC(year, month - 1, day, hour, minute, second) / 1000) * 1_000_000_000n + BigInt(fraction * 10 ** (9 - digits));
}
