import { describe, expect, test } from "vitest";
import { PrstatReader } from "../../src/sources/prstat-text.ts";
import { snapshotsFromPrstat } from "../../src/sources/snapshots-from-prstat.ts";
import { snapshotsFromZonestat } from "../../src/sources/snapshots-from-zonestat.ts";
import type { Reading, Snapshot } from "../../src/sources/source.ts";
import { readWhole } from "../../src/sources/text-reader.ts";
import { ZonestatReader } from "../../src/sources/zonestat-text.ts";

const TIME_NS = BigInt(Date.UTC(2027, 2, 5, 10, 15, 0)) * 1_000_000n;

function values(readings: readonly Reading[]): Record<string, bigint | number | string> {
  return Object.fromEntries(readings.map((reading) => [reading.metric, reading.value ?? `[${(reading as { reason: string }).reason}]`]));
}

function zonestat(
  rows: string,
  kind = "interval",
): { zones: Record<string, Record<string, bigint | number | string>>; snapshots: Snapshot[]; codes: string[] } {
  const header = kind === "interval" ? "since-last-interval:20270305T101500Z:1" : "20270305T101440Z:20270305T101500Z:20";
  const text = `${kind}:header:${header}:20\n${rows}${kind}:footer:20270305T101500Z20:20\n`;
  const { items } = readWhole(new ZonestatReader(), text);
  const { snapshots, diagnostics } = snapshotsFromZonestat(items[0]!, { sled: null, stampOf: (_subject, timeNs) => timeNs });
  const zones = Object.fromEntries(
    snapshots.map(({ subject, readings }) => [subject.kind === "zone" ? subject.zoneName : "(sled)", values(readings)]),
  );
  return { zones, snapshots, codes: diagnostics.map(({ code }) => code) };
}

describe("zonestat", () => {
  const TOTALS = "interval:summary:[resource]:48:46:201326592K:268435456K\n";

  test("a summary gives CPUs in use, resident memory and swap of every zone, and the sled's size", () => {
    const { zones, snapshots } = zonestat(
      `${TOTALS}interval:summary:[total]:9.07:19.71%:-:-:30408704K:15.10%:-:41943040K:15.62%:-\ninterval:summary:web:7.25:15.76%:72.50%:-:9437184K:4.68%:112.50%:20971520K:7.81%:62.50%\n`,
    );
    expect(zones).toEqual({
      web: { cpu_used: 7.25, memory_resident: 9_663_676_416n, swap_reserved: 21_474_836_480n },
      "(sled)": { cpus_online: 46n, memory_total: 206_158_430_208n },
    });
    expect(snapshots[0]).toMatchObject({
      source: "zonestat",
      timestampNs: TIME_NS,
      subject: { kind: "zone", zoneName: "web", incarnation: "web", startTimeNs: 0n },
    });
  });

  test("resources give use and caps; what has no cap has a reason", () => {
    const { zones } = zonestat(
      [
        "interval:physical-memory:mem_default:[resource]:201326592K",
        "interval:physical-memory:mem_default:global:1048576K:0.52%:-:-",
        "interval:physical-memory:mem_default:web:9437184K:4.68%:16777216K:56.25%",
        "interval:virtual-memory:vm_default:web:20971520K:7.81%:33554432K:62.50%",
        "interval:locked-memory:mem_default:web:4096:0.00%:-:-",
        "interval:processes:system-limit:web:48:0.16%:500:9.60%",
        "interval:lwps:system-limit:web:480:0.00%:-:-",
        "interval:processor-set:default-pset:pset_default:web:1.10:2.39%:2.50:44.00%:-:-:-:0-00-22.00",
        "interval:processor-set:dedicated-cpu:web:web:0.20:10.00%:-:-:-:-:-:0-00-04.00",
        "",
      ].join("\n"),
    );
    expect(zones["web"]).toEqual({
      cpu_used: 1.3,
      cpu_cap: 2.5,
      memory_resident: 9_663_676_416n,
      memory_resident_cap: 17_179_869_184n,
      swap_reserved: 21_474_836_480n,
      swap_reserved_cap: 34_359_738_368n,
      memory_locked: 4_096n,
      memory_locked_cap: "[no cap is set]",
      processes: 48n,
      processes_cap: 500n,
    });
    expect(zones["global"]).toMatchObject({ memory_resident_cap: "[no cap is set]" });
    expect(zones["(sled)"]).toEqual({ memory_total: 206_158_430_208n });
  });

  test("a doubtful value is withheld with both readings in the reason", () => {
    const { zones } = zonestat(
      "interval:processes:system-limit:web:250K:0.16%:-:-\ninterval:summary:db:0.01:0.01%:-:-:300K:0.00%:-:300K:0.00%:-\n",
    );
    expect(zones["web"]!["processes"]).toBe("[printed without its decimal point: 25600 to 25702 or 256000 to 257023]");
    expect(zones["db"]).toMatchObject({ memory_resident: expect.stringContaining("decimal point") as string, swap_reserved: 307_200n });
  });

  test("more than there is, is withheld", () => {
    const { zones } = zonestat(`${TOTALS}interval:summary:web:46.01:99.99%:-:-:201326593K:100.00%:-:4096K:0.00%:-\n`);
    expect(zones["web"]).toMatchObject({
      cpu_used: "[more CPUs than are online were printed]",
      memory_resident: "[zonestat printed 206158431232, which cannot be]",
      swap_reserved: 4_194_304n,
    });
  });

  test("a halted zone's zeros are not taken for its memory", () => {
    const { zones } = zonestat(
      `${TOTALS}interval:summary:web:0.31:0.67%:-:-:0:0.00%:-:0:0.00%:-\ninterval:locked-memory:mem_default:web:0:0.00%:-:-\n`,
    );
    expect(zones["web"]).toMatchObject({
      cpu_used: 0.31,
      memory_resident: expect.stringContaining("halted") as string,
      swap_reserved: expect.stringContaining("halted") as string,
      memory_locked: expect.stringContaining("halted") as string,
    });
  });

  test("caps that are the use itself, as OmniOS prints them, are ignored", () => {
    const row = (zone: string, used: string, cap: string, share: string): string =>
      `interval:physical-memory:mem_default:${zone}:${used}:1.00%:${cap}:${share}\n`;
    const all = zonestat(row("global", "1048576K", "1040000K", "100.82%") + row("web", "2097152K", "2097100K", "100.00%")).zones;
    expect(all["web"]!["memory_resident_cap"]).toBe("[the daemon prints the use for the cap]");
    expect(all["web"]!["memory_resident"]).toBe(2_147_483_648n);
    const some = zonestat(row("global", "1048576K", "-", "-") + row("web", "2097152K", "2097100K", "100.00%")).zones;
    expect(some["web"]!["memory_resident_cap"]).toBe(2_147_430_400n);
  });

  test("reports that are not whole, overlap, or sum up intervals give nothing but a word", () => {
    const row = "interval:summary:web:0.31:0.67%:-:-:4096K:0.00%:-:4096K:0.00%:-\n";
    for (const [rows, kind] of [
      [row + row, "interval"],
      [row.replaceAll("interval", "report-high"), "report-high"],
      [row.replaceAll("interval", "report-average"), "report-average"],
    ] as const) {
      expect(zonestat(rows, kind)).toMatchObject({ snapshots: [], codes: ["report-withheld"] });
    }
  });
});

describe("prstat", () => {
  const text = [
    `ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ${"ZONE".padEnd(28)}`,
    `     0       40 1402M 9999K   0.5%   0:14:02 0.3% ${"global".padEnd(28)}`,
    "     7       12   11G   48M   0.5%   0:14:02 0.3% oxz_crucible_0f9a6b12-7c3d-*",
    `     8        0    0K    0K   0.0%   0:00:00 0.0% ${"8".padEnd(28)}`,
    "Total: 52 processes, 418 lwps, load averages: 1.05, 0.98, 11.02\n",
  ].join("\n");

  test("gives what getvmusage counts; a cut name is completed by its id where somebody knows it", () => {
    const [report] = readWhole(new PrstatReader(), text).items;
    const full = "oxz_crucible_0f9a6b12-7c3d-4e5f-8a9b-1c2d3e4f5a6b";
    const { snapshots, diagnostics } = snapshotsFromPrstat(report!, {
      sled: null,
      zoneNameOf: (id) => (id === 7 ? full : null),
      stampOf: () => TIME_NS,
    });
    expect(
      snapshots.map(({ source, subject, readings }) => [source, subject.kind === "zone" && subject.incarnation, values(readings)]),
    ).toEqual([
      ["vmusage", "global/0", { memory_resident: 9_999n << 10n, swap_reserved: 1_402n << 20n, processes: 40n }],
      ["vmusage", `${full}/7`, { memory_resident: 48n << 20n, swap_reserved: 11n << 30n, processes: 12n }],
    ]);
    expect(snapshots[1]!.subject).toMatchObject({ zoneType: "crucible" });
    expect(diagnostics.map(({ code }) => code)).toEqual(["zone-skipped"]);
  });
});
