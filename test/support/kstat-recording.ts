/**
 * Composes what `kstat -T u -p zones::: caps::: memory_cap::: 10` prints for a few zones, together with the truth behind it. Counters grow by
 * a seeded generator; zones can be restarted under their name and halted.
 */
export interface RecordedZone {
  readonly name: string;
  /** Interval, from 0, at which the zone is booted again under its name, with counters from 0. */
  readonly restartAt?: number;
  /** Interval from which the zone is gone. */
  readonly haltAt?: number;
}

export interface Recording {
  readonly text: string;
  /** ns of CPU, user and sys together, over all incarnations, by zone name: what was used since the first boot. */
  readonly cpuNs: ReadonlyMap<string, bigint>;
  /** The last resident size of each zone. */
  readonly residentBytes: ReadonlyMap<string, bigint>;
  readonly firstUnixS: number;
  readonly lastUnixS: number;
}

const UPTIME_AT_FIRST_S = 500_000;

/** A small linear congruential generator: the same seed gives the same recording. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function recordKstats(zones: readonly RecordedZone[], intervals: number, firstUnixS: number, seed = 1, stepS = 10): Recording {
  const next = random(seed);
  const live = zones.map((zone, i) => ({
    zone,
    id: i + 1,
    bootUnixS: firstUnixS - 3_600 - i,
    user: BigInt(Math.floor(next() * 1e15)),
    sys: BigInt(Math.floor(next() * 1e14)),
    waitrq: BigInt(i),
    rss: BigInt(1 + Math.floor(next() * 100)) * 1_048_576n,
    bankedNs: 0n,
  }));
  let nextId = zones.length + 1;
  const snapshots: string[] = [];
  const residentBytes = new Map<string, bigint>();
  for (let k = 0; k < intervals; k++) {
    const unixS = firstUnixS + k * stepS;
    const lines: string[] = [`${unixS}`];
    const snaptime = `${UPTIME_AT_FIRST_S + k * stepS}.250000000`;
    for (const each of live) {
      const { zone } = each;
      if (zone.haltAt !== undefined && k >= zone.haltAt) continue;
      if (zone.restartAt === k) {
        each.bankedNs += each.user + each.sys;
        each.id = nextId++;
        each.bootUnixS = unixS - 4;
        each.user = 0n;
        each.sys = 0n;
        each.waitrq = 0n;
      }
      each.user += BigInt(Math.floor(next() * 4e9));
      each.sys += BigInt(Math.floor(next() * 1e9));
      each.waitrq += 1_001n;
      each.rss += BigInt(Math.floor(next() * 64) - 20) * 4_096n;
      residentBytes.set(zone.name, each.rss);
      const crtime = `${UPTIME_AT_FIRST_S + (each.bootUnixS - firstUnixS)}.500000000`;
      const cut = zone.name.slice(0, 30);
      const print = (prefix: string, statistics: Record<string, string | bigint | number>): void => {
        for (const [name, value] of Object.entries(statistics)) lines.push(`${prefix}:${name}\t${value}`);
      };
      print(`caps:${each.id}:swapresv_zone_${each.id}`, {
        class: "zone_caps",
        crtime,
        snaptime,
        usage: each.rss * 2n,
        value: 18_446_744_073_709_551_615n,
        zonename: zone.name,
      });
      print(`memory_cap:${each.id}:${cut}`, {
        class: "zone_memory_cap",
        crtime,
        physcap: 17_592_186_040_320n,
        rss: each.rss,
        snaptime,
        zonename: zone.name,
      });
      print(`zones:${each.id}:${cut}`, {
        boot_time: each.bootUnixS,
        class: "zone_misc",
        crtime,
        nsec_sys: each.sys,
        nsec_user: each.user,
        nsec_waitrq: each.waitrq,
        snaptime,
        zonename: zone.name,
      });
    }
    snapshots.push(`${lines.join("\n")}\n`);
  }
  return {
    text: snapshots.join("\n"),
    cpuNs: new Map(live.map((each) => [each.zone.name, each.bankedNs + each.user + each.sys])),
    residentBytes,
    firstUnixS,
    lastUnixS: firstUnixS + (intervals - 1) * stepS,
  };
}
