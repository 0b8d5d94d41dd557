import { describe, expect, it } from "vitest";
import { formatRfc3339 } from "../../src/core/index.ts";
import { formatIpAddress, ipAddressBytes, type Comparison, type Filter, type Literal } from "../../src/oxql/index.ts";
import { read } from "./ferry-catalogue.ts";

/** A literal as written, its type, and its value as text: a time in RFC 3339, a duration in nanoseconds. */
const LITERALS: readonly (readonly [written: string, type: Literal["type"], value: string])[] = [
  ["true", "boolean", "true"],
  ["false", "boolean", "false"],
  ["0", "integer", "0"],
  ["007", "integer", "7"],
  ["-9223372036854775808", "integer", "-9223372036854775808"],
  ["18446744073709551615", "integer", "18446744073709551615"],
  ["-9223372036854775809", "double", "-9223372036854776000"],
  ["18446744073709551616", "double", "18446744073709552000"],
  ["0xaF", "integer", "175"],
  ["-0x10", "integer", "-16"],
  ["0x2d", "integer", "45"],
  ["0xffffffffffffffff", "integer", "18446744073709551615"],
  ["1.", "double", "1"],
  [".5", "double", "0.5"],
  ["-.5e2", "double", "-50"],
  ["2e3", "double", "2000"],
  ["4E-2", "double", "0.04"],
  ["1.5e3", "double", "1500"],
  ["1e999", "double", "Infinity"],
  ["3Y", "duration", "94608000000000000"],
  ["2M", "duration", "5184000000000000"],
  ["1w", "duration", "604800000000000"],
  ["1d", "duration", "86400000000000"],
  ["1h", "duration", "3600000000000"],
  ["5m", "duration", "300000000000"],
  ["5ms", "duration", "5000000"],
  ["5us", "duration", "5000"],
  ["5ns", "duration", "5"],
  ["0x1es", "duration", "30000000000"],
  ["-0s", "duration", "0"],
  ["'plain'", "string", "plain"],
  ['"plain"', "string", "plain"],
  ["''", "string", ""],
  [`'say "hi"'`, "string", 'say "hi"'],
  ["'two\nlines'", "string", "two\nlines"],
  ["'\\n\\r\\t\\\\\\0\\u{1F600}\\u{27}'", "string", "\n\r\t\\\0\u{1f600}'"],
  ['"0123456789abcdef0123456789ABCDEF"', "uuid", "01234567-89ab-cdef-0123-456789abcdef"],
  ['"01234567-89AB-CDEF-0123-456789abcdef"', "uuid", "01234567-89ab-cdef-0123-456789abcdef"],
  ["'01234567-89ab-cdef-0123-456789abcdef'", "string", "01234567-89ab-cdef-0123-456789abcdef"],
  ['"0123456-789ab-cdef-0123-456789abcdef"', "string", "0123456-789ab-cdef-0123-456789abcdef"],
  ['"192.168.0.254"', "ip_addr", "192.168.0.254"],
  ['"192.168.00.254"', "string", "192.168.00.254"],
  ['"192.168.0.256"', "string", "192.168.0.256"],
  ["'192.168.0.254'", "string", "192.168.0.254"],
  ['"::"', "ip_addr", "::"],
  ['"fd00:0:0:1:0:0:0:0001"', "ip_addr", "fd00:0:0:1::1"],
  ['"::ffff:0a00:0001"', "ip_addr", "::ffff:10.0.0.1"],
  ['"FD00::1"', "string", "FD00::1"],
  ['"fd00::1%eth0"', "string", "fd00::1%eth0"],
  ['"fd00::/8"', "string", "fd00::/8"],
  ['"::ffff:10.0.0.1"', "string", "::ffff:10.0.0.1"],
  ['"1:2:3:4:5:6:7"', "string", "1:2:3:4:5:6:7"],
  ["@2031-02-03", "timestamp", "2031-02-03T00:00:00Z"],
  ["@2031-2-3", "timestamp", "2031-02-03T00:00:00Z"],
  ["@2028-02-29T23:59:59.000000001", "timestamp", "2028-02-29T23:59:59.000000001Z"],
  ["@2031-02-03T04:05:06.1234567899", "timestamp", "2031-02-03T04:05:06.123456789Z"],
  ["@1969-12-31T23:59:59.5", "timestamp", "1969-12-31T23:59:59.500Z"],
  ["@0025-01-01", "timestamp", "0025-01-01T00:00:00Z"],
  ["@04:05:06.5", "timestamp", "2031-05-07T04:05:06.500Z"],
  ["@now()", "timestamp", "2031-05-07T10:20:30Z"],
  ["@now()-90s", "timestamp", "2031-05-07T10:19:00Z"],
  ["@now()\n + \t1d", "timestamp", "2031-05-08T10:20:30Z"],
  ["@now(1m)", "timestamp", "2031-05-07T10:20:00Z"],
  ["@now(1h) - 2h", "timestamp", "2031-05-07T08:00:00Z"],
  ["@now(1w)", "timestamp", "2031-05-01T00:00:00Z"],
  ["@2026-11-20T00:00:00 - 1h", "timestamp", "2026-11-19T23:00:00Z"],
  ["@2026-11-20 + 30m", "timestamp", "2026-11-20T00:30:00Z"],
  ["@12:00:00-12h", "timestamp", "2031-05-07T00:00:00Z"],
];

describe("literals", () => {
  it.each(LITERALS)("%j", (written, type, value) => {
    const literal = literalOf(`get a:b | filter x == ${written} && y == 1`);
    const shown =
      literal.type === "timestamp" ? formatRfc3339(literal.valueNs) : String(literal.type === "duration" ? literal.valueNs : literal.value);
    expect([literal.type, shown]).toEqual([type, value]);
  });

  it("keep how a time was written, with one blank at each side of the sign", () => {
    expect(literalOf("get a:b | filter x == @now(5m)\n-1h")).toMatchObject({ text: "@now(5m) - 1h" });
  });

  it("read the clock as it was given, before the epoch too", () => {
    const filter = read("get a:b | filter x == @now(1m)").operations[1] as Filter;
    expect(((filter.expression as Comparison).literal as { valueNs: bigint }).valueNs % 60_000_000_000n).toBe(0n);
  });
});

function literalOf(text: string): Literal {
  let { expression } = read(text).operations[1] as Filter;
  if (expression.kind === "and") expression = expression.left;
  return (expression as Comparison).literal;
}

/** A text, and the address printed again, or null where it is none. */
const ADDRESSES: readonly (readonly [text: string, printed: string | null])[] = [
  ["0.0.0.0", "0.0.0.0"],
  ["255.255.255.255", "255.255.255.255"],
  ["1.2.3", null],
  ["1.2.3.4.5", null],
  ["1.2.3.04", null],
  ["::", "::"],
  ["::1", "::1"],
  ["1::", "1::"],
  ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
  ["1:0:0:2:0:0:3:4", "1::2:0:0:3:4"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
  ["0:2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ["ABCD::EF01", "abcd::ef01"],
  ["::ffff:1.2.3.4", "::ffff:1.2.3.4"],
  ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ["::1.2.3.4", "::102:304"],
  ["1:2:3:4:5:6:7:1.2.3.4", null],
  ["1::2::3", null],
  [":::", null],
  ["1:2:3:4:5:6:7:8::", null],
  ["12345::", null],
  ["g::", null],
  ["1:", null],
  ["", null],
];

describe("addresses", () => {
  it.each(ADDRESSES)("%j", (text, printed) => {
    const bytes = ipAddressBytes(text);
    expect(bytes === null ? null : formatIpAddress(bytes)).toBe(printed);
  });
});
