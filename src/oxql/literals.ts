import type { Literal } from "./ast.ts";
import { formatIpAddress, ipAddressBytes } from "./ip-address.ts";
import type { Scanner } from "./lexer.ts";
import { readString } from "./strings.ts";
import { readTimestamp } from "./timestamps.ts";

const BOOLEAN = /true|false/y;
/** Not followed by `.`, and a decimal one not by an exponent: those are doubles. */
const INTEGER = /-?(?:0x[0-9a-fA-F]+(?![0-9a-fA-F.])|\d+(?![\d.eE]))/y;
const DOUBLE = /-?(?:\d+\.\d*|\.\d+|\d+)(?:[eE]-?\d+)?/y;
const DURATION = /(-?(?:0x[0-9a-fA-F]+(?![0-9a-fA-F])|\d+))(ms|us|ns|[YMwdhms])/y;
const UUID = /"([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32})"/y;
const IP_ADDRESS = /"((?:\d{1,3}\.){3}\d{1,3}|[0-9a-f:]+)"/y;

const MIN_INTEGER = -(1n << 63n);
const MAX_INTEGER = (1n << 64n) - 1n;
/** Of a duration, in its unit. */
export const MAX_DURATION_COUNT = (1n << 32n) - 1n;

/** Units, longest first where one begins another; `ms` before `m` in the pattern above for the same reason. */
export const DURATION_UNITS_NS: readonly (readonly [unit: string, ns: bigint])[] = [
  ["Y", 365n * 86_400_000_000_000n],
  ["M", 30n * 86_400_000_000_000n],
  ["w", 7n * 86_400_000_000_000n],
  ["d", 86_400_000_000_000n],
  ["h", 3_600_000_000_000n],
  ["m", 60_000_000_000n],
  ["s", 1_000_000_000n],
  ["ms", 1_000_000n],
  ["us", 1_000n],
  ["ns", 1n],
];

/**
 * `literal = boolean / duration / integer / double / uuid / ip_addr / string / timestamp`, the first that fits; no coercion afterwards.
 * An integer outside 64 bits is a double. A double-quoted string that reads as a UUID or an address is one.
 */
export function readLiteral(scanner: Scanner): Literal {
  const start = scanner.offset;
  const next = scanner.text[start];
  if (next === "'" || next === '"') return readQuoted(scanner, start);
  if (next === "@") {
    const { valueNs, text } = readTimestamp(scanner);
    return { type: "timestamp", valueNs, text, position: scanner.positionFrom(start) };
  }
  const boolean = scanner.match(BOOLEAN);
  if (boolean !== null) return { type: "boolean", value: boolean[0] === "true", position: scanner.positionFrom(start) };
  const duration = takeDuration(scanner);
  if (duration !== null) return { type: "duration", valueNs: duration, position: scanner.positionFrom(start) };
  const integer = takeInteger(scanner);
  if (integer !== null) return { type: "integer", value: integer, position: scanner.positionFrom(start) };
  const double = takeDouble(scanner);
  if (double !== null) return { type: "double", value: double, position: scanner.positionFrom(start) };
  scanner.fail("a literal");
}

/** `duration = integer unit`, blanks nowhere, the count from 0 to 2^32-1. */
export function readDuration(scanner: Scanner): bigint {
  const start = scanner.offset;
  const ns = takeDuration(scanner);
  if (ns !== null) return ns;
  const written = scanner.peek(DURATION);
  if (written !== null)
    scanner.refuse(
      `The count of a duration is a whole number from 0 to ${MAX_DURATION_COUNT}: write "${written[0]}" in a larger unit.`,
      start,
      written[0].length,
    );
  scanner.fail("a duration");
}

/** An integer within 64 bits, signed or unsigned; null (and nothing taken) otherwise. */
export function takeInteger(scanner: Scanner): bigint | null {
  const match = scanner.peek(INTEGER);
  if (match === null) return null;
  const value = integerValue(match[0]);
  if (value < MIN_INTEGER || value > MAX_INTEGER) return null;
  scanner.advance(match[0].length);
  return value;
}

/** A double, or an integer too wide for 64 bits read as one. A hexadecimal one too wide is an error: it has no other reading. */
export function takeDouble(scanner: Scanner): number | null {
  const hex = scanner.peek(INTEGER);
  if (hex !== null && hex[0].includes("x")) scanner.refuse(`"${hex[0]}" does not fit 64 bits.`, scanner.offset, hex[0].length);
  const match = scanner.match(DOUBLE);
  return match === null ? null : Number(match[0]);
}

function takeDuration(scanner: Scanner): bigint | null {
  const match = scanner.peek(DURATION);
  if (match === null) return null;
  const count = integerValue(match[1]!);
  if (count < 0n || count > MAX_DURATION_COUNT) return null;
  scanner.advance(match[0].length);
  return count * DURATION_UNITS_NS.find(([unit]) => unit === match[2])![1];
}

/** BigInt reads hexadecimal digits itself, but no sign before them. */
function integerValue(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

function readQuoted(scanner: Scanner, start: number): Literal {
  const uuid = scanner.match(UUID);
  if (uuid !== null) {
    const digits = uuid[1]!.replaceAll("-", "").toLowerCase();
    const value = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join("-");
    return { type: "uuid", value, position: scanner.positionFrom(start) };
  }
  const address = scanner.peek(IP_ADDRESS);
  const bytes = address === null ? null : ipAddressBytes(address[1]!);
  if (bytes !== null) {
    scanner.advance(address![0].length);
    return { type: "ip_addr", value: formatIpAddress(bytes), position: scanner.positionFrom(start) };
  }
  return { type: "string", value: readString(scanner), position: scanner.positionFrom(start) };
}
