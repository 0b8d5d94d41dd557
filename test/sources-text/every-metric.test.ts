import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCatalogue } from "../../src/schema/index.ts";
import { createCgroupSource } from "../../src/sources/cgroup.ts";
import { openIdentityBook } from "../../src/sources/identity.ts";
import { KstatTextReader } from "../../src/sources/kstat-text.ts";
import { PrstatReader } from "../../src/sources/prstat-text.ts";
import { RecordedMemory, recordedSnapshots } from "../../src/sources/recorded-snapshots.ts";
import type { RecordedSet } from "../../src/sources/recording.ts";
import type { Snapshot } from "../../src/sources/source.ts";
import { readWhole } from "../../src/sources/text-reader.ts";
import { ZonestatReader } from "../../src/sources/zonestat-text.ts";
import { CgroupFixture, unifiedGroup } from "../support/cgroup-fixture.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { SLED } from "../support/scripted-source.ts";

const AT = 1_804_241_700_000_000_000n;

/** What the kernels print of one zone and the sled, OmniOS's statistics too. */
function kstats(round: number): string {
  const groups: Record<string, Record<string, number | string>> = {
    "caps:4:cpucaps_zone_4": { usage: 1, value: 250 },
    "caps:4:lockedmem_zone_4": { usage: 1, value: 2 },
    "caps:4:nprocs_zone_4": { usage: 1, value: 2 },
    "caps:4:swapresv_zone_4": { usage: 1, value: 2 },
    "cpu_info:0:cpu_info0": { state: "on-line" },
    "memory_cap:4:web": { anon_alloc_fail: 0, anonpgin: 1, execpgin: 1, fspgin: 1, physcap: 9, rss: 5 },
    "unix:0:system_pages": { freemem: 1, physmem: 2 },
    "unix:0:vminfo": { swap_avail: 10 * round, updates: round },
    "vmm:0:vmm_reservoir": { bytes_alloc: 1, bytes_free: 1, bytes_transient_alloc: 0 },
    "zfs:0:arcstats": { size: 1 },
    "zones:4:web": {
      avenrun_15min: 1,
      avenrun_1min: 1,
      avenrun_5min: 1,
      forkfail_cap: 0,
      forkfail_misc: 0,
      forkfail_nomem: 0,
      forkfail_noproc: 0,
      nsec_sys: 1,
      nsec_user: 1,
      nsec_waitrq: 1,
    },
  };
  return Object.entries(groups)
    .flatMap(([key, stats]) => {
      const common = {
        crtime: "5.000000000",
        snaptime: `${100 + round}.000000000`,
        ...(/^(?:zones|caps|memory)/.test(key) ? { zonename: "web" } : {}),
      };
      return Object.entries({ ...common, ...stats }).map(([name, value]) => `${key}:${name}\t${value}\n`);
    })
    .join("");
}

const ZONESTAT = `interval:header:since-last-interval:20270305T101500Z:1:10
interval:summary:[resource]:48:46:201326592K:268435456K
interval:summary:web:1.00:2.00%:-:-:9437184K:4.68%:-:20971520K:7.81%:-
interval:footer:20270305T101500Z10:10
`;
const PRSTAT = `ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE
     4       20  812M  100M   2.3%   0:12:34 0.7% ${"web".padEnd(28)}
Total: 20 processes, 320 lwps, load averages: 0.53, 0.61, 0.60
`;

let fixture: CgroupFixture;
beforeAll(() => {
  fixture = new CgroupFixture({
    unified: { "cgroup.controllers": "cpu memory pids\n", "cpu.stat": "user_usec 5\nsystem_usec 4\n", web: unifiedGroup() },
  });
});
afterAll(() => fixture.remove());

async function everything(): Promise<Snapshot[]> {
  const memory = new RecordedMemory();
  const kstat = [1, 2].map((round) => readWhole(new KstatTextReader(), kstats(round)).items[0]!);
  const sets: RecordedSet[] = [
    ...kstat.map((of, i) => ({ tool: "kstat" as const, timeNs: AT + BigInt(i), of })),
    { tool: "zonestat", timeNs: AT, of: readWhole(new ZonestatReader(), ZONESTAT).items[0]! },
    { tool: "prstat", timeNs: AT, of: readWhole(new PrstatReader(), PRSTAT).items[0]! },
  ];
  const clock = new ManualClock(BigInt(Date.now()) * 1_000_000n + 86_400_000_000_000n);
  const cgroup = await createCgroupSource({ book: await openIdentityBook({ stateDir: null, clock }), clock, hostRoot: fixture.root });
  const { snapshots } = await cgroup.read(new AbortController().signal);
  await cgroup.close();
  return [...sets.flatMap((set) => recordedSnapshots(set, SLED, memory).snapshots), ...snapshots];
}

test("every metric that zones and sleds are said to have, with every value of its labels, is measured by some source", async () => {
  const measured = new Set<string>();
  for (const { subject, readings } of await everything()) {
    for (const { metric, labels, value } of readings) {
      if (value === null) continue;
      const name = `${subject.kind}_resource:${metric}`;
      measured.add(name);
      for (const [label, of] of Object.entries(labels)) measured.add(`${name} ${label}=${of}`);
    }
  }
  const declared = [...loadCatalogue()]
    .filter(({ targetName }) => targetName === "zone_resource" || targetName === "sled_resource")
    .flatMap(({ timeseriesName, fields }) => [
      timeseriesName,
      ...fields.flatMap(({ name, values }) => (values ?? []).map((value) => `${timeseriesName} ${name}=${value}`)),
    ]);
  expect([...measured].sort()).toEqual(declared.sort());
});
