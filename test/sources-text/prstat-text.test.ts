import { describe, expect, test } from "vitest";
import { PrstatReader, type PrstatReport } from "../../src/sources/prstat-text.ts";
import { readWhole } from "../../src/sources/text-reader.ts";

const PROCESSES =
  "   PID USERNAME  SIZE   RSS STATE  PRI NICE      TIME  CPU PROCESS/NLWP       \n  4821 root     6120K 4404K cpu9    59    0   0:00:00 0.2% prstat/1             \n";
const ZONES = `ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ${"ZONE".padEnd(28)}\n`;

function row(id: number, nproc: number, swap: string, rss: string, time: string, name: string, memory = "0.5%", cpu = "0.3%"): string {
  return `${String(id).padStart(6)} ${String(nproc).padStart(8)} ${swap.padStart(5)} ${rss.padStart(5)} ${memory.padStart(6)} ${time.padStart(9)} ${cpu} ${name.padEnd(28)}\n`;
}

const TOTAL = "Total: 60 processes, 418 lwps, load averages: 1.05, 0.98, 11.02\n";
const WHOLE =
  PROCESSES + ZONES + row(0, 40, "1402M", "9999K", "0:14:02", "global") + row(12, 20, "11G", "48M", "100:00:59", "forge1") + TOTAL;

function read(text: string): { reports: PrstatReport[]; codes: string[] } {
  const { items, diagnostics } = readWhole(new PrstatReader(), text);
  return { reports: items, codes: diagnostics.map(({ code }) => code) };
}

describe("prstat -Z", () => {
  test("gives sizes, shares, times and the total line", () => {
    const { reports, codes } = read(WHOLE);
    expect(codes).toEqual([]);
    expect(reports).toEqual([
      {
        line: 1,
        timeNs: null,
        processRows: 1,
        zones: [
          {
            zoneId: 0,
            nproc: 40,
            swapBytes: 1_402n << 20n,
            rssBytes: 9_999n << 10n,
            memFraction: 0.005,
            cpuTimeSec: 842,
            cpuTimeTruncated: false,
            cpuFraction: 0.003,
            zoneName: "global",
            zoneNamePrefix: null,
          },
          expect.objectContaining({ zoneId: 12, swapBytes: 11n << 30n, cpuTimeSec: 360_059, zoneName: "forge1" }),
        ],
        total: { processes: 60, lwps: 418, loadAverages: [1.05, 0.98, 11.02] },
        rowLimitHit: false,
      },
    ]);
  });

  test("repeats with an interval, and may have a time line before each", () => {
    const { reports, codes } = read(`Please wait...\n1804241700\n${WHOLE}1804241705\n${WHOLE}`);
    expect(codes).toEqual([]);
    expect(reports.map(({ timeNs }) => timeNs)).toEqual([1_804_241_700_000_000_000n, 1_804_241_705_000_000_000n]);
  });

  test("is the same however the bytes are cut", () => {
    const whole = read(WHOLE + WHOLE).reports;
    const reader = new PrstatReader();
    const reports: PrstatReport[] = [];
    for (const byte of Buffer.from(WHOLE + WHOLE)) reports.push(...reader.push(Buffer.from([byte])));
    expect([...reports, ...reader.end()]).toEqual(whole);
  });

  test("on a terminal a carriage return leads each line; elsewhere the locale has commas", () => {
    expect(read(WHOLE.replaceAll(/^/gm, "\r")).reports).toEqual(read(WHOLE).reports);
    expect(read(`Please wait...\r${WHOLE}`)).toEqual(read(WHOLE));
    const { reports, codes } = read(WHOLE.replaceAll(/(\d)\.(\d)/g, "$1,$2"));
    expect(reports).toEqual(read(WHOLE).reports);
    expect(codes).toEqual(["locale-decimal-comma"]);
  });

  test("zones that were left out show in the Total line", () => {
    const { reports, codes } = read(WHOLE.replace("Total: 60", "Total: 61"));
    expect(reports[0]!.rowLimitHit).toBe(true);
    expect(codes).toEqual(["row-limit"]);
  });

  test("a name that was cut, and an id in a name's place, are no names", () => {
    const rows = row(3, 30, "11G", "48M", "0:00:01", "oxz_crucible_0f9a6b12-7c3d-*") + row(14, 30, "11G", "48M", "0:00:01", "14");
    const { reports, codes } = read(PROCESSES + ZONES + rows + TOTAL);
    expect(reports[0]!.zones.map(({ zoneName, zoneNamePrefix }) => [zoneName, zoneNamePrefix])).toEqual([
      [null, "oxz_crucible_0f9a6b12-7c3d-"],
      [null, null],
    ]);
    expect(codes).toEqual(["name-truncated"]);
  });

  test("a long name is printed whole", () => {
    const name = "oxz_internal_dns_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e";
    expect(read(PROCESSES + ZONES + row(3, 60, "11G", "48M", "0:00:01", name) + TOTAL).reports[0]!.zones[0]!.zoneName).toBe(name);
  });

  test.each([
    ["1002:30:4", 1_002 * 3_600 + 30 * 60 + 40],
    ["12640:07:", 12_640 * 3_600 + 7 * 60],
    ["123456:07", 123_456 * 3_600 + 7 * 60],
    ["1234567:5", 1_234_567 * 3_600 + 50 * 60],
    ["12345678:", 12_345_678 * 3_600],
  ])("a time of more than nine characters is a lower bound (%s)", (time, seconds) => {
    const { reports, codes } = read(PROCESSES + ZONES + row(0, 60, "11G", "48M", time, "global") + TOTAL);
    expect(reports[0]!.zones[0]).toMatchObject({ cpuTimeSec: seconds, cpuTimeTruncated: true });
    expect(codes).toEqual(["time-truncated"]);
  });
});

describe("damage", () => {
  test.each([
    ["a lost unit", row(7, 5, "1402", "48M", "0:00:01", "web")],
    ["five digits", row(7, 5, "14020M", "48M", "0:00:01", "web")],
    ["a sign", row(7, 5, "-14M", "48M", "0:00:01", "web")],
    ["a lost digit", row(7, 5, "1402M", "48M", "0:00:01", "web").replace("1402M", "142M")],
    ["a lost blank", row(7, 5, "14M", "48M", "0:00:01", "web").slice(1)],
    ["a blank too many", row(7, 5, "14M", "48M", "0:00:01", "web").replace(" 48M", "  48M")],
    ["a lost percent sign", row(7, 5, "14M", "48M", "0:00:01", "web", "0.5")],
    ["a lost column", row(7, 5, "14M", "48M", "0:00:01", "web").replace(" 48M", "    ")],
    ["a blank in a number", row(7, 5, "1 4M", "48M", "0:00:01", "web")],
    ["a time cut short", row(7, 5, "14M", "48M", "10:00:1", "web")],
    ["seconds above 59", row(7, 5, "14M", "48M", "0:00:61", "web")],
    ["a name that no zone has", row(7, 5, "14M", "48M", "0:00:01", "-web")],
    ["a row that is cut inside its name", `${row(7, 5, "14M", "48M", "0:00:01", "webserver").trimEnd().slice(0, -3)}\n`],
    ["a zone for the second time", row(12, 0, "14M", "48M", "0:00:01", "web")],
    ["digits of another script", row(7, 5, "١4M", "48M", "0:00:01", "web")],
    ["a NUL", row(7, 5, "1\u00004M", "48M", "0:00:01", "web")],
  ])("%s costs that row alone", (_what, damaged) => {
    const { reports, codes } = read(WHOLE.replace("Total:", `${damaged}Total:`));
    expect(codes).toEqual(["malformed-row"]);
    expect(reports).toEqual(read(WHOLE).reports);
  });

  test("where the blanks at line ends were stripped from the whole text, rows are read all the same", () => {
    expect(read(WHOLE.replaceAll(/ +$/gm, "")).reports).toEqual(read(WHOLE).reports);
  });

  test("titles that stand elsewhere say nothing of where the numbers have to", () => {
    const moved = (text: string): string => text.replaceAll(/^( *\d+) +(\d+ +\d+[KMG] )/gm, "$1 $2");
    expect(read(moved(WHOLE.replace("ZONEID    NPROC", "ZONEID NPROC"))).reports).toEqual(read(WHOLE).reports);
    expect(read(moved(WHOLE)).reports[0]!.zones).toEqual([]);
  });

  test("a report without its Total line is told, and cannot say whether zones are missing", () => {
    const { reports, codes } = read(WHOLE.slice(0, -1));
    expect(codes).toEqual(["truncated-line", "missing-total"]);
    expect(reports[0]).toMatchObject({ total: null, rowLimitHit: false, zones: [{ zoneId: 0 }, { zoneId: 12 }] });
  });

  test("messages and other lines are no rows", () => {
    expect(read("prstat: failed to create a lock\n").codes).toEqual(["tool-error"]);
    expect(read("hello\n").codes).toEqual(["malformed-row"]);
    expect(read("\r\n").codes).toEqual(["no-data"]);
  });
});
