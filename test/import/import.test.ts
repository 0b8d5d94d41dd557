import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import { openEmbeddedStore } from "../../src/store/index.ts";
import { startClickHouseShim } from "../support/clickhouse-shim.ts";
import { importHere } from "../support/import-here.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { ofMetric, reported, samplesIn } from "../support/imported.ts";
import { recordKstats } from "../support/kstat-recording.ts";
import { Random } from "../support/random.ts";
import { until } from "../support/until.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";
import { recordZonestat, reportLines, type PrintedZone } from "../support/zonestat-recording.ts";

const DNS = "oxz_internal_dns_0f9e8d7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f";
const NEXUS = "oxz_nexus_4f6c1c1e-71a8-4d2c-9d1e-0b8a7f0f1a01";

/** 2025-03-01T00:00:00Z: beyond any retention. */
const LONG_AGO_S = 1_740_787_200;

const zone = (name: string, cpuHundredths: number, physicalBytes = 40_960_000, virtualBytes = 81_920_000): PrintedZone => ({
  name,
  cpuHundredths,
  physicalBytes,
  virtualBytes,
});

let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zonemeter-import-"));
  dataDir = join(folder, "data");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, content: string | Uint8Array): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
  return whole;
}

/** The engine has taken a block of rows of LONG_AGO_S for good. */
function hasPart(): boolean {
  try {
    return readdirSync(dataDir, { recursive: true }).some((path) => /\/20250301_\d+_\d+_0$/.test(String(path)));
  } catch {
    // A folder was not there yet, or went while it was read.
    return false;
  }
}

/** Bytes of all files below a folder. */
function bytesIn(path: string): number {
  const entries = readdirSync(path, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

describe("what cron left", () => {
  it("gives every row of whole reports with its own time, and nothing of reports that another run wrote into", async () => {
    const at = (i: number): number => LONG_AGO_S + i * 10;
    const first = reportLines({ unixS: at(0), count: 1, intervalS: 10, zones: [zone("global", 315), zone(DNS, 1, 2_048_000, 50_000)] });
    const last = reportLines({ unixS: at(5), count: 6, intervalS: 10, zones: [zone("global", 290), zone(DNS, 2)] });
    const other = reportLines({ unixS: at(6), count: 1, intervalS: 10, zones: [zone("global", 111), zone(DNS, 3)] });
    const after = reportLines({ unixS: at(7), count: 2, intervalS: 10, zones: [zone("global", 222), zone(DNS, 4, 0, 0)] });
    const cut = reportLines({ unixS: at(8), count: 3, intervalS: 10, zones: [zone("global", 333), zone(DNS, 5)] });
    const mixed = [...last.slice(0, 4), ...other.slice(0, 5), ...last.slice(4), ...other.slice(5)];
    put("zonestat/sled-07/zonestat-20250301", `${[...first, ...mixed, ...after, ...cut.slice(0, 5)].join("")}interval:summary:oxz_in`);
    const { code, stdout } = await importHere(dataDir, join(folder, "zonestat"));
    expect(code).toBe(0);
    const samples = await samplesIn(dataDir);
    expect(ofMetric(samples, "cpu_used")).toEqual(
      [`global ${at(0)} 3.15`, `global ${at(7)} 2.22`, `${DNS} ${at(0)} 0.01`, `${DNS} ${at(7)} 0.04`].sort(),
    );
    expect(ofMetric(samples, "memory_resident")).toEqual(
      [`global ${at(0)} 40960000`, `global ${at(7)} 40960000`, `${DNS} ${at(0)} 2048000`].sort(),
    );
    // 50,000 bytes print as 488K, which could be 48.8 KiB or 488 KiB, but swap is whole pages.
    expect(ofMetric(samples, "swap_reserved").filter((line) => line.startsWith(DNS))).toEqual([`${DNS} ${at(0)} ${488 * 1_024}`]);
    expect(samples.filter((line) => line.startsWith("sled_resource:cpus_online"))).toHaveLength(2);
    expect(samples.every((line) => line.includes("sled_serial=sled-07") && line.includes("source=zonestat"))).toBe(true);
    expect(samples.some((line) => line.includes("zone_name=["))).toBe(false);
    expect(reported(stdout, "rows taken")).toBe(6);
    expect(reported(stdout, "rows withheld")).toBe(3);
    expect(reported(stdout, "another run wrote into it, and rows do not tell whose they are")).toBe(2);
    expect(reported(stdout, "its end is missing")).toBe(1);
    expect(reported(stdout, "values withheld")).toBe(2);
    expect(reported(stdout, "lines without an end")).toBe(1);
  });

  it("withholds amounts that may have lost their decimal point", async () => {
    const zones = [zone("global", 5, 50_000), zone(DNS, 6, 40_960_000, 12_288)];
    put("sled-01/zonestat-20250301", reportLines({ unixS: LONG_AGO_S, count: 1, intervalS: 10, zones }).join(""));
    const { stdout } = await importHere(dataDir, join(folder, "sled-01"));
    const samples = await samplesIn(dataDir);
    expect(ofMetric(samples, "memory_resident")).toEqual([`${DNS} ${LONG_AGO_S} 40960000`]);
    expect(ofMetric(samples, "swap_reserved")).toEqual([`global ${LONG_AGO_S} 81920000`]);
    expect(reported(stdout, "values withheld")).toBe(2);
  });

  it("is the sled that its folder, its name or a flag says", async () => {
    const { text } = recordZonestat(["global"], 2, LONG_AGO_S, new Random(1));
    put("all/sled-07/zonestat-20250301", text);
    put("all/sled-08/zonestat-20250301.gz", gzipSync(text));
    put("all/deep/er/BRM42.txt", text);
    const dry = await importHere(dataDir, "--dry-run", join(folder, "all"));
    expect(dry.stdout).toMatch(/^sleds +3 {2}BRM42, sled-07, sled-08$/m);
    expect((await importHere(dataDir, join(folder, "all"))).code).toBe(0);
    const serials = (samples: readonly string[]): string[] =>
      [...new Set(samples.map((line) => / sled_serial=(\S+)/.exec(line)![1]!))].sort();
    expect(serials(await samplesIn(dataDir))).toEqual(["BRM42", "sled-07", "sled-08"]);
    const named = join(folder, "named");
    const sledId = "5a6b7c8d-9e0f-4a1b-8c2d-3e4f5a6b7c8d";
    expect((await importHere(named, "--sled", "X1", "--sled-id", sledId, join(folder, "all/sled-07"))).code).toBe(0);
    const samples = await samplesIn(named);
    expect(serials(samples)).toEqual(["X1"]);
    expect(samples.every((line) => line.includes(`sled_id=${sledId}`))).toBe(true);
  });
});

describe("a file that comes again", () => {
  it("adds nothing, whole, longer, gzipped or cut elsewhere", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const day = recordZonestat(["global", NEXUS, DNS], 400, LONG_AGO_S, new Random(seed));
    const clean = join(folder, "clean");
    const whole = put("once/sled-07/zonestat-20250301", day.text);
    await importHere(clean, whole);
    const expected = await samplesIn(clean);
    expect(expected.length, `seed ${seed}`).toBe(400 * (3 * 3 + 2));

    const middle = Math.floor(day.text.length * 0.6);
    const grown = put("grown/sled-07/zonestat-20250301", day.text.slice(0, middle));
    const short = await importHere(dataDir, grown);
    writeFileSync(grown, day.text);
    const longer = await importHere(dataDir, grown);
    expect(reported(longer.stdout, "rows known already")).toBe(reported(short.stdout, "rows taken"));
    expect(reported(short.stdout, "rows taken") + reported(longer.stdout, "rows taken")).toBe(1_600);
    expect(await samplesIn(dataDir)).toEqual(expected);

    const packed = put("packed/sled-07/zonestat-20250301.gz", gzipSync(day.text));
    const tail = put("tail/sled-07/zonestat-20250301", day.text.slice(Math.floor(middle / 2)));
    const bytesBefore = bytesIn(dataDir);
    const again = await importHere(dataDir, grown, packed, tail);
    expect(Math.abs(bytesIn(dataDir) - bytesBefore) / bytesBefore).toBeLessThan(0.01);
    expect(reported(again.stdout, "rows taken")).toBe(0);
    expect(reported(again.stdout, "values")).toBe(0);
    expect(await samplesIn(dataDir)).toEqual(expected);
  });

  it("counts once within one import", async () => {
    const day = recordZonestat(["global", NEXUS], 10, LONG_AGO_S, new Random(3));
    const one = put("a/sled-07/zonestat-20250301", day.text);
    const copy = put("b/sled-07/zonestat-20250301", day.text);
    const { stdout } = await importHere(dataDir, one, one, copy);
    expect(reported(stdout, "rows taken")).toBe(30);
    expect(reported(stdout, "rows known already")).toBe(30);
  });
});

describe("an import into a ClickHouse server", () => {
  it("comes to what an embedded store would have, as often as it is run, and a dry run makes nothing there", async () => {
    const day = recordZonestat(["global", NEXUS, DNS], 100, LONG_AGO_S, new Random(9));
    const file = put("sled-07/zonestat-20250301", day.text);
    const clean = join(folder, "clean");
    await importHere(clean, file);
    const shim = await startClickHouseShim(join(dataDir, "store/engine"));
    const onServer = (...args: string[]): ReturnType<typeof importHere> =>
      importHere(join(folder, "unused"), "--store", shim.url, ...args, file);
    const dry = await onServer("--dry-run");
    expect(reported(dry.stdout, "rows taken")).toBe(400);
    expect(shim.statements.filter((statement) => /CREATE|ALTER|INSERT/.test(statement))).toEqual([]);
    const first = await onServer();
    expect([first.code, reported(first.stdout, "rows taken")]).toEqual([0, 400]);
    const again = await onServer("--dry-run");
    expect(reported(again.stdout, "rows known already")).toBe(400);
    expect(reported((await onServer()).stdout, "rows taken")).toBe(0);
    await shim.close();
    expect(existsSync(join(folder, "unused"))).toBe(false);
    expect(await samplesIn(dataDir)).toEqual(await samplesIn(clean));
  });

  it("says which server does not answer", async () => {
    const file = put("sled-07/zonestat-20250301", recordZonestat(["global"], 2, LONG_AGO_S, new Random(5)).text);
    const { code, stderr } = await importHere(dataDir, "--store", "http://127.0.0.1:9", file);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^zonemeter: .*http:\/\/127\.0\.0\.1:9 .*\n$/)]);
  });
});

describe("an import that is killed", () => {
  it("ends in the same state once it is run to its end", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = new Random(seed);
    const names = ["global", ...Array.from({ length: 23 }, (_, i) => `zone${i}`)];
    for (const sled of ["sled-01", "sled-02", "sled-03", "sled-04"])
      put(`all/${sled}/zonestat-20250301`, recordZonestat(names, 3_500, LONG_AGO_S, random).text);
    const clean = join(folder, "clean");
    const startedMs = performance.now();
    expect((await runZonemeter(["import", "--data-dir", clean, join(folder, "all")])).code).toBe(0);
    const wholeMs = performance.now() - startedMs;
    const expected = await samplesIn(clean);
    for (let kill = 0; kill < 3; kill++) {
      const running = new ZonemeterProcess(["import", "--data-dir", dataDir, join(folder, "all")]);
      // The first is killed once a block is stored, the others at any time.
      if (kill === 0) await until("a stored block", 60_000, async () => hasPart() || undefined);
      await new Promise((resolve) => setTimeout(resolve, (kill === 0 ? 0.1 : 0.8) * random.next() * wholeMs));
      running.kill("SIGKILL");
      await running.finished;
    }
    const { code, stdout } = await importHere(dataDir, join(folder, "all"));
    expect(code).toBe(0);
    expect(reported(stdout, "rows taken") + reported(stdout, "rows known already"), `seed ${seed}`).toBe(4 * 3_500 * 25);
    expect(reported(stdout, "rows known already"), `seed ${seed}`).toBeGreaterThan(0);
    const samples = await samplesIn(dataDir);
    expect(samples.length, `seed ${seed}`).toBe(expected.length);
    expect(
      samples.every((line, i) => line === expected[i]),
      `seed ${seed}`,
    ).toBe(true);
  }, 120_000);
});

describe("old data", () => {
  it("stay where a plain start would expire what came in live", async () => {
    const day = recordZonestat(["global"], 3, LONG_AGO_S, new Random(4));
    await importHere(dataDir, put("sled-07/zonestat-20250301", day.text));
    const expected = await samplesIn(dataDir);
    // A sample of the same age that was not imported shows that expiry runs.
    const schemas = loadCatalogue();
    const open = (retentionDays: number | null): ReturnType<typeof openEmbeddedStore> =>
      openEmbeddedStore({ dataDir: join(dataDir, "store"), schemas, logger: silentLogger, clock: systemClock, retentionDays });
    let store = await open(null);
    const fields = [...schemas].find(({ timeseriesName }) => timeseriesName === "sled_resource:arc_size")!.fields;
    const target = fields
      .filter(({ source }) => source === "target")
      .map(({ name, type }) => ({
        name,
        value:
          type === "u32"
            ? { type, value: 0n }
            : { type: type as "uuid" | "string", value: type === "uuid" ? "00000000-0000-0000-0000-000000000000" : "live" },
      }));
    await store.insert(
      [
        {
          timeseriesName: "sled_resource:arc_size",
          timeseriesVersion: 1,
          target: { name: "sled_resource", fields: target },
          metric: { name: "arc_size", fields: [{ name: "source", value: { type: "string", value: "kstat" } }] },
          timestampNs: BigInt(LONG_AGO_S + 86_400) * 1_000_000_000n,
          datum: { type: "u64", value: 1n },
        },
      ],
      "live",
    );
    await store.close();
    for (let look = 0; ; look++) {
      store = await open(7);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await store.close();
      const samples = await samplesIn(dataDir, null);
      expect(samples.filter((line) => !line.startsWith("sled_resource:arc_size"))).toEqual(expected);
      if (samples.length === expected.length) break;
      expect(look).toBeLessThan(50);
    }
    expect(await samplesIn(dataDir, 7)).toEqual(expected);
  }, 60_000);
});

describe("recorded kstats", () => {
  it("come to what a replay of them comes to, and a replay's rows are known to an import", async () => {
    const recording = recordKstats([{ name: "global" }, { name: NEXUS, restartAt: 30 }, { name: DNS, haltAt: 40 }], 60, LONG_AGO_S, 7);
    const file = put("sled-07.txt", recording.text);
    const replayed = join(folder, "replayed");
    const up = new ZonemeterProcess(["up", "--data-dir", replayed, "--replay", file, "--port-base", String(await freePortBase())]);
    await up.line("replayed ");
    up.kill("SIGTERM");
    await up.finished;
    expect((await importHere(dataDir, file)).code).toBe(0);
    const samples = await samplesIn(dataDir);
    expect(samples).toEqual(await samplesIn(replayed, null));
    expect(ofMetric(samples, "cpu_nsec").length).toBeGreaterThan(0);
    const again = await importHere(replayed, file);
    expect(reported(again.stdout, "rows taken")).toBe(0);
    expect(await samplesIn(replayed, null)).toEqual(samples);
  }, 60_000);
});

describe("what cannot be imported", () => {
  it("says which process has the directory", async () => {
    const file = put("sled-07/zonestat-20250301", recordZonestat(["global"], 2, LONG_AGO_S, new Random(5)).text);
    const store = await openEmbeddedStore({
      dataDir: join(dataDir, "store"),
      schemas: loadCatalogue(),
      logger: silentLogger,
      clock: systemClock,
    });
    const { code, stderr } = await runZonemeter(["import", "--data-dir", dataDir, file]);
    await store.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `zonemeter: Data directory "${dataDir}" is in use by another zonemeter: stop that one for the time of the import, name another with --data-dir, or import into a ClickHouse server with --store.\n`,
    );
  });

  it("passes over other files, imports the rest, and fails only for what could not be read", async () => {
    const { text } = recordZonestat(["global"], 2, LONG_AGO_S, new Random(6));
    put("all/sled-07/zonestat-20250301", text);
    put("all/sled-07/notes.md", "# nothing of ours\n");
    put("all/sled-07/zonestat-20250302", "");
    put("all/sled-07/zonestat-20250303.gz", gzipSync(text).subarray(0, 40));
    put("all/sled-07/.hidden", text);
    symlinkSync("..", join(folder, "all/sled-07/loop"));
    const good = await importHere(dataDir, join(folder, "all"));
    expect(good.code).toBe(0);
    expect(reported(good.stdout, "rows taken")).toBe(4);
    expect(reported(good.stdout, "files passed over")).toBe(3);
    expect(good.stderr).toContain("notes.md");
    const missing = join(folder, "all/nowhere");
    const bad = await importHere(dataDir, join(folder, "all"), missing);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain(missing);
    expect(reported(bad.stdout, "rows known already")).toBe(4);
  });

  it("takes files of any name, and times of any year but those to come", async () => {
    const at = (unixS: number): string => reportLines({ unixS, count: 1, intervalS: 10, zones: [zone("global", 5)] }).join("");
    put('odd/a "b" & c/zonestat-20250301', at(LONG_AGO_S));
    put("odd/-x\nü/zonestat-20250301", at(LONG_AGO_S));
    put("odd/old/zonestat-20100101", at(1_262_304_000));
    put("odd/new/zonestat-20990101", at(4_070_908_800));
    put("odd/new/zeros", new Uint8Array(100_000));
    put("odd/new/long", "x".repeat(2_000_000));
    const { code, stdout } = await importHere(dataDir, join(folder, "odd"));
    expect([code, reported(stdout, "rows taken"), reported(stdout, "the time is yet to come")]).toEqual([0, 6, 2]);
    expect(reported(stdout, "files passed over")).toBe(2);
    expect(stdout).toMatch(/^from +2010-01-01T00:00:00Z\nto +2025-03-01T00:00:00Z$/m);
    expect(stdout).toMatch(/^sleds +4 {2}-x\?ü, a "b" & c, new, old$/m);
    const serials = new Set((await samplesIn(dataDir)).map((line) => / sled_serial=(.*?) source=/s.exec(line)![1]!));
    expect([...serials].sort()).toEqual(["-x\nü", 'a "b" & c', "old"]);
  });

  it("says so where there is nothing", async () => {
    mkdirSync(join(folder, "empty"));
    const nothing = await importHere(dataDir, join(folder, "empty"));
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toMatch(/^zonemeter: There is no file in .*empty: name what zonestat -p or kstat -T u -p wrote\.\n$/);
    const gone = await importHere(dataDir, join(folder, "gone"));
    expect(gone.code).toBe(3);
    expect(existsSync(dataDir)).toBe(false);
    const { code, stderr } = await importHere(dataDir, "--sled-id", "7", join(folder, "empty"));
    expect([code, stderr]).toEqual([2, 'zonemeter: --sled-id "7" is not a UUID: write it as 8-4-4-4-12 hexadecimal digits.\n']);
  });
});

describe("a dry run", () => {
  it("reports what an import would, and stores nothing", async () => {
    const day = recordZonestat(["global", DNS], 50, LONG_AGO_S, new Random(8));
    const file = put("sled-07/zonestat-20250301", day.text.slice(0, -30));
    const plain = (stdout: string): string => stdout.replace(/ *dry run.*/, "").replace(/^seconds.*\n/m, "");
    const dry = await importHere(dataDir, "--dry-run", file);
    expect(existsSync(dataDir)).toBe(false);
    const real = await importHere(dataDir, file);
    expect(plain(dry.stdout)).toBe(plain(real.stdout));
    writeFileSync(file, readFileSync(file, "utf8") + day.text.slice(-30));
    const before = await samplesIn(dataDir);
    const dryAgain = await importHere(dataDir, "--dry-run", file);
    expect(await samplesIn(dataDir)).toEqual(before);
    const realAgain = await importHere(dataDir, file);
    expect(plain(dryAgain.stdout)).toBe(plain(realAgain.stdout));
    expect(reported(realAgain.stdout, "rows taken")).toBe(3);
  });
});
