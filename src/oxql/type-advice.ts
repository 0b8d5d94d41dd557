import { formatRfc3339 } from "../core/index.ts";
import type { Literal } from "./ast.ts";
import type { Comparable } from "./check-filter.ts";
import { formatDuration } from "./format-duration.ts";
import { ipAddressBytes } from "./ip-address.ts";

const EXAMPLES: Readonly<Record<Literal["type"], string>> = {
  boolean: "true or false",
  integer: "an integer such as 5",
  double: "a double such as 5.0",
  string: "a string such as 'n1'",
  uuid: 'a UUID in double quotes such as "01234567-89ab-cdef-0123-456789abcdef"',
  ip_addr: 'an address in double quotes such as "10.0.0.1"',
  duration: "a duration such as 30s",
  timestamp: "a time such as @now() - 1h",
};

/** Counts since 1970 that people write, told apart by their size: they mean times from 2001 to 2286. */
const UNITS_SINCE_1970 = [9, 12, 15, 18].map((digits) => {
  const from = 10n ** BigInt(digits);
  return { from, to: 10n * from, ns: 10n ** BigInt(18 - digits) };
});

/** What to write instead of `literal`, which does not fit; the value that was meant, where that can be told. */
export function literalAdvice(wanted: Comparable, literal: Literal): string {
  switch (wanted.literal) {
    case "double":
      if (literal.type === "integer") return `write ${literal.value}.0`;
      break;
    case "integer":
      if (literal.type === "double" && Number.isSafeInteger(literal.value)) return `write ${literal.value}`;
      if (literal.type === "string" && /^-?\d{1,19}$/.test(literal.value)) return `write ${literal.value} without quotes`;
      break;
    case "boolean":
      if (literal.type === "string" && /^(?:true|false)$/i.test(literal.value))
        return `write ${literal.value.toLowerCase()} without quotes`;
      if (literal.type === "integer" && (literal.value === 0n || literal.value === 1n)) return `write ${literal.value === 1n}`;
      break;
    case "string":
      if (literal.type === "uuid") return "in double quotes this is a UUID, so use single quotes";
      if (literal.type === "ip_addr") return "in double quotes this is an address, so use single quotes";
      if (literal.type === "integer" || literal.type === "boolean") return `write '${literal.value}'`;
      break;
    case "uuid":
      if (literal.type === "string" && isUuid(literal.value)) return "use double quotes, since in single quotes this is a string";
      if (literal.type === "string" && /^[0-9a-f-]{30,40}$/i.test(literal.value))
        return "this string is not a UUID, which has 8-4-4-4-12 hexadecimal digits";
      break;
    case "ip_addr":
      if (literal.type === "string" && ipAddressBytes(literal.value.toLowerCase()) !== null) {
        return `write "${literal.value.toLowerCase()}" in double quotes, since this is a string`;
      }
      if (literal.type === "string" && literal.value.includes("/")) return "networks cannot be compared, only single addresses";
      break;
    case "timestamp":
      return timeAdvice(literal);
    default:
      break;
  }
  return `write ${EXAMPLES[wanted.literal]}`;
}

/** What a time could have been meant by: a date in quotes, a count since 1970, how long ago. */
function timeAdvice(literal: Literal): string {
  if (literal.type === "duration") return `write @now() - ${formatDuration(literal.valueNs)}`;
  if (literal.type === "string") {
    const [, date, clock] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?))?(?:Z|$)/.exec(literal.value) ?? [];
    if (date !== undefined) return `write @${date}${clock === undefined ? "" : `T${clock}`} without quotes`;
  }
  if (literal.type === "integer") {
    const unit = UNITS_SINCE_1970.find(({ from, to }) => literal.value >= from && literal.value < to);
    if (unit !== undefined) return `write @${formatRfc3339(literal.value * unit.ns).slice(0, -1)}`;
  }
  return `write ${EXAMPLES.timestamp}`;
}

function isUuid(text: string): boolean {
  return /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text);
}
