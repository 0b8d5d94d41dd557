import { ZonemeterError } from "./errors.ts";

export const NS_PER_SECOND = 1_000_000_000n;
export const NS_PER_MS = 1_000_000n;

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/;

/** Nanoseconds since the epoch of an RFC 3339 time with any offset, or null where the text is not one. Digits past the ninth are cut. */
export function parseRfc3339(text: string): bigint | null {
  const match = RFC3339.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, offset] = match as unknown as string[];
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const ms = new Date(0).setUTCFullYear(+year!, +month! - 1, +day!) + Date.UTC(1970, 0, 1, +hour!, +minute!, +second!);
  const check = new Date(ms);
  if (check.getUTCMonth() !== +month! - 1 || check.getUTCDate() !== +day! || +hour! > 23 || +minute! > 59 || +second! > 60) return null;
  let ns = BigInt(ms) * NS_PER_MS + BigInt((fraction ?? "").padEnd(9, "0"));
  if (offset !== "Z" && offset !== "z") {
    const hours = +offset!.slice(1, 3);
    const minutes = +offset!.slice(4, 6);
    if (hours > 23 || minutes > 59) return null;
    const offsetNs = BigInt(hours * 3600 + minutes * 60) * NS_PER_SECOND;
    ns += offset![0] === "-" ? offsetNs : -offsetNs;
  }
  return ns;
}

/** RFC 3339 in UTC with `Z` and 0, 3, 6 or 9 digits of fraction, as upstream writes it. */
export function formatRfc3339(ns: bigint): string {
  let ms = ns / NS_PER_MS;
  let belowMs = ns % NS_PER_MS;
  if (belowMs < 0n) {
    ms -= 1n;
    belowMs += NS_PER_MS;
  }
  const iso = new Date(Number(ms)).toISOString();
  if (belowMs !== 0n) {
    const digits = belowMs.toString().padStart(6, "0");
    return `${iso.slice(0, -1)}${digits.endsWith("000") ? digits.slice(0, 3) : digits}Z`;
  }
  return iso.endsWith(".000Z") ? `${iso.slice(0, -5)}Z` : iso;
}

const DURATION_UNITS_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  ms: NS_PER_MS,
  s: NS_PER_SECOND,
  m: 60n * NS_PER_SECOND,
  h: 3_600n * NS_PER_SECOND,
  d: 86_400n * NS_PER_SECOND,
};

/** Reads a configuration duration such as `10s`, `500ms` or `5m`. `what` names the value in the error. */
export function parseDurationNs(text: string, what: string): bigint {
  const match = /^(\d{1,9})(ns|us|ms|s|m|h|d)$/.exec(text);
  if (match === null) {
    throw new ZonemeterError("usage", `${what} "${text}" is not a duration: write a whole number and a unit, such as 10s, 500ms or 5m.`);
  }
  return BigInt(match[1]!) * DURATION_UNITS_NS[match[2]!]!;
}
