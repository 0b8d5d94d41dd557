import { NS_PER_MS, NS_PER_SECOND } from "../core/index.ts";

const UNIX = /^[1-9]\d{0,11}$/;
const ISO_BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** `Tuesday, November 10, 2026 at 02:05:00 PM UTC` */
const LONG_DATE = /^[A-Z][a-z]+, ([A-Z][a-z]+) +(\d{1,2}), (\d{4}) at +(\d{1,2}):(\d\d):(\d\d) ([AP]M)(?: (\S+))?$/;
/** `Tue Nov 10 14:05:00 UTC 2026`, and without the zone. */
const SHORT_DATE = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?: (\S+))? (\d{4})$/;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const UTC_NAMES: ReadonlySet<string> = new Set(["UTC", "GMT", "Z"]);

/** Seconds of a Unix time as ns, or null where the text is not one. */
export function unixTimeNs(text: string): bigint | null {
  return UNIX.test(text) ? BigInt(text) * NS_PER_SECOND : null;
}

/** `YYYYMMDDThhmmssZ` as ns, or null where the text is not one. */
export function isoBasicTimeNs(text: string): bigint | null {
  const match = ISO_BASIC.exec(text);
  if (match === null) return null;
  return utcNs(+match[1]!, +match[2]! - 1, +match[3]!, +match[4]!, +match[5]!, +match[6]!);
}

/** A time in any form of `-T`. `timeNs` is null for a date whose zone is not UTC; null where the text is no time at all. */
export function toolTime(text: string): { readonly timeNs: bigint | null } | null {
  const exact = unixTimeNs(text) ?? isoBasicTimeNs(text);
  if (exact !== null) return { timeNs: exact };
  const long = LONG_DATE.exec(text);
  if (long !== null) {
    const hour = (+long[4]! % 12) + (long[7] === "PM" ? 12 : 0);
    if (+long[4]! < 1 || +long[4]! > 12) return null;
    return date(long[1]!, +long[2]!, +long[3]!, hour, +long[5]!, +long[6]!, long[8]);
  }
  const short = SHORT_DATE.exec(text);
  return short === null ? null : date(short[1]!, +short[2]!, +short[7]!, +short[3]!, +short[4]!, +short[5]!, short[6]);
}

function date(
  monthName: string,
  day: number,
  year: number,
  hour: number,
  minute: number,
  second: number,
  zone: string | undefined,
): { timeNs: bigint | null } | null {
  const month = MONTHS.indexOf(monthName.slice(0, 3).toLowerCase());
  const timeNs = month === -1 ? null : utcNs(year, month, day, hour, minute, second);
  if (timeNs === null) return null;
  return { timeNs: zone !== undefined && UTC_NAMES.has(zone) ? timeNs : null };
}

function utcNs(year: number, month: number, day: number, hour: number, minute: number, second: number): bigint | null {
  if (hour > 23 || minute > 59 || second > 60) return null;
  const ms = Date.UTC(year, month, day, hour, minute, second);
  const read = new Date(Date.UTC(year, month, day));
  if (Number.isNaN(ms) || read.getUTCMonth() !== month || read.getUTCDate() !== day) return null;
  return BigInt(ms) * NS_PER_MS;
}
