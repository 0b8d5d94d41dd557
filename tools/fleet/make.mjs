import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";

const START = 1_795_132_800;
const INTERVAL = 10;
const PAGE = 4_096;
const MIB = 1_048_576;

/** Mean CPUs, share of user time, resident MiB and chance of an end in each interval, by type of zone. */
const TYPES = {
  crucible: [0.22, 0.55, 1_100, 0.00005],
  nexus: [1.6, 0.82, 2_300, 0.00005],
  cockroachdb: [2.4, 0.78, 14_000, 0.00005],
  clickhouse: [4, 0.85, 22_000, 0.00005],
  clickhouse_keeper: [0.09, 0.65, 420, 0.00005],
  ntp: [0.003, 0.4, 38, 0.00002],
  "propolis-server": [2.2, 0.3, 8_500, 0.0003],
};
const PLAN = ["ntp", "nexus", "cockroachdb", "clickhouse", "clickhouse_keeper", ...Array.from({ length: 10 }, () => "crucible")];

/** Writes the truth of a made-up fleet: the same every time. Zones end and come back, some under their old name, with counters from 0. */
export async function makeFleet(folder, { sleds, zones, hours }) {
  await mkdir(join(folder, "truth"), { recursive: true });
  const random = mulberry32(1);
  const meta = { seed: 1, start: START, interval: INTERVAL, hours, end: START + hours * 3_600, zone_intervals: 0, sleds: [] };
  for (let number = 0; number < sleds; number++) {
    const sled = String(number).padStart(2, "0");
    meta.sleds.push({
      sled,
      sled_id: uuid(random),
      serial: `BRM422${20_000 + number}`,
      cpus: 128,
      phys_bytes: 1_099_134_140_416,
      offset_s: number % 3,
    });
    meta.zone_intervals += await writeSled(join(folder, "truth", `sled-${sled}.csv`), sled, number % 3, zones, hours, random);
  }
  await writeFile(join(folder, "truth", "sleds.json"), JSON.stringify(meta, null, 1));
}

async function writeSled(path, sled, offset, zones, hours, random) {
  const out = createWriteStream(path);
  out.write(
    "ts,sled,zone,zone_type,zone_id,boot_ts,user_ns,sys_ns,waitrq_ns,rss_bytes,virt_bytes,phys_cap_bytes,swap_cap_bytes,cpu_cap_cpus\n",
  );
  let nextId = 1;
  const boot = (type, bootTs, name) => ({
    name: name ?? `oxz_${type}_${uuid(random)}`,
    type,
    id: nextId++,
    bootTs,
    busy: TYPES[type][0] * (0.5 + random()),
    resident: TYPES[type][2] * MIB * (0.8 + 0.4 * random()),
    user: 0n,
    sys: 0n,
    waitrq: 0n,
    backIn: 0,
  });
  const live = Array.from({ length: zones }, (_, slot) => boot(PLAN[slot] ?? "propolis-server", START - 3_600 * (1 + slot)));
  let rows = 0;
  for (let k = 0; k < hours * 360; k++) {
    const ts = START + offset + (k + 1) * INTERVAL;
    const lines = [];
    for (const [slot, zone] of live.entries()) {
      if (zone.backIn > 0) {
        if (--zone.backIn === 0) live[slot] = boot(zone.type, ts, random() < 0.5 ? zone.name : undefined);
        continue;
      }
      const [, userShare, , endsWith] = TYPES[zone.type];
      if (random() < endsWith) {
        zone.backIn = 2 + Math.floor(random() * 20);
        continue;
      }
      const grown = zone.busy * (0.5 + random()) * INTERVAL * 1e9 * (ts > zone.bootTs ? 1 : 0);
      zone.user += BigInt(Math.floor(grown * userShare));
      zone.sys += BigInt(Math.floor(grown * (1 - userShare)));
      zone.waitrq += BigInt(Math.floor(grown * 0.004 * random()));
      zone.resident = Math.max(4 * MIB, zone.resident + (random() - 0.495) * MIB);
      const rss = Math.floor(zone.resident / PAGE) * PAGE;
      lines.push(
        [
          ts,
          sled,
          zone.name,
          zone.type,
          zone.id,
          zone.bootTs,
          zone.user,
          zone.sys,
          zone.waitrq,
          rss,
          Math.floor((rss * 1.4) / PAGE) * PAGE,
          "",
          "",
          "",
        ].join(","),
      );
    }
    rows += lines.length;
    if (lines.length > 0 && !out.write(`${lines.join("\n")}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
  return rows;
}

function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function uuid(random) {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
