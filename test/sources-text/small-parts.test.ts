import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NIL_UUID } from "../../src/core/index.ts";
import { detectFormat, isGzip } from "../../src/sources/detect-format.ts";
import * as deltas from "../../src/sources/kstat-deltas.ts";
import * as kstatJson from "../../src/sources/kstat-json.ts";
import * as kstatText from "../../src/sources/kstat-text.ts";
import * as prstat from "../../src/sources/prstat-text.ts";
import { recordedSled } from "../../src/sources/recorded-sled.ts";
import { diagnoseRun } from "../../src/sources/tool-run.ts";
import { splitZoneName } from "../../src/sources/zone-name.ts";
import * as human from "../../src/sources/zonestat-human.ts";
import * as zonestat from "../../src/sources/zonestat-text.ts";
import { importTool } from "../support/import-tool.ts";

test.each([
  ["oxz_nexus_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e", "nexus", "1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e"],
  ["oxz_crucible_pantry_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e", "crucible_pantry", "1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e"],
  ["oxz_propolis-server_1B6F0C2D-3E4A-4B5C-9D8E-7F6A5B4C3D2E", "propolis-server", "1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e"],
  ["oxz_switch", "", NIL_UUID],
  ["global", "", NIL_UUID],
  ["oxz_nexus_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2", "", NIL_UUID],
  ["my_oxz_nexus_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e", "", NIL_UUID],
  ["oxz_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e", "", NIL_UUID],
])("the zone name %s is of type %j", (name, zoneType, zoneId) => {
  expect(splitZoneName(name)).toEqual({ zoneType, zoneId });
});

describe("telling what a text is", () => {
  test.each([
    ["kstat-p", "\n1804241700\nzones:0:global:class\tzone_misc\n"],
    ["kstat-p", "Fri Mar  5 13:07:09 UTC 2027\nlink:4:a:b::c:label\tx\n"],
    ["kstat-p", "zones:0:global:class:zone_misc\n"],
    ["kstat-j", '[{\n\t"module": "zones",\n'],
    ["kstat-j", "\n[, {\n"],
    ["kstat-j", "[]\n"],
    ["zonestat-p", "zonestat: Warning: something\ninterval:header:since-last-interval:20270305T101500Z:1:20\n"],
    ["zonestat-p", "1804241700:interval:summary:web:0.31\n"],
    ["zonestat-p", "20270305T101500Z:report-high:header:x\n"],
    ["zonestat-human", "Collecting data for first interval...\n"],
    ["zonestat-human", "Fri Mar  5 13:10:00 UTC 2027, Report: High Usage\r\n"],
    ["zonestat-human", "SUMMARY                   Cpus/Online: 4/4   PhysMem: 15.9G  VirtMem: 17.9G\n"],
    ["prstat-Z", "\r   PID USERNAME  SIZE   RSS STATE  PRI NICE      TIME  CPU PROCESS/NLWP\n"],
    ["prstat-Z", "ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE\n"],
    [null, ""],
    [null, "\n\n\n"],
    [null, "1804241700\n"],
    [null, "Once upon a time: a story\n\nof 5 lines: no more\n"],
    [null, '{"module": "zones"}\n'],
    [null, "\u0000\u0001\u0002\n"],
    [null, "date,zone,cpu\n2027-03-05T10:15:00Z,web,3\n"],
  ])("%s", (format, text) => {
    expect(detectFormat(Buffer.from(text))).toBe(format);
  });

  test("gzip by its first bytes", () => {
    expect(isGzip(Buffer.from([0x1f, 0x8b, 8]))).toBe(true);
    expect(isGzip(Buffer.from("zones"))).toBe(false);
    expect(isGzip(Buffer.alloc(0))).toBe(false);
  });
});

describe("how a run ended", () => {
  const codes = (...run: Parameters<typeof diagnoseRun>): string[] => diagnoseRun(...run).map(({ code }) => code);

  test("a service that is down is a source that is not there", () => {
    expect(codes("zonestat", 3, "zonestat: Error: Zones monitoring service is not responding.\n", false)).toEqual(["source-unavailable"]);
    expect(codes("zonestat", 3, "", true)).toEqual(["source-unavailable"]);
    expect(codes("prstat", 1, "", false)).toEqual(["source-unavailable"]);
    expect(diagnoseRun("zonestat", 3, "\nzonestat: Error: gone\n", false)[0]!.text).toContain('"zonestat: Error: gone"');
  });

  test("a failure after good output, and words without one, are told", () => {
    expect(codes("zonestat", 1, "zonestat: Error: Out of Memory\n", true)).toEqual(["tool-error"]);
    expect(codes("kstat", 0, "kstat: odd\n", true)).toEqual(["tool-error"]);
    expect(codes("kstat", 1, "", false)).toEqual(["no-data"]);
    expect(codes("kstat", 0, "", true)).toEqual([]);
    expect(codes("zonestat", null, "", true)).toEqual([]);
  });
});

describe("the sled of a recording", () => {
  test.each([
    ["/data/BRM42-7.txt", "BRM42-7"],
    ["/data/sled-07.txt.gz", "sled-07"],
    ["/data/sled-07/zonestat-20270305", "sled-07"],
    ["/data/sled-07/kstat-20270305.txt.gz", "sled-07"],
    ["/data/sled-07/zonestat", "sled-07"],
    ["/data/a.b.2.txt", "a.b.2"],
    ["/zonestat-20270305", "zonestat-20270305"],
    ["/data/zonestat-north", "zonestat-north"],
  ])("%s is of %s", (path, serial) => {
    expect(recordedSled(path).sledSerial).toBe(serial);
  });

  test("has an id that follows from the serial, of version 8", () => {
    const { sledId } = recordedSled("/somewhere/else/sled-07.txt");
    expect(sledId).toBe(recordedSled("/data/sled-07/zonestat-20270305").sledId);
    expect(sledId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(sledId).not.toBe(recordedSled("/data/sled-08.txt").sledId);
    // Never changes: stored series are found by it.
    expect(sledId).toBe("104fd125-69c1-8b96-ae88-951e933acdc2");
  });

  test("is what is given where something is", () => {
    const given = { rackId: "00000000-0000-4000-8000-000000000001", sledModel: "m", sledRevision: 3 };
    expect(recordedSled("/x/y.txt", given)).toMatchObject({ ...given, sledSerial: "y" });
  });
});

describe("the samples suite", () => {
  type Run = (dir: string, write: (line: string) => void, sources: unknown) => Promise<{ passed: number; failed: number }>;
  const sources = { ...deltas, ...kstatJson, ...kstatText, ...prstat, ...human, ...zonestat, detectFormat, diagnoseRun };

  async function outcome(text: string, expected: unknown): Promise<{ passed: number; failed: number; lines: string[] }> {
    const { run } = await importTool<{ run: Run }>("conformance/zone-samples.mjs");
    const dir = await mkdtemp(join(tmpdir(), "samples-"));
    try {
      await writeFile(join(dir, "case.txt"), text);
      await writeFile(join(dir, "case.txt.expected.json"), JSON.stringify(expected));
      const lines: string[] = [];
      return { ...(await run(dir, (line) => lines.push(line), sources)), lines };
    } finally {
      await rm(dir, { recursive: true });
    }
  }

  const TEXT = "zones:1:a:crtime\t5.000000000\nzones:1:a:nsec_user\t7\nzones:1:a:snaptime\t9.000000000\nzones:1:a:zonename\ta\n";
  const KSTAT = {
    module: "zones",
    instance: 1,
    name: "a",
    class: null,
    crtimeNs: "5000000000",
    snaptimeNs: "9000000000",
    zonename: "a",
    readFailed: false,
  };
  const expected = (stats: Record<string, string>, more: object = {}): unknown => ({
    format: "kstat-p",
    snapshots: [{ kstats: [{ ...KSTAT, stats }] }],
    diagnostics: [],
    ...more,
  });

  test("passes what agrees", async () => {
    expect(await outcome(TEXT, expected({ nsec_user: "7" }))).toEqual({ passed: 1, failed: 0, lines: [] });
  });

  test("fails a folder without cases", async () => {
    const { run } = await importTool<{ run: Run }>("conformance/zone-samples.mjs");
    const dir = await mkdtemp(join(tmpdir(), "samples-"));
    try {
      const lines: string[] = [];
      expect(await run(dir, (line) => lines.push(line), sources)).toEqual({ passed: 0, failed: 1 });
      expect(lines).toEqual([`${dir}: there are no cases in this folder`]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  test("takes no zone's name for a mark", async () => {
    const names = ["inf", "no-fss", "wrapped"];
    const rows = names.map((name) => `interval:processes:system-limit:${name}:7:0.01%:-:-\n`).join("");
    const text = `interval:header:since-last-interval:20270305T101500Z:1:20\n${rows}interval:footer:20270305T101500Z20:20\n`;
    const values = { used: "7", usedFraction: 0.0001, cap: null, capFraction: null };
    const resource = {
      type: "processes",
      name: "system-limit",
      unit: "count",
      total: null,
      rows: names.map((zone) => ({ zone, ...values })),
    };
    const report = { kind: "interval", time: "2027-03-05T10:15:00Z", count: 1, intervalSec: 20, elapsedSec: 20, complete: true };
    const sidecar = { format: "zonestat-p", reports: [{ ...report, resources: [resource] }], diagnostics: [] };
    expect(await outcome(text, sidecar)).toEqual({ passed: 1, failed: 0, lines: [] });
  });

  test.each([
    ["another value", TEXT, expected({ nsec_user: "8" }), 'case.txt: snapshots[0].kstats[zones:1:a].stats.nsec_user is "7", not "8"'],
    ["a value too many", TEXT, expected({}), 'case.txt: snapshots[0].kstats[zones:1:a].stats.nsec_user is "7", not null'],
    [
      "a value too few",
      TEXT,
      expected({ nsec_user: "7", nsec_sys: "1" }),
      'case.txt: snapshots[0].kstats[zones:1:a].stats.nsec_sys is null, not "1"',
    ],
    ["a finding that was not made", TEXT, expected({ nsec_user: "7" }, { diagnostics: [{ code: "x" }] }), "case.txt: nothing was reported"],
    ["a dialect that was not refused", TEXT, expected({ nsec_user: "7" }, { supported: false }), "case.txt: supported is true, not false"],
  ])("fails %s", async (_what, text, sidecar, line) => {
    expect(await outcome(text, sidecar)).toEqual({ passed: 0, failed: 1, lines: [line] });
  });
});
