import { describe, expect, test } from "vitest";
import { readWhole } from "../../src/sources/text-reader.ts";
import type { ZonestatReport } from "../../src/sources/zonestat-report.ts";
import { ZonestatReader } from "../../src/sources/zonestat-text.ts";

const OVEN = "oxz_crucible_0f9a6b12-7c3d-4e5f-8a9b-1c2d3e4f5a6b";
const seconds = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000_000n;
const T1 = "20270305T101500Z";
const T2 = "20270305T101520Z";

/** One interval report with two zones, 20 s long. */
function report(time: string, count: number, elapsed: number, rows = ROWS): string {
  return `interval:header:since-last-interval:${time}:${count}:${elapsed}\n${rows}interval:footer:${time}20:${elapsed}\n`;
}

const ROWS = [
  "interval:summary:[resource]:48:46:201326592K:268435456K",
  "interval:summary:[total]:9.07:19.71%:-:-:30408704K:15.10%:-:41943040K:15.62%:-",
  "interval:summary:[system]:1.50:3.26%:-:-:20971520K:10.41%:-:20971520K:7.81%:-",
  `interval:summary:${OVEN}:7.25:15.76%:72.50%:140.00%:9437184K:4.68%:112.50%:20971520K:7.81%:62.50%`,
  "interval:summary:total:0.32:0.69%:-:-:9999:0.00%:-:0:0.00%:-",
  "",
].join("\n");

function read(text: string): { reports: ZonestatReport[]; codes: string[] } {
  const { items, diagnostics } = readWhole(new ZonestatReader(), text);
  return { reports: items, codes: diagnostics.map(({ code }) => code) };
}

describe("a summary report", () => {
  test("gives every column, with lower bounds of what is cut and null for what is not set", () => {
    const { reports, codes } = read(report(T1, 3, 60));
    expect(codes).toEqual([]);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({
      kind: "interval",
      timeNs: seconds("2027-03-05T10:15:00Z"),
      startTimeNs: null,
      count: 3,
      intervalSec: 20,
      elapsedSec: 60,
      complete: true,
      standing: "certain",
      rowCount: 4,
      summary: { cpus: 48, cpusOnline: 46, physicalBytes: 206_158_430_208n, virtualBytes: 274_877_906_944n },
    });
    expect(reports[0]!.summary!.rows[2]).toEqual({
      zone: OVEN,
      cpuUsed: 7.25,
      cpuPartFraction: 0.1576,
      cpuCapFraction: 0.725,
      cpuShareUsedFraction: 1.4,
      physicalBytes: 9_663_676_416n,
      physicalFraction: 0.0468,
      physicalCapFraction: 1.125,
      virtualBytes: 21_474_836_480n,
      virtualFraction: 0.0781,
      virtualCapFraction: 0.625,
    });
    expect(reports[0]!.summary!.rows.map(({ zone }) => zone)).toEqual(["[total]", "[system]", OVEN, "total"]);
    expect(reports[0]!.summary!.rows[3]).toMatchObject({ physicalBytes: 9_999n, virtualBytes: 0n });
  });

  test("is the same however the bytes are cut, and with CR LF", () => {
    const text = report(T1, 1, 20) + report(T2, 2, 40);
    const whole = read(text).reports;
    for (const chunk of [1, 7, 100]) {
      const reader = new ZonestatReader();
      const reports: ZonestatReport[] = [];
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += chunk) reports.push(...reader.push(bytes.subarray(at, at + chunk)));
      reports.push(...reader.end());
      expect(reports).toEqual(whole);
    }
    expect(read(text.replaceAll("\n", "\r\n")).reports).toEqual(whole);
  });

  test("may stand behind a byte order mark", () => {
    expect(read(`\uFEFF${report(T1, 1, 20)}`)).toEqual(read(report(T1, 1, 20)));
  });

  test("comes out with its footer, not later", () => {
    const reader = new ZonestatReader();
    const text = Buffer.from(report(T1, 1, 20));
    expect(reader.push(text.subarray(0, -1))).toEqual([]);
    expect(reader.push(text.subarray(-1))).toHaveLength(1);
  });
});

describe("stamps and marks", () => {
  test("-T u: the row's stamp tells where time ends and interval begins in the footer", () => {
    const stamp = "1804241700";
    const text = report(stamp, 1, 20).replaceAll(/^interval:(?!summary:\[resource\])/gm, `${stamp}:interval:`);
    expect(text).toContain(`${stamp}:interval:footer:${stamp}20:20\n`);
    const { reports, codes } = read(text);
    expect(codes).toEqual([]);
    expect(reports[0]).toMatchObject({ timeNs: 1_804_241_700_000_000_000n, intervalSec: 20, elapsedSec: 20, complete: true });
  });

  test("-T i stamps every row but the summary's resource line", () => {
    const text = report(T1, 1, 20).replaceAll(/^interval:(?!summary:\[resource\])/gm, `${T1}:interval:`);
    expect(read(text).reports).toEqual(read(report(T1, 1, 20)).reports.map((each) => ({ ...each })));
  });

  test("-P without headers: the footer alone tells the time, and there is no count", () => {
    const text = report(T1, 1, 20)
      .split("\n")
      .filter((line) => !line.includes(":header:") && !line.includes("[resource]"))
      .join("\n");
    const { reports, codes } = read(text + text.replaceAll(T1, T2).replace(":20\n", ":40\n"));
    expect(codes).toEqual([]);
    expect(reports.map(({ timeNs, count, elapsedSec }) => [timeNs, count, elapsedSec])).toEqual([
      [seconds("2027-03-05T10:15:00Z"), null, 20],
      [seconds("2027-03-05T10:15:20Z"), null, 40],
    ]);
    expect(reports[0]!.summary).toMatchObject({ cpus: null, physicalBytes: null });
  });

  test("summary reports carry start, end and interval in their header", () => {
    const text = `report-average:header:${T1}:${T2}:20:40\nreport-average:lofi:system-limit:[resource]:-\nreport-average:lofi:system-limit:web:3:0.00%:-:-\nreport-average:footer:${T2}20:40\n`;
    const { reports } = read(text);
    expect(reports[0]).toMatchObject({
      kind: "report-average",
      timeNs: seconds("2027-03-05T10:15:20Z"),
      startTimeNs: seconds("2027-03-05T10:15:00Z"),
      endTimeNs: seconds("2027-03-05T10:15:20Z"),
      count: null,
      intervalSec: 20,
      elapsedSec: 40,
      resources: [{ type: "lofi", name: "system-limit", unit: "count", total: null, rows: [{ zone: "web", used: 3n, cap: null }] }],
    });
  });
});

test("processor sets: names, limits, CPU time, and the words of the shares column", () => {
  const rows = [
    "interval:processor-set:pool-pset:hot_pset:[resource]:6:8:2:-:0-02-00.00",
    "interval:processor-set:pool-pset:hot_pset:[total]:5.10:85.00%:-:-:70:-:-:0-01-42.00",
    "interval:processor-set:pool-pset:hot_pset:db:4.00:66.66%:4.50:88.88%:inf:-:-:0-01-20.07",
    "interval:processor-set:pool-pset:hot_pset:web:1.10:18.33%:-:-:no-fss:-:-:123-00-22.93",
    "interval:processor-set:psrset-pset:3:web:0.10:1.00%:-:-:25:50.00%:4.00%:0-00-02.00",
    "",
  ].join("\n");
  const { reports, codes } = read(report(T1, 1, 20, rows));
  expect(codes).toEqual([]);
  expect(reports[0]!.psets).toMatchObject([
    { cpuType: "pool-pset", name: "hot_pset", online: 6, size: 8, min: 2, max: null, totalTimeNs: 120_000_000_000n },
    { cpuType: "psrset-pset", name: "3", online: null, totalTimeNs: null, rows: [{ zone: "web", shares: 25n, shareFraction: 0.5 }] },
  ]);
  expect(reports[0]!.psets[0]!.rows).toMatchObject([
    { zone: "[total]", shares: 70n, cpuCap: null },
    { zone: "db", cpuUsed: 4, cpuCap: 4.5, cpuCapFraction: 0.8888, shares: "inf", timeNs: 80_070_000_000n },
    { zone: "web", shares: "no-fss", timeNs: 442_822_930_000_000n },
  ]);
});

describe("doubtful and meaningless amounts", () => {
  const amount = (type: string, token: string): unknown =>
    read(report(T1, 1, 20, `interval:${type}:some-name:web:${token}:1.00%:-:-\n`)).reports[0]!.resources[0]?.rows[0]?.used;

  test("NK of a count, or of physical or locked memory, from 97 to 976 has two readings", () => {
    expect(amount("processes", "250K")).toEqual({ kind: "ambiguous", asKiB: [256_000n, 257_023n], asMissingDot: [25_600n, 25_702n] });
    expect(amount("physical-memory", "97K")).toEqual({ kind: "ambiguous", asKiB: [100_000n, 100_351n], asMissingDot: [10_000n, 10_035n] });
    expect(amount("locked-memory", "976K")).toEqual({ kind: "ambiguous", asKiB: [999_424n, 1_000_447n], asMissingDot: [99_943n, 99_999n] });
    expect(amount("lwps", "977K")).toBe(1_000_448n);
    expect(amount("shm-memory", "400K")).toHaveProperty("kind", "ambiguous");
  });

  test("of swap, which is whole pages, only multiples of 40 from 120 to 960 have", () => {
    for (const kib of [120, 160, 960]) expect(amount("virtual-memory", `${kib}K`)).toHaveProperty("kind", "ambiguous");
    for (const kib of [100, 124, 964, 1_000]) expect(amount("virtual-memory", `${kib}K`)).toBe(BigInt(kib) * 1_024n);
  });

  test("what no tool prints is damage: bare digits above 9999, less than 97K, more than 64 bits", () => {
    for (const token of ["10000", "96K", "0K", "18014398509481984K", "99999999999999999999K", "9".repeat(400), `${"9".repeat(400)}K`]) {
      expect(amount("physical-memory", token), token).toBeUndefined();
    }
    expect(amount("physical-memory", "18014398509481983K")).toHaveProperty("kind", "wrapped");
  });

  test("[system] below zero is withheld, and [total] with it, and nothing else", () => {
    const rows = ROWS.replace("20971520K:10.41%", "18014398509000000K:100.00%");
    const { summary } = read(report(T1, 1, 20, rows)).reports[0]!;
    const wrapped = { kind: "wrapped", printed: 18_014_398_509_000_000n * 1_024n };
    expect(summary!.rows[1]).toMatchObject({
      cpuUsed: 1.5,
      physicalBytes: wrapped,
      physicalFraction: "wrapped",
      virtualBytes: 21_474_836_480n,
    });
    expect(summary!.rows[0]).toMatchObject({
      physicalBytes: { kind: "wrapped", printed: 31_138_512_896n },
      physicalFraction: "wrapped",
      virtualFraction: 0.1562,
    });
    expect(summary!.rows[2]).toMatchObject({ physicalBytes: 9_663_676_416n, physicalFraction: 0.0468 });
  });

  test("an amount above the total of its resource is withheld; a cap may be above it", () => {
    const rows = [
      "interval:physical-memory:mem_default:[resource]:1048576K",
      "interval:physical-memory:mem_default:web:1048576K:100.00%:4194304K:25.00%",
      "interval:physical-memory:mem_default:db:1048577K:100.00%:-:-",
      "",
    ].join("\n");
    const { rows: read1 } = read(report(T1, 1, 20, rows)).reports[0]!.resources[0]!;
    expect(read1[0]).toMatchObject({ used: 1_073_741_824n, cap: 4_294_967_296n });
    expect(read1[1]).toMatchObject({ used: { kind: "wrapped" }, usedFraction: "wrapped" });
  });

  test("a percent that stands for no limit is missing", () => {
    const rows = "interval:processes:system-limit:web:5:42949672.95%:-:-\n";
    expect(read(report(T1, 1, 20, rows)).reports[0]!.resources[0]!.rows[0]!.usedFraction).toBeNull();
  });
});

describe("damage", () => {
  test.each([
    ["too few fields", `interval:summary:${OVEN}:7.25:15.76%:72.50%:140.00%:9437184K:4.68%`],
    ["a number below zero", "interval:summary:web:-7.25:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-"],
    ["one decimal", "interval:summary:web:7.2:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-"],
    ["an exponent", "interval:summary:web:7e1:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-"],
    ["a decimal comma", "interval:summary:web:7,25:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-"],
    ["a leading zero", "interval:summary:web:07.25:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-"],
    ["a name that no zone has", "interval:summary:we b:7.25:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-"],
    ["a name of 64 characters", `interval:summary:${"z".repeat(64)}:7.25:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-`],
    ["two rows in one line", "interval:summary:a:7.25:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-interval:summary:b:1.00"],
    ["a lost suffix", "interval:summary:web:7.25:15.76%:-:-:9437184:4.68%:-:9437184K:4.68%:-"],
    ["a NUL", "interval:summary:web:7.25:15.76%:-:-:94\u000037184K:4.68%:-:9437184K:4.68%:-"],
    ["digits of another script", "interval:summary:web:٧.25:15.76%:-:-:9437184K:4.68%:-:9437184K:4.68%:-"],
    ["minutes above 59", "interval:processor-set:default-pset:p:web:1.00:1.00%:-:-:-:-:-:0-60-00.00"],
    ["a date that is none", "interval:header:since-last-interval:20270231T101500Z:1:20"],
  ])("%s costs that row alone", (_what, row) => {
    const { reports, codes } = read(report(T1, 1, 20, `${ROWS.slice(0, -1)}\n${row}\n`));
    expect(codes).toContain("malformed-row");
    if (row.includes("header")) expect(reports.map(({ standing }) => standing)).not.toContain("certain");
    else expect(reports[0]).toEqual(read(report(T1, 1, 20)).reports[0]);
  });

  test("a total that is cut is not taken for a small one", () => {
    const { reports, codes } = read(
      report(T1, 1, 20, "interval:physical-memory:mem_default:[resource]:2013\ninterval:summary:[resource]:48:46:201326592K:26\n"),
    );
    expect(codes).toEqual(["malformed-row", "malformed-row"]);
    expect(reports[0]).toMatchObject({ summary: null, resources: [] });
  });

  test("what is newer is passed over: fields at the end, resources, aggregates, kinds of report", () => {
    const rows = `${ROWS}interval:net-bytes:vnic0:web:4096K\ninterval:summary:[kernel]:1.00:1.00%:-:-:9437184K:4.68%:-:9437184K:4.68%:-\nreport-median:header:x\n`;
    const { reports, codes } = read(report(T1, 1, 20, rows.replace("62.50%\n", "62.50%:7:-\n")));
    expect(codes).toEqual(["unknown-resource", "unknown-resource", "unknown-report"]);
    expect(reports[0]!.summary).toEqual(read(report(T1, 1, 20)).reports[0]!.summary);
  });

  test("a message of the tool is no row", () => {
    const { reports, codes } = read(`${report(T1, 1, 20)}zonestat: Error: Unexpected error.  Unable to open zone statistics.\n`);
    expect(codes).toEqual(["tool-error"]);
    expect(reports).toHaveLength(1);
  });

  test("nothing but empty lines is no data", () => {
    expect(read("\r\n\r\n\n")).toEqual({ reports: [], codes: ["no-data"] });
    expect(read("")).toEqual({ reports: [], codes: ["no-data"] });
  });

  test("a line of many megabytes is dropped without being kept", () => {
    const reader = new ZonestatReader();
    const reports = reader.push(Buffer.from(report(T1, 1, 20)));
    for (let i = 0; i < 64; i++) reports.push(...reader.push(Buffer.alloc(65_536, "x")));
    reports.push(...reader.push(Buffer.from(`\n${report(T2, 2, 40)}`)));
    expect(reports).toHaveLength(2);
    expect(reader.takeDiagnostics().map(({ code, line }) => [code, line])).toEqual([["overlong-line", 8]]);
  });

  test("findings are bounded", () => {
    const reader = new ZonestatReader();
    reader.push(Buffer.from("garbage\n".repeat(5_000)));
    const found = reader.takeDiagnostics();
    expect(found).toHaveLength(1_001);
    expect(found.at(-1)).toMatchObject({ code: "malformed-row", text: "4000 more of the kind malformed-row were found.", count: 4_000 });
  });
});

describe("the end of the text", () => {
  test("a last line without an end is dropped, however whole it looks", () => {
    const { reports, codes } = read(report(T1, 1, 20).slice(0, -1));
    expect(codes).toEqual(["truncated-line", "missing-footer"]);
    expect(reports[0]).toMatchObject({ complete: false, standing: "incomplete", intervalSec: null, elapsedSec: 20, rowCount: 4 });
  });

  test("a cut report keeps its whole rows", () => {
    const whole = report(T1, 1, 20) + report(T2, 2, 40);
    const { reports } = read(whole.slice(0, whole.lastIndexOf("7.25") + 3));
    expect(reports.map(({ standing, rowCount }) => [standing, rowCount])).toEqual([
      ["certain", 4],
      ["incomplete", 2],
    ]);
  });
});

describe("two runs in one file", () => {
  const header = (time: string, count: number, elapsed: number): string =>
    `interval:header:since-last-interval:${time}:${count}:${elapsed}\n`;
  const footer = (time: string, elapsed: number): string => `interval:footer:${time}20:${elapsed}\n`;
  const row = (zone: string): string => `interval:summary:${zone}:1.00:2.08%:-:-:9437184K:4.68%:-:9437184K:3.51%:-\n`;
  const standings = (text: string): [number | null, string][] =>
    read(text)
      .reports.sort((a, b) => a.line - b.line)
      .map(({ count, standing }) => [count, standing]);

  test("a header inside an open report makes both doubtful, and the reports around them stay", () => {
    const text =
      report(T1, 1, 20) +
      header(T2, 2, 40) +
      row("a") +
      header(T2, 1, 20) +
      row("b") +
      footer(T2, 40) +
      row("c") +
      footer(T2, 20) +
      report("20270305T101540Z", 3, 60);
    expect(standings(text)).toEqual([
      [1, "certain"],
      [2, "overlapping"],
      [1, "overlapping"],
      [3, "certain"],
    ]);
  });

  test("a report wholly inside another one is doubtful too", () => {
    const text = header(T2, 2, 40) + row("a") + header(T2, 1, 20) + row("b") + footer(T2, 20) + row("c") + footer(T2, 40);
    expect(standings(text)).toEqual([
      [2, "overlapping"],
      [1, "overlapping"],
    ]);
  });

  test("overlaps may follow one another without a gap", () => {
    const t3 = "20270305T101540Z";
    const text =
      header(T1, 1, 20) +
      header("20270305T101502Z", 1, 20) +
      footer(T1, 20) +
      header(T2, 2, 40) +
      footer("20270305T101502Z", 20) +
      header("20270305T101522Z", 2, 40) +
      footer(T2, 40) +
      footer("20270305T101522Z", 40) +
      report(t3, 3, 60);
    expect(standings(text)).toEqual([
      [1, "overlapping"],
      [1, "overlapping"],
      [2, "overlapping"],
      [2, "overlapping"],
      [3, "certain"],
    ]);
  });

  test("a run that was killed inside a report costs that report and the next one only", () => {
    const text = header(T1, 7, 140) + row("a") + report(T2, 1, 20) + report("20270305T101540Z", 2, 40);
    expect(standings(text)).toEqual([
      [7, "overlapping"],
      [1, "overlapping"],
      [2, "certain"],
    ]);
  });

  test("where the header between was lost, rows that come twice or a footer that does not fit give the mixture away", () => {
    expect(standings(header(T1, 1, 20) + row("a") + row("b") + row("a") + footer(T1, 20))).toEqual([[1, "overlapping"]]);
    expect(standings(header(T1, 1, 20) + row("a") + row("b") + footer(T2, 40))).toEqual([[1, "overlapping"]]);
    expect(standings(header(T1, 1, 20) + row("a") + row("b") + footer(T1, 40))).toEqual([[1, "overlapping"]]);
  });

  test("headers without end do not gather up", () => {
    const { reports } = read(Array.from({ length: 1_000 }, (_, i) => header(T1, i + 1, 20)).join(""));
    expect(reports).toHaveLength(1_000);
    const reader = new ZonestatReader();
    expect(reader.push(Buffer.from(header(T1, 1, 20).repeat(500))).length).toBeGreaterThan(400);
  });
});
