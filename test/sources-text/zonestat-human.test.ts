import { describe, expect, test } from "vitest";
import { readWhole } from "../../src/sources/text-reader.ts";
import { ZonestatHumanReader } from "../../src/sources/zonestat-human.ts";
import type { ZonestatReport } from "../../src/sources/zonestat-report.ts";

const HEAD = `SUMMARY                  Cpus/Online: 24/20   Physical: 63.7G    Virtual: 80.0G
                    ----------CPU---------- ----PHYSICAL----- -----VIRTUAL-----
               ZONE  USED %PART  %CAP %SHRU  USED   PCT  %CAP  USED   PCT  %CAP
`;
const ROWS = `            [total]  8.20 41.0%     -     - 20.1G 31.5%     - 22.0G 27.5%     -
           [system]  0.70 3.50%     -     - 9216M 14.1%     - 8192M 10.0%     -
             forge1  7.10 35.5% 88.7%  213% 10.5G 16.4%  104% 13.1G 16.3% 65.5%
             global  0.40 2.00%     -     -  640K 0.00%     -  300K 0.00%     -
`;

function read(text: string): { reports: ZonestatReport[]; codes: string[]; supported: boolean } {
  const reader = new ZonestatHumanReader();
  const { items, diagnostics } = readWhole(reader, text);
  return { reports: items, codes: diagnostics.map(({ code }) => code), supported: reader.supported };
}

describe("the table for people", () => {
  test("gives lower bounds of what was cut for display", () => {
    const { reports, codes } = read(`Collecting data for first interval...\nInterval: 4, Duration: 1:02:03\n${HEAD}${ROWS}\n`);
    expect(codes).toEqual([]);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({ kind: "interval", timeNs: null, count: 4, elapsedSec: 3_723, intervalSec: null, complete: true });
    const { summary } = reports[0]!;
    expect(summary).toMatchObject({ cpus: 24, cpusOnline: 20, physicalBytes: (637n << 30n) / 10n, virtualBytes: 80n << 30n });
    expect(summary!.rows[2]).toEqual({
      zone: "forge1",
      cpuUsed: 7.1,
      cpuPartFraction: 0.355,
      cpuCapFraction: 0.887,
      cpuShareUsedFraction: 2.13,
      physicalBytes: (105n << 30n) / 10n,
      physicalFraction: 0.164,
      physicalCapFraction: 1.04,
      virtualBytes: (131n << 30n) / 10n,
      virtualFraction: 0.163,
      virtualCapFraction: 0.655,
    });
    expect(summary!.rows[3]).toMatchObject({
      physicalBytes: { kind: "ambiguous", asKiB: [655_360n, 656_383n], asMissingDot: [65_536n, 65_638n] },
      virtualBytes: 307_200n,
    });
  });

  test("every interval is a report of its own", () => {
    const { reports } = read(`Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS}\nInterval: 2, Duration: 0:00:10\n${HEAD}${ROWS}`);
    expect(reports.map(({ count, elapsedSec, rowCount }) => [count, elapsedSec, rowCount])).toEqual([
      [1, 5, 4],
      [2, 10, 4],
    ]);
  });

  test("dates are read where they are in UTC, and no other", () => {
    const at = (date: string): bigint | null => read(`${date}, Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS}`).reports[0]!.timeNs;
    expect(at("Friday, March  5, 2027 at 12:07:09 AM UTC")).toBe(BigInt(Date.UTC(2027, 2, 5, 0, 7, 9)) * 1_000_000n);
    expect(at("Fri Mar  5 13:07:09 GMT 2027")).toBe(BigInt(Date.UTC(2027, 2, 5, 13, 7, 9)) * 1_000_000n);
    expect(at("20270305T130709Z")).toBe(BigInt(Date.UTC(2027, 2, 5, 13, 7, 9)) * 1_000_000n);
    expect(at("1804252029")).toBe(1_804_252_029_000_000_000n);
    expect(at("Fri Mar  5 13:07:09 CET 2027")).toBeNull();
    expect(at("Fri Mar  5 13:07:09 2027")).toBeNull();
  });

  test("summary reports tell their span", () => {
    const text = `Fri Mar  5 13:10:00 UTC 2027, Report: High Usage
    Start: Fri Mar  5 13:00:00 UTC 2027
      End: Fri Mar  5 13:10:00 UTC 2027
    Intervals: 60, Duration: 0:10:00
${HEAD}${ROWS}`;
    expect(read(text).reports[0]).toMatchObject({
      kind: "report-high",
      count: 60,
      elapsedSec: 600,
      startTimeNs: BigInt(Date.UTC(2027, 2, 5, 13, 0)) * 1_000_000n,
      endTimeNs: BigInt(Date.UTC(2027, 2, 5, 13, 10)) * 1_000_000n,
    });
  });

  test("[system] below zero is withheld with [total]", () => {
    const { summary } = read(`Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS.replace("9216M 14.1%", "15.9E  100%")}`).reports[0]!;
    expect(summary!.rows[1]).toMatchObject({
      physicalBytes: { kind: "wrapped", printed: (159n << 60n) / 10n },
      physicalFraction: "wrapped",
    });
    expect(summary!.rows[0]).toMatchObject({ physicalBytes: { kind: "wrapped" }, virtualBytes: 22n << 30n });
    expect(summary!.rows[2]).toMatchObject({ physicalBytes: (105n << 30n) / 10n });
  });

  test.each([
    ["a column too few", "               web1  0.40 2.00%     -     -  640M 0.00%     -  300M 0.00%"],
    ["a blank within a number", "               web1  0. 40 2.00%     -     -  640M 0.00%     -  300M 0.00%     -"],
    ["a lost suffix", "               web1  0.40 2.00%     -     - 64000 0.00%     -  300M 0.00%     -"],
    ["a lost percent sign", "               web1  0.40 2.00%     -     -  640M 0.00%     -  300M 0.00%  65.5"],
    ["a number below zero", "               web1 -0.40 2.00%     -     -  640M 0.00%     -  300M 0.00%     -"],
    ["three decimals", "               web1  0.40 2.000%    -     -  640M 0.00%     -  300M 0.00%     -"],
    ["a zone for the second time", ROWS.split("\n")[2]!],
  ])("%s costs that row alone", (_what, row) => {
    const whole = `Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS}`;
    const { reports, codes } = read(`${whole}${row}\n`);
    expect(codes).toEqual(["malformed-row"]);
    expect(reports).toEqual(read(whole).reports);
  });

  test("other tables and notes are passed over", () => {
    const text = `Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS}                     mixed schedulers found: FSS, TS\n
PHYSICAL-MEMORY              SYSTEM MEMORY
mem_default                          63.7G
                                ZONE  USED   PCT   CAP  %CAP
                              forge1 10.5G 16.4% 10.0G  104%
`;
    const { reports, codes } = read(text);
    expect(reports).toEqual(read(`Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS}`).reports);
    expect(codes).toEqual(["unknown-resource", "unknown-resource"]);
  });

  test("damaged totals cost the totals alone", () => {
    const whole = read(`Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS}`).reports[0]!.summary!;
    const { reports, codes } = read(`Interval: 1, Duration: 0:00:05\n${HEAD.replace("Online: ", "Online? ")}${ROWS}`);
    expect(codes).toEqual(["unknown-resource"]);
    expect(reports[0]!.summary).toEqual({ ...whole, cpus: null, cpusOnline: null, physicalBytes: null, virtualBytes: null });
  });

  test("a table below a damaged heading is of no known time, and both are told", () => {
    const { reports, codes } = read(`1789000000, Rep\0rt: High Usage\n${HEAD}${ROWS}`);
    expect(codes).toEqual(["malformed-row", "missing-header"]);
    expect(reports.map(({ timeNs, count, elapsedSec }) => [timeNs, count, elapsedSec])).toEqual([[null, null, null]]);
  });

  test("a row out of line lost or got a character", () => {
    const rows = ROWS.split("\n").filter((row) => row !== "");
    for (const at of [0, 25, 40, rows[1]!.length - 3]) {
      for (const damaged of [rows[1]!.slice(0, at) + rows[1]!.slice(at + 1), `${rows[1]!.slice(0, at)} ${rows[1]!.slice(at)}`]) {
        const { reports, codes } = read(`Interval: 1, Duration: 0:00:05\n${HEAD}${rows.with(1, damaged).join("\n")}\n`);
        expect(codes, damaged).toEqual(["malformed-row"]);
        expect(reports[0]!.rowCount).toBe(rows.length - 1);
      }
    }
  });

  test("a cut last row is dropped", () => {
    const { reports, codes } = read(`Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS.slice(0, -3)}`);
    expect(codes).toEqual(["truncated-line"]);
    expect(reports[0]!.rowCount).toBe(3);
  });
});

test.each([
  ["PhysMem", "SUMMARY                   Cpus/Online: 4/4   PhysMem: 15.9G  VirtMem: 17.9G\n"],
  ["%USED", "               ZONE  USED %PART  USED %USED  USED %USED\n"],
  ["PhysNet", "               ZONE  USED %PART  USED %USED  USED %USED PBYTE %PUSE\n"],
])("the dialect of Solaris 11 is refused as a whole (%s)", (_what, head) => {
  const text = `Interval: 1, Duration: 0:00:05\n${head}            [total]  1.42 17.7% 12.1G 38.0% 14.0G 39.1% 1320K 0.01%\n\nInterval: 2, Duration: 0:00:10\n${HEAD}${ROWS}`;
  expect(read(text)).toEqual({ reports: [], codes: ["unsupported-dialect"], supported: false });
  expect(read(`Interval: 1, Duration: 0:00:05\n${HEAD}${ROWS}`).supported).toBe(true);
});
