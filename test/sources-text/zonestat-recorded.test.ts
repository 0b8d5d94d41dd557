import { expect, it } from "vitest";
import { PlainReport } from "../../src/sources/plain-report.ts";
import { sledReadings } from "../../src/sources/snapshots-from-zonestat.ts";
import type { Diagnostic } from "../../src/sources/source.ts";
import type { TextReader } from "../../src/sources/text-reader.ts";
import { zonestatReadings } from "../../src/sources/zonestat-readings.ts";
import { RecordedZonestatReader } from "../../src/sources/zonestat-recorded.ts";
import type { ZonestatReport } from "../../src/sources/zonestat-report.ts";
import { ZonestatReader } from "../../src/sources/zonestat-text.ts";
import { Random } from "../support/random.ts";
import { recordZonestat, reportLines, type PrintedZone } from "../support/zonestat-recording.ts";
import { cut, damageNumberIn, dropField, FUZZ_RUNS, FUZZ_SEED } from "./damage.ts";

const AT_S = 1_740_787_200;
const zones: readonly PrintedZone[] = [
  { name: "global", cpuHundredths: 12_345, physicalBytes: 8_591_704_064, virtualBytes: 9_999 },
  { name: "oxz_ntp_a68c3896-3fa0-45d7-9c78-d9e2b5b7f898", cpuHundredths: 0, physicalBytes: 0, virtualBytes: 4_096_000 },
  { name: "x", cpuHundredths: 12_800, physicalBytes: 50_000, virtualBytes: 50_000 },
];

/** All that a reader makes of the text, which comes in pieces of these lengths, over and over. */
function read(reader: TextReader<ZonestatReport>, text: Buffer, lengths: readonly number[]): ZonestatReport[] {
  const reports: ZonestatReport[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length]!;
    reports.push(...reader.push(text.subarray(at, at + length)));
    at += length;
  }
  reports.push(...reader.end());
  return reports;
}

/** What a report says, field by field, and what becomes of it. */
function told(report: ZonestatReport): unknown {
  const { kind, timeNs, startTimeNs, endTimeNs, count, intervalSec, elapsedSec, complete, standing, rowCount, line, resources, psets } =
    report;
  const marks = { kind, timeNs, startTimeNs, endTimeNs, count, intervalSec, elapsedSec, complete, standing, rowCount, line };
  return { ...marks, summary: report.summary, resources, psets, zones: [...zonestatReadings(report)], sled: sledReadings(report) };
}

function expectSame(text: Buffer, lengths: readonly number[], what: string): number {
  const slow = new ZonestatReader();
  const fast = new RecordedZonestatReader();
  const expected = read(slow, text, lengths);
  const found = read(fast, text, lengths);
  expect(found.map(told), what).toEqual(expected.map(told));
  const diagnostics = (reader: TextReader<ZonestatReport>): Diagnostic[] => reader.takeDiagnostics();
  expect(diagnostics(fast), what).toEqual(diagnostics(slow));
  return found.filter((report) => report instanceof PlainReport).length;
}

it("reads what cron leaves by the fast way, each value as the other reader does", () => {
  const { text } = recordZonestat(["global", "oxz_switch", "z"], 500, AT_S, new Random(1));
  expect(expectSame(Buffer.from(text), [text.length], "whole")).toBe(500);
  expect(expectSame(Buffer.from(text), [4_096], "in pieces")).toBeGreaterThan(400);
  const odd = reportLines({ unixS: AT_S, count: 1, intervalS: 10, zones }).join("");
  expect(expectSame(Buffer.from(odd), [odd.length], "odd amounts")).toBe(1);
});

const PLAIN = reportLines({ unixS: AT_S, count: 1, intervalS: 10, zones });
const replaced = (from: string | RegExp, to: string): string => PLAIN.map((line) => line.replace(from, to)).join("");

it.each([
  [
    "a zone that has halted",
    reportLines({ unixS: AT_S, count: 1, intervalS: 10, zones: [{ ...zones[0]!, physicalBytes: 0, virtualBytes: 0 }] }).join(""),
  ],
  ["more CPUs than there are", replaced(":128.00:", ":128.01:")],
  ["more memory than there is", replaced(":8390336K:", ":1060148269K:")],
  ["no amount", replaced(":8390336K:", ":-:")],
  ["a total in doubt", replaced("1060148268K", "976K")],
  ["an aggregate twice", [...PLAIN.slice(0, 3), PLAIN[2], ...PLAIN.slice(3)].join("")],
  ["a zone twice", [...PLAIN.slice(0, 5), PLAIN[4], ...PLAIN.slice(5)].join("")],
  ["Windows' ends of lines", PLAIN.join("").replaceAll("\n", "\r\n")],
  ["a byte order mark", `\ufeff${PLAIN.join("")}`],
  ["fields of a later version", replaced(/:-\n$/, ":-:7\n")],
  ["a leap second", PLAIN.join("").replaceAll("T000000Z", "T235960Z")],
  ["a day that is none", PLAIN.join("").replaceAll("20250301", "20250231")],
  ["another footer", replaced(/10:10\n/, "10:20\n")],
  ["an unknown aggregate", replaced("[system]", "[others]")],
  ["a zone of no name", replaced(":global:", "::")],
])("leaves %s to the other reader", (_what, text) => {
  for (const lengths of [[text.length], [7]]) expect(expectSame(Buffer.from(text), lengths, text)).toBe(0);
});

it("takes a wrapped [system] for what it is: no zone's", () => {
  const text = replaced(/\[system\]:0.90:0.01%:-:-:77000000K/, "[system]:0.90:0.01%:-:-:18014398501093554K");
  expect(text).toContain("18014398501093554K");
  expect(expectSame(Buffer.from(text), [text.length], text)).toBe(1);
});

it(
  "agrees with the other reader about damaged text, wherever it is cut",
  () => {
    let plain = 0;
    for (let run = 0; run < FUZZ_RUNS / 5; run++) {
      const seed = FUZZ_SEED + run;
      const random = new Random(seed);
      const names = Array.from({ length: 1 + random.below(5) }, (_, i) =>
        random.pick(["global", `oxz_ntp_a68c3896-3fa0-45d7-9c78-d9e2b5b7f89${i}`, `z${i}`]),
      );
      const lines = recordZonestat([...new Set(names)], 1 + random.below(8), AT_S, random).text.split(/(?<=\n)/);
      for (let damages = random.below(4); damages > 0; damages--) {
        const at = random.below(lines.length);
        const line = lines[at]!;
        const ways: readonly (() => string)[] = [
          () => (line === "" ? line : cut(random, line)),
          () => dropField(random, line, ":"),
          () => (/\d/.test(line) ? damageNumberIn(random, line, /\d+/g) : line),
          () => line.replace(/:\d+K/, () => `:${random.pick(["97K", "976K", "977K", "96K", "9999", "10000", "0K", "18014398509481983K"])}`),
          () => "",
          () => line + line,
          () => line + random.pick(lines),
          () => line.replace("interval:", random.pick(["report-total:", "interval", "1740787200:interval:"])),
        ];
        lines[at] = random.pick(ways)();
      }
      const lengths = Array.from({ length: 3 }, () => random.pick([1 + random.below(90), 100 + random.below(2_000), 1_000_000]));
      plain += expectSame(Buffer.from(lines.join("")), lengths, `ZONEMETER_FUZZ_SEED=${seed}`);
    }
    expect(plain).toBeGreaterThan(FUZZ_RUNS / 20);
  },
  600_000 + FUZZ_RUNS * 2,
);
