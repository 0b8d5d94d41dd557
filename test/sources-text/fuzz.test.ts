import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { KstatJsonReader } from "../../src/sources/kstat-json.ts";
import type { KstatSnapshot } from "../../src/sources/kstat-snapshot.ts";
import { KstatTextReader } from "../../src/sources/kstat-text.ts";
import { PrstatReader } from "../../src/sources/prstat-text.ts";
import { snapshotsFromKstat } from "../../src/sources/snapshots-from-kstat.ts";
import { readWhole } from "../../src/sources/text-reader.ts";
import { ZonestatHumanReader } from "../../src/sources/zonestat-human.ts";
import type { ZonestatReport } from "../../src/sources/zonestat-report.ts";
import { ZonestatReader } from "../../src/sources/zonestat-text.ts";
import { Random } from "../support/random.ts";
import { cut, damageNumberIn, dropField, FUZZ_RUNS, FUZZ_SEED } from "./damage.ts";

/** Damages one line after another and looks at what is accepted of each; one reader sees them all, so that its memory shows too. */
function fuzz(what: string, step: (random: Random, run: number) => void): void {
  test(
    `${what}: no damaged line gives a wrong value (seed ${FUZZ_SEED}, ${FUZZ_RUNS} lines)`,
    () => {
      const random = new Random(FUZZ_SEED);
      const began = performance.now();
      for (let run = 0; run < FUZZ_RUNS; run++) step(random, run);
      const heapMb = Math.round(process.memoryUsage().heapUsed / 1e6);
      figures.push(
        `${what}: ${Math.round(FUZZ_RUNS / ((performance.now() - began) / 1000))} damaged lines/s, heap ${heapMb} MB at the end`,
      );
    },
    600_000 + FUZZ_RUNS * 2,
  );
}

const figures: string[] = [];
afterAll(() => {
  if (process.env["ZONEMETER_FUZZ_RUNS"] !== undefined) console.log(figures.join("\n"));
});

/** Fails with the damaged line and the seed's run in the message. */
function expectSame(actual: unknown, original: unknown, damaged: string, run: number): void {
  if (isDeepStrictEqual(actual, original)) return;
  expect(actual, `run ${run}: accepted ${JSON.stringify(damaged.slice(0, 300))}`).toEqual(original);
}

const HEALTHY = "9437184K:4.68%:-:20971520K:7.81%:62.50%";
const ZONESTAT_ROWS = [
  "interval:summary:[resource]:48:46:201326592K:268435456K",
  `interval:summary:[system]:1.50:3.26%:-:-:${HEALTHY}`,
  `interval:summary:web-1:27.25:15.76%:72.50%:140.00%:${HEALTHY}`,
  "interval:physical-memory:mem_default:[resource]:201326592K",
  "interval:physical-memory:mem_default:web-1:9437184K:4.68%:16777216K:56.25%",
  "interval:processes:system-limit:web-1:4821:16.07%:5000:96.42%",
  "interval:processor-set:default-pset:pset_default:[resource]:46:48:1:64:0-15-20.00",
  "interval:processor-set:default-pset:pset_default:web-1:27.25:59.23%:32.00:85.15%:40:66.66%:12.37%:0-09-05.00",
];
/** Numbers of a row that are fields of their own. */
const FIELD = /(?<=:)\d[\d.K%-]*(?=:|$)/g;

describe("zonestat -p", () => {
  const healthy = "interval:summary:db:0.32:0.69%:-:-:9437184K:4.68%:-:20971520K:7.81%:-";
  const whole = (
    rows: readonly string[],
    header = "since-last-interval:20270305T101500Z:7:140",
    footer = "20270305T101500Z20:140",
  ): string => `interval:header:${header}\n${rows.join("\n")}\n${healthy}\ninterval:footer:${footer}\n`;
  const original = readWhole(new ZonestatReader(), whole(ZONESTAT_ROWS)).items[0]!;
  /** All rows of a report by table and zone, with the totals of each table. */
  const rowsOf = ({ summary, resources, psets }: ZonestatReport): Map<string, unknown> => {
    const found = new Map<string, unknown>();
    if (summary?.cpus != null) found.set("summary", [summary.cpus, summary.cpusOnline, summary.physicalBytes, summary.virtualBytes]);
    for (const row of summary?.rows ?? []) found.set(`summary ${row.zone}`, row);
    for (const { type, total, rows } of resources) {
      if (total !== null) found.set(type, total);
      for (const row of rows) found.set(`${type} ${row.zone}`, row);
    }
    for (const { name, rows, ...pset } of psets) {
      if (pset.totalTimeNs !== null) found.set(name, pset);
      for (const row of rows) found.set(`${name} ${row.zone}`, row);
    }
    return found;
  };
  const originalRows = rowsOf(original);
  const reader = new ZonestatReader();

  fuzz("zonestat -p rows", (random, run) => {
    const at = random.below(ZONESTAT_ROWS.length);
    const row = ZONESTAT_ROWS[at]!;
    const damages = [
      (): string => damageNumberIn(random, row, FIELD),
      (): string => dropField(random, row, ":"),
      (): string => cut(random, row),
    ];
    const damaged = random.pick(damages)();
    const [report, ...others] = reader.push(Buffer.from(whole(ZONESTAT_ROWS.with(at, damaged))));
    reader.takeDiagnostics();
    expect(others, `run ${run}`).toEqual([]);
    const rows = rowsOf(report!);
    const lost = [...originalRows.keys()].filter((key) => !rows.has(key));
    expect(lost.length, `run ${run}: ${JSON.stringify(damaged.slice(0, 300))} cost ${lost.join(", ")}`).toBeLessThanOrEqual(1);
    for (const [key, value] of rows) expectSame(value, originalRows.get(key), damaged, run);
  });

  fuzz("zonestat -p headers and footers", (random, run) => {
    const [header, footer] = ["since-last-interval:20270305T101500Z:7:140", "20270305T101500Z20:140"];
    const pick = random.chance(0.5);
    const damage = (text: string): string =>
      random.pick([damageNumberIn(random, text, /\d+(?=:|$)/g), cut(random, text), dropField(random, text, ":")]);
    const damaged = pick ? damage(header) : damage(footer);
    const text = whole(ZONESTAT_ROWS, pick ? damaged : header, pick ? footer : damaged);
    const own = new ZonestatReader();
    for (const report of [...own.push(Buffer.from(text)), ...own.end()]) {
      if (report.standing !== "certain") continue;
      const { timeNs, elapsedSec, intervalSec } = report;
      expectSame({ timeNs, elapsedSec, intervalSec }, { timeNs: original.timeNs, elapsedSec: 140, intervalSec: 20 }, damaged, run);
      if (report.count !== null) expectSame(report.count, 7, damaged, run);
    }
  });
});

describe("zonestat for people", () => {
  const row = "             forge1  7.10 35.5% 88.7%  213% 10.5G 16.4%  104% 13.1G 16.3% 65.5%";
  const other = "             global  0.40 2.00%     -     - 1402M 0.00%     - 3004M 0.00%     -";
  const whole = (damaged: string): string => `Interval: 1, Duration: 0:00:05
SUMMARY                  Cpus/Online: 24/20   Physical: 63.7G    Virtual: 80.0G
                    ----------CPU---------- ----PHYSICAL----- -----VIRTUAL-----
               ZONE  USED %PART  %CAP %SHRU  USED   PCT  %CAP  USED   PCT  %CAP
${damaged}
${other}

`;
  const columns = (line: string): string => line.trim().split(/ +/).join();
  const original = readWhole(new ZonestatHumanReader(), whole(row)).items[0]!.summary!.rows;
  let before = "";
  const reader = new ZonestatHumanReader();

  fuzz("zonestat for people", (random, run) => {
    const damages = [
      (): string => damageNumberIn(random, row, /(?<= )\d[\d.GM%]*(?= |$)/g),
      (): string => dropField(random, row.trim().replaceAll(/ +/g, " "), " "),
      (): string => cut(random, row),
    ];
    const damaged = random.pick(damages)();
    const reports = reader.push(Buffer.from(whole(damaged)));
    reader.takeDiagnostics();
    // A report comes out once the next one begins.
    for (const report of reports) {
      const rows = report.summary!.rows;
      expectSame(rows.at(-1), original[1], before, run);
      // A blank more or less beside a number changes nothing.
      if (rows.length > 1) expectSame([columns(before), rows[0]], [columns(row), original[0]], before, run);
    }
    before = damaged;
  });
});

describe("prstat -Z", () => {
  const row = `    12       20   11G   48M   0.5% 100:00:59 0.3% ${"forge-north".padEnd(28)}`;
  const other = `     0       40 1402M 9999K   0.5%   0:14:02 0.3% ${"global".padEnd(28)}`;
  const whole = (damaged: string): string =>
    `ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ${"ZONE".padEnd(28)}\n${damaged}\n${other}\nTotal: 60 processes, 418 lwps, load averages: 1.05, 0.98, 11.02\n`;
  const original = readWhole(new PrstatReader(), whole(row)).items[0]!;
  const reader = new PrstatReader();

  fuzz("prstat -Z", (random, run) => {
    const damages = [(): string => damageNumberIn(random, row, /(?<= )\d[\d.:GM%]*(?= )/g), (): string => cut(random, row)];
    const damaged = random.pick(damages)();
    const sameTokens = damaged.trim().split(/ +/).join() === row.trim().split(/ +/).join();
    const [report] = reader.push(Buffer.from(whole(damaged)));
    reader.takeDiagnostics();
    expectSame(report!.zones.at(-1), original.zones[1], damaged, run);
    if (report!.zones.length > 1) expectSame([sameTokens, report!.zones[0]], [true, original.zones[0]], damaged, run);
    else expect(report!.rowLimitHit).toBe(true);
  });
});

/** Readings of every zone, by zone and metric; only those with a value. */
function measured(snapshots: readonly KstatSnapshot[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const snapshot of snapshots) {
    const context = { sled: null, stampOf: () => 2n ** 62n, startTimeOf: () => 1n, swapFree: () => 1n };
    for (const { subject, readings } of snapshotsFromKstat(snapshot, context).snapshots) {
      if (subject.kind !== "zone") continue;
      found.set(subject.zoneName, subject.incarnation);
      for (const { metric, labels, value } of readings) {
        if (value !== null) found.set(`${subject.zoneName} ${metric} ${Object.values(labels).join()}`, value);
      }
    }
  }
  return found;
}

const KSTATS: readonly (readonly [kind: string, statistics: readonly (readonly [string, string])[]])[] = [
  [
    "caps:7:lockedmem_zone_7",
    [
      ["usage", "123456"],
      ["value", "18446744073709551615"],
    ],
  ],
  [
    "caps:7:nprocs_zone_7",
    [
      ["usage", "4821"],
      ["value", "5000"],
    ],
  ],
  [
    "caps:7:swapresv_zone_7",
    [
      ["usage", "987654144"],
      ["value", "2147483648"],
    ],
  ],
  [
    "memory_cap:7:web",
    [
      ["anon_alloc_fail", "31"],
      ["anonpgin", "41"],
      ["execpgin", "59"],
      ["fspgin", "26"],
      ["rss", "535822336"],
    ],
  ],
  [
    "zones:7:web",
    [
      ["avenrun_1min", "979"],
      ["boot_time", "1804152200"],
      ["forkfail_cap", "32"],
      ["nsec_sys", "3846264338327"],
      ["nsec_user", "9502884197169399"],
      ["nsec_waitrq", "37510"],
    ],
  ],
];
const COMMON = [
  ["crtime", "500.000000001"],
  ["snaptime", "90000.000000005"],
  ["zonename", "web"],
] as const;

describe("kstat -p", () => {
  const lines = KSTATS.flatMap(([key, statistics]) => [...statistics, ...COMMON].map(([name, value]) => `${key}:${name}\t${value}`));
  const healthy = lines.map((line) =>
    line
      .replace(/^(\w+):7:/, "$1:8:")
      .replace("zone_7", "zone_8")
      .replace(":web:", ":db:")
      .replace("\tweb", "\tdb"),
  );
  const original = measured(readWhole(new KstatTextReader(), `${[...lines, ...healthy].join("\n")}\n`).items);
  const reader = new KstatTextReader();

  fuzz("kstat -p", (random, run) => {
    const at = random.below(lines.length);
    const line = lines[at]!;
    const tab = line.indexOf("\t");
    const isName = line.includes("zonename");
    const damages = [
      (): string =>
        isName
          ? `${line.slice(0, tab + 1)}we${random.pick([" ", "\0", "é", "/"])}b`
          : line.slice(0, tab + 1) + damageNumberIn(random, line.slice(tab + 1), /^.*$/g),
      (): string => dropField(random, line, random.pick([":", "\t"])),
      (): string => cut(random, line.slice(0, tab + 1)),
      (): string => damageNumberIn(random, line, /(?<=:)7(?=:)/g),
    ];
    const damaged = random.pick(damages)();
    const text = [...lines.with(at, damaged), ...healthy].join("\n");
    const read = measured([...reader.push(Buffer.from(`${text}\n\n`))]);
    reader.takeDiagnostics();
    for (const [key, value] of read) expectSame(value, original.get(key), damaged, run);
    for (const [key, value] of original) if (key.startsWith("db")) expectSame(read.get(key), value, damaged, run);
  });
});

describe("kstat -j", () => {
  const print = (id: string, name: string): string =>
    KSTATS.map(([key, statistics]) => {
      const [module, , kstatName] = key.replaceAll("7", id).replace("web", name).split(":") as [string, string, string];
      const data = [...statistics, ["crtime", COMMON[0][1]] as const, ["snaptime", COMMON[1][1]] as const].map(
        ([statistic, value]) => `\t\t"${statistic}": ${value},\n`,
      );
      return `{\n\t"module": "${module}",\n\t"instance": ${id},\n\t"name": "${kstatName}",\n\t"class": "c",\n\t"type": 1,\n\t"snaptime": 1.000000001,\n\t"data": {\n${data.join("")}\t\t"zonename": "${name}"\n\t}\n}`;
    }).join(", ");
  const damagedPart = print("7", "web").split("\n");
  const whole = (lines: readonly string[]): string => `[${lines.join("\n")}, ${print("8", "db")}]\n`;
  const original = measured(readWhole(new KstatJsonReader(), whole(damagedPart)).items);
  const reader = new KstatJsonReader();

  fuzz("kstat -j", (random, run) => {
    const at = random.below(damagedPart.length);
    const line = damagedPart[at]!;
    const value = /(?<=": )[\d.]+(?=,)/g;
    const damages = [
      (): string => (/": [\d.]+,/.test(line) ? damageNumberIn(random, line, value) : cut(random, line)),
      (): string => {
        const character = random.below(line.length);
        // A digit or letter less is another number or name; a mark less is damage.
        return /[\w\t ]/.test(line[character]!) ? cut(random, line) : line.slice(0, character) + line.slice(character + 1);
      },
      (): string => cut(random, line),
    ];
    const damaged = random.pick(damages)();
    const read = measured(reader.push(Buffer.from(whole(damagedPart.with(at, damaged)))));
    reader.takeDiagnostics();
    for (const [key, found] of read) expectSame(found, original.get(key), damaged, run);
  });
});
