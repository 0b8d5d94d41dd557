import { describe, expect, test } from "vitest";
import { zoneDeltas } from "../../src/sources/kstat-deltas.ts";
import type { KstatSnapshot } from "../../src/sources/kstat-snapshot.ts";
import { KSTAT_SNAPSHOT_MAX_STATISTICS } from "../../src/core/index.ts";
import { KstatTextReader, type KstatTextOptions } from "../../src/sources/kstat-text.ts";
import { readWhole } from "../../src/sources/text-reader.ts";

/** A kstat's lines in the tool's order. */
function lines(key: string, statistics: Record<string, string | bigint | number>): string {
  return Object.entries(statistics)
    .sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(([name, value]) => `${key}:${name}\t${value}\n`)
    .join("");
}

const zone = (id: number, name: string, user: bigint | number, at: string, crtime = "77.000000001"): string =>
  lines(`zones:${id}:${name.slice(0, 30)}`, { class: "zone_misc", crtime, snaptime: at, nsec_user: user, nsec_sys: 5, zonename: name });

function read(text: string, options?: KstatTextOptions): { snapshots: KstatSnapshot[]; codes: string[] } {
  const { items, diagnostics } = readWhole(new KstatTextReader(options), text);
  return { snapshots: items, codes: diagnostics.map(({ code }) => code) };
}

const names = (snapshots: readonly KstatSnapshot[]): string[][] => snapshots.map(({ kstats }) => kstats.map(({ name }) => name));
const LONG = "oxz_internal_dns_1b6f0c2d-3e4a-4b5c-9d8e-7f6a5b4c3d2e";

describe("kstat -p", () => {
  test("gives every statistic digit by digit, and times in ns", () => {
    const { snapshots, codes } = read(zone(31, LONG, 18_446_744_073_709_551_615n, "10400500.551201281", "0"));
    expect(codes).toEqual([]);
    expect(snapshots).toEqual([
      {
        timeNs: null,
        line: 1,
        kstats: [
          {
            module: "zones",
            instance: 31,
            name: LONG.slice(0, 30),
            class: "zone_misc",
            crtimeNs: 0n,
            snaptimeNs: 10_400_500_551_201_281n,
            zonename: LONG,
            stats: new Map([
              ["nsec_sys", "5"],
              ["nsec_user", "18446744073709551615"],
            ]),
            readFailed: false,
          },
        ],
      },
    ]);
  });

  test("is the same however the bytes are cut, and with CR LF", () => {
    const text = `1804241700\n${zone(1, "a", 7, "100.000000000")}\n1804241710\n${zone(1, "a", 9, "110.000000000")}`;
    const whole = read(text).snapshots;
    expect(whole.map(({ timeNs }) => timeNs)).toEqual([1_804_241_700_000_000_000n, 1_804_241_710_000_000_000n]);
    for (const chunk of [1, 5, 64]) {
      const reader = new KstatTextReader();
      const snapshots: KstatSnapshot[] = [];
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += chunk) snapshots.push(...reader.push(bytes.subarray(at, at + chunk)));
      expect([...snapshots, ...reader.end()]).toEqual(whole);
    }
    expect(read(text.replaceAll("\n", "\r\n")).snapshots).toEqual(whole);
  });

  test("a name may hold colons, a value tabs and colons and any text", () => {
    const { snapshots } = read("net:0:a:b::c:label\tleft\tright:x y\nnet:0:a:b::c:Größe\tföö\nnet:0:a:b::c:snaptime\t5.000000000\n");
    expect(snapshots[0]!.kstats[0]).toMatchObject({ module: "net", instance: 0, name: "a:b::c", snaptimeNs: 5_000_000_000n });
    expect(snapshots[0]!.kstats[0]!.stats.get("label")).toBe("left\tright:x y");
    expect([...snapshots[0]!.kstats[0]!.stats.values()][1]).toBe("föö");
  });

  test("-C puts a colon for the tab", () => {
    const text = zone(4, "web", 12, "9.000000001").replaceAll("\t", ":");
    expect(read(text).snapshots).toEqual(read(text.replaceAll(/:([^:\n]*)$/gm, "\t$1")).snapshots);
    expect(read(text).snapshots[0]!.kstats[0]).toMatchObject({ zonename: "web", snaptimeNs: 9_000_000_001n });
  });

  test("a zone that went away leaves its crtime alone", () => {
    const { snapshots, codes } = read(
      `zones:9:web:class\tzone_misc\nzones:9:web:crtime\t44.500000000\n${zone(10, "db", 1, "50.000000000")}`,
    );
    expect(codes).toEqual(["kstat-read-failed"]);
    expect(snapshots[0]!.kstats[0]).toMatchObject({
      readFailed: true,
      zonename: null,
      snaptimeNs: null,
      crtimeNs: 44_500_000_000n,
      class: "zone_misc",
    });
    expect(snapshots[0]!.kstats[1]!.readFailed).toBe(false);
  });

  test("decimal commas are read, and told once", () => {
    const { snapshots, codes } = read(zone(1, "a", 7, "100,000000009", "3,000000001") + zone(2, "b", 7, "100,000000010"));
    expect(codes).toEqual(["locale-decimal-comma"]);
    expect(snapshots[0]!.kstats[0]).toMatchObject({ crtimeNs: 3_000_000_001n, snaptimeNs: 100_000_000_009n });
  });

  test("the same bytes twice are two snapshots", () => {
    const reader = new KstatTextReader();
    const bytes = Buffer.from(`${zone(1, "a", 7, "100.000000000")}\n`);
    const first = reader.push(bytes);
    expect(first).toHaveLength(1);
    expect(reader.push(Buffer.from(bytes))[0]!.kstats).toEqual(first[0]!.kstats);
  });

  test("only the wanted modules are kept", () => {
    const text = `${lines("cpu:0:sys", { snaptime: "1.000000000", intr: 5 })}${zone(1, "a", 7, "1.000000000")}${lines("Zones:2:b", { snaptime: "1.000000000" })}`;
    expect(names(read(text, { modules: new Set(["zones"]) }).snapshots)).toEqual([["a", "b"]]);
  });
});

describe("where one snapshot ends and the next begins", () => {
  const first = zone(1, "a", 7, "100.000000000") + zone(2, "b", 7, "100.000000001");
  const second = zone(1, "a", 9, "110.000000000") + zone(2, "b", 9, "110.000000001");

  test("an empty line, a time line, or both", () => {
    for (const between of ["\n", "1804241710\n", "\n1804241710\n", "\nFri Mar  5 13:07:09 UTC 2027\n"]) {
      expect(names(read(first + between + second).snapshots), JSON.stringify(between)).toEqual([
        ["a", "b"],
        ["a", "b"],
      ]);
    }
  });

  test("a kstat that comes again with later values, where runs were appended without a mark", () => {
    expect(names(read(first + second).snapshots)).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    const one = zone(1, "a", 7, "100.000000000") + zone(1, "a", 9, "110.000000000") + zone(1, "a", 12, "120.000000000");
    expect(read(one).snapshots.map(({ kstats }) => kstats[0]!.stats.get("nsec_user"))).toEqual(["7", "9", "12"]);
  });

  test("a kstat that two selectors match is printed twice and read once", () => {
    expect(names(read(first + zone(1, "a", 7, "100.000000000")).snapshots)).toEqual([["a", "b"]]);
    const split = "zones:1:a:nsec_user\t7\nzones:2:b:nsec_user\t8\nzones:1:a:nsec_sys\t5\n";
    expect([...read(split).snapshots[0]!.kstats[0]!.stats]).toEqual([
      ["nsec_user", "7"],
      ["nsec_sys", "5"],
    ]);
  });

  test("a date that is not in UTC dates nothing", () => {
    const { snapshots, codes } = read(`Fri Mar  5 13:07:09 PST 2027\n${first}`);
    expect(snapshots[0]!.timeNs).toBeNull();
    expect(codes).toEqual(["time-zone"]);
  });
});

describe("damage", () => {
  const whole = zone(1, "a", 7, "100.000000000");

  test.each([
    ["no tab", "zones:1:a:nsec_user"],
    ["no statistic", "zones:1:a:\t7"],
    ["no instance", "zones::a:nsec_user\t7"],
    ["an instance that is no number", "zones:0x1:a:nsec_user\t7"],
    ["a leading zero", "zones:01:a:nsec_user\t7"],
    ["too few colons", "zones:nsec_user\t7"],
    ["no module", ":1:a:nsec_user\t7"],
    ["any other text", "Segmentation fault"],
  ])("%s costs that line alone", (_what, line) => {
    const { snapshots, codes } = read(`${line}\n${whole}`);
    expect(codes).toEqual(["malformed-row"]);
    expect(snapshots[0]!.kstats).toEqual(read(whole).snapshots[0]!.kstats);
  });

  test("no statistic costs that line alone inside a kstat too", () => {
    const { snapshots, codes } = read(`${whole}zones:1:a:\t7\n`);
    expect(codes).toEqual(["malformed-row"]);
    expect(snapshots[0]!.kstats).toEqual(read(whole).snapshots[0]!.kstats);
  });

  test.each([
    "100.00000000",
    "100.0000000000",
    "100",
    "-1.000000000",
    "1e2",
    "0100.000000000",
    "100.000000000 ",
    "100;000000000",
    "١00.000000000",
  ])("a snaptime of %j is none", (snaptime) => {
    const { snapshots, codes } = read(zone(1, "a", 7, snaptime));
    expect(snapshots[0]!.kstats[0]).toMatchObject({ snaptimeNs: null, readFailed: false });
    expect(codes).toEqual(["malformed-row", "kstat-read-failed"]);
  });

  test("a zonename that no zone can have is none", () => {
    for (const name of ["we b", "", "-web", "web\0", "w".repeat(64), "wéb"]) {
      expect(
        read(zone(1, "a", 7, "100.000000000").replace("zonename\ta", `zonename\t${name}`)).snapshots[0]!.kstats[0]!.zonename,
      ).toBeNull();
    }
  });

  test("a last line without an end is dropped: its value may be cut", () => {
    const { snapshots, codes } = read("zones:1:a:snaptime\t5.000000000\nzones:1:a:nsec_user\t12");
    expect(codes).toEqual(["truncated-line"]);
    expect([...snapshots[0]!.kstats[0]!.stats]).toEqual([]);
  });

  test("a snapshot is bounded", () => {
    const reader = new KstatTextReader();
    const fitting = Math.ceil(KSTAT_SNAPSHOT_MAX_STATISTICS / 1_000);
    for (let i = 0; i < fitting + 50; i++) {
      reader.push(Buffer.from(Array.from({ length: 1_000 }, (_, k) => `m:${i}:n:s${k}\t1\n`).join("")));
    }
    const [snapshot] = reader.end();
    expect(snapshot!.kstats.length).toBeLessThan(fitting);
    expect(reader.takeDiagnostics().map(({ code }) => code)).toContain("too-many-statistics");
  });

  test("empty text is no data", () => {
    expect(read("\n\r\n")).toEqual({ snapshots: [], codes: ["no-data"] });
  });
});

describe("differences", () => {
  const deltas = (before: string, after: string): unknown => {
    const { snapshots } = read(`${before}\n${after}`);
    return zoneDeltas(snapshots[0]!, snapshots[1]!).map(({ zonename, reset, values }) => [zonename, reset, values.get("nsec_user")]);
  };

  test("are exact above 2^53, and a zone created anew counts from 0, however much it has used by now", () => {
    const before =
      zone(1, "a", 9_007_199_254_740_993n, "100.000000000") +
      zone(2, "b", 50, "100.000000000", "5.000000000") +
      zone(3, "c", 1, "100.000000000");
    const after = zone(1, "a", 9_007_199_254_740_996n, "110.000000000") + zone(8, "b", 70, "110.000000000", "105.000000000");
    expect(deltas(before, after)).toEqual([
      ["a", false, 3n],
      ["b", true, 70n],
    ]);
  });

  test("a counter that falls while its zone goes on tells nothing; one of 32 bits has wrapped", () => {
    expect(deltas(zone(1, "a", 50, "100.000000000"), zone(1, "a", 49, "110.000000000"))).toEqual([["a", false, null]]);
    const fork = (count: number): string =>
      lines("zones:1:a", { crtime: "1.000000000", snaptime: "2.000000000", forkfail_cap: count, zonename: "a" });
    const { snapshots } = read(`${fork(4_294_967_290)}\n${fork(4)}`);
    expect(zoneDeltas(snapshots[0]!, snapshots[1]!)[0]!.values.get("forkfail_cap")).toBe(10n);
  });
});
