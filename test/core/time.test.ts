import { describe, expect, it } from "vitest";
import { formatRfc3339, parseDurationNs, parseRfc3339 } from "../../src/core/index.ts";

describe("RFC 3339 times", () => {
  it.each([
    ["1970-01-01T00:00:00Z", 0n],
    ["2026-08-21T10:15:30.123456789Z", 1_787_307_330_123_456_789n],
    ["2026-08-21T12:15:30.5+02:00", 1_787_307_330_500_000_000n],
    ["2026-08-21T10:15:30.1234567899Z", 1_787_307_330_123_456_789n],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000_000_000n],
    ["1969-12-31T23:59:59.000000001Z", -999_999_999n],
  ])("reads %s", (text, ns) => {
    expect(parseRfc3339(text)).toBe(ns);
  });

  it.each(["2026-02-30T00:00:00Z", "2026-08-21", "2026-08-21T24:00:00Z", "2026-08-21T10:15:30", "2026-08-21T10:15:30+25:00", "", "now"])(
    "refuses %j",
    (text) => {
      expect(parseRfc3339(text)).toBeNull();
    },
  );

  it.each([
    [0n, "1970-01-01T00:00:00Z"],
    [1_500_000_000n, "1970-01-01T00:00:01.500Z"],
    [1_500_001_000n, "1970-01-01T00:00:01.500001Z"],
    [1_500_001_001n, "1970-01-01T00:00:01.500001001Z"],
    [-1n, "1969-12-31T23:59:59.999999999Z"],
  ])("writes %s with as many digits as needed", (ns, text) => {
    expect(formatRfc3339(ns)).toBe(text);
    expect(parseRfc3339(text)).toBe(ns);
  });
});

describe("durations of the configuration", () => {
  it("reads whole numbers with a unit", () => {
    expect(parseDurationNs("10s", "--x")).toBe(10_000_000_000n);
    expect(parseDurationNs("2h", "--x")).toBe(7_200_000_000_000n);
  });

  it("names the value that is none", () => {
    expect(() => parseDurationNs("ten", "--sample-interval")).toThrow(
      '--sample-interval "ten" is not a duration: write a whole number and a unit, such as 10s, 500ms or 5m.',
    );
  });
});
