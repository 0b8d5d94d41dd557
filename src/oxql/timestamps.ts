import { NS_PER_MS, NS_PER_SECOND } from "../core/index.ts";
import type { Scanner } from "./lexer.ts";
import { readDuration } from "./literals.ts";

const NOW = /@now\(/y;
const DATE = /@(\d{1,4})-(\d{1,2})-(\d{1,2})(?:T(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?)?/y;
const CLOCK = /@(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?/y;

const NS_PER_DAY = 86_400n * NS_PER_SECOND;
/** What the years 0 to 9999 span, so that every instant can be printed. */
const EARLIEST_NS = BigInt(Date.parse("0000-01-01T00:00:00Z")) * NS_PER_MS;
const END_NS = BigInt(Date.parse("9999-12-31T00:00:00Z")) * NS_PER_MS + NS_PER_DAY;

/**
 * ```
 * timestamp = ( "@now(" [ duration ] ")" / date [ "T" clock ] / clock ) [ ~ ( "+" / "-" ) ~ duration ]
 * date      = "@" YYYY "-" MM "-" DD          -- one-digit months and days and short years too
 * clock     = "@" HH ":" MM ":" SS [ "." digits ]   -- on the current UTC day; no "@" after a date
 * ```
 * All UTC. Superset: a duration within `@now()`, which rounds down to its whole multiple since the epoch, and an offset after anything
 * but `@now()`. `text` is what was written, with one blank on each side of the sign.
 */
export function readTimestamp(scanner: Scanner): { valueNs: bigint; text: string } {
  const start = scanner.offset;
  const instantNs = readNow(scanner) ?? readDate(scanner) ?? readClock(scanner);
  if (instantNs === null) refuseForm(scanner);
  if (scanner.peek(/[zZ]/y) !== null) scanner.refuse("A timestamp has no zone, all are UTC: leave the Z out.", scanner.offset, 1);
  let valueNs = instantNs;
  let text = scanner.text.slice(start, scanner.offset);
  const sign = scanner.peek(/[ \t\n]*([+-])[ \t\n]*/y);
  if (sign !== null) {
    scanner.advance(sign[0].length);
    const durationStart = scanner.offset;
    const offsetNs = readDuration(scanner);
    valueNs += sign[1] === "-" ? -offsetNs : offsetNs;
    text += ` ${sign[1]} ${scanner.text.slice(durationStart, scanner.offset)}`;
    const second = scanner.peek(/[ \t\n]*[+-]/y);
    if (second !== null) scanner.refuse("A timestamp takes one offset only: add them up.", scanner.offset + second[0].length - 1, 1);
  } else {
    // So that an error right behind the timestamp names these too.
    scanner.expect('"+"');
    scanner.expect('"-"');
  }
  if (valueNs < EARLIEST_NS || valueNs >= END_NS) {
    scanner.refuse(`${text} is outside the years 0 to 9999.`, start, scanner.offset - start);
  }
  return { valueNs, text };
}

/** True for the text of a timestamp that upstream's grammar has too. */
export function isUpstreamTimestamp(text: string): boolean {
  return text.startsWith("@now()") || !/[(+ ]/.test(text);
}

function readNow(scanner: Scanner): bigint | null {
  if (scanner.match(NOW) === null) return null;
  let nowNs = scanner.nowNs;
  if (!scanner.take(")")) {
    const start = scanner.offset;
    const stepNs = readDuration(scanner);
    if (stepNs === 0n)
      scanner.refuse("now cannot be rounded to multiples of zero: write a longer duration, or @now().", start, scanner.offset - start);
    nowNs -= ((nowNs % stepNs) + stepNs) % stepNs;
    scanner.demand(")");
  }
  return nowNs;
}

function readDate(scanner: Scanner): bigint | null {
  const start = scanner.offset;
  const match = scanner.match(DATE);
  if (match === null) return null;
  const [written, year, month, day, hour, minute, second, fraction] = match;
  const clockNs = hour === undefined ? 0n : clockTimeNs(hour, minute!, second!, fraction);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (clockNs === null || date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) {
    scanner.refuse(`${written} is no date and time of the calendar.`, start, written.length);
  }
  if (hour === undefined && scanner.text[scanner.offset] === "T") {
    scanner.refuse("A time needs hours, minutes and seconds: write it as in @2026-05-04T13:30:00.", scanner.offset, 1);
  }
  return BigInt(date.getTime()) * NS_PER_MS + clockNs;
}

function readClock(scanner: Scanner): bigint | null {
  const start = scanner.offset;
  const match = scanner.match(CLOCK);
  if (match === null) return null;
  const [written, hour, minute, second, fraction] = match;
  const clockNs = clockTimeNs(hour!, minute!, second!, fraction);
  if (clockNs === null) scanner.refuse(`${written} is no time of the day.`, start, written.length);
  const { nowNs } = scanner;
  return nowNs - (((nowNs % NS_PER_DAY) + NS_PER_DAY) % NS_PER_DAY) + clockNs;
}

/** Second 60 is the first of the next minute, as upstream's date library has it; fraction digits past the ninth are cut. */
function clockTimeNs(hour: string, minute: string, second: string, fraction = ""): bigint | null {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const seconds = BigInt(Number(hour) * 3600 + Number(minute) * 60 + Number(second));
  return seconds * NS_PER_SECOND + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
}

function refuseForm(scanner: Scanner): never {
  const written = scanner.peek(/@[\w:.()-]*/y)![0];
  const remedy = written.startsWith("@now") ? "the current time is @now()" : "write @2026-05-04, @2026-05-04T13:30:00, @13:30:00 or @now()";
  scanner.refuse(`"${written}" is not a timestamp: ${remedy}.`, scanner.offset, written.length);
}
