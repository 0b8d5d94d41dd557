import type { Kstat, KstatSnapshot } from "./kstat-snapshot.ts";

/** What a zone used between two snapshots. */
export interface ZoneDelta {
  readonly zonename: string;
  /** The zone was created anew in between: its values are the new counters themselves, counted since the new `crtime`. */
  readonly reset: boolean;
  /** By statistic. Null where a counter fell although the zone went on: that tells nothing, and is no wrap of 64 bits. */
  readonly values: ReadonlyMap<string, bigint | null>;
}

const COUNTER_MODULES: ReadonlySet<string> = new Set(["zones", "memory_cap"]);
const WHOLE = /^(0|[1-9]\d{0,19})$/;

/** Statistics of 32 bits, which start again at 0 after 2^32 - 1. */
const NARROW = /^forkfail_/;

/** Differences of the counters of every zone that both snapshots have, whatever its instance number. */
export function zoneDeltas(before: KstatSnapshot, after: KstatSnapshot): ZoneDelta[] {
  const older = zoneKstats(before);
  const deltas = new Map<string, { zonename: string; reset: boolean; values: Map<string, bigint | null> }>();
  for (const [key, kstat] of zoneKstats(after)) {
    const old = older.get(key);
    if (old === undefined) continue;
    const zonename = kstat.zonename!;
    const delta = deltas.get(zonename) ?? { zonename, reset: false, values: new Map() };
    const reset = old.crtimeNs !== kstat.crtimeNs;
    delta.reset ||= reset;
    for (const [name, text] of kstat.stats) {
      if (WHOLE.test(text)) delta.values.set(name, difference(name, reset ? "0" : old.stats.get(name), text));
    }
    deltas.set(zonename, delta);
  }
  return [...deltas.values()];
}

/** By module and full zone name; where a zone that is going and its successor are both there, the successor. */
function zoneKstats(snapshot: KstatSnapshot): Map<string, Kstat> {
  const found = new Map<string, Kstat>();
  for (const kstat of snapshot.kstats) {
    if (kstat.zonename === null || !COUNTER_MODULES.has(kstat.module)) continue;
    const key = `${kstat.module}:${kstat.zonename}`;
    const other = found.get(key);
    if (other === undefined || (kstat.crtimeNs ?? 0n) >= (other.crtimeNs ?? 0n)) found.set(key, kstat);
  }
  return found;
}

function difference(name: string, before: string | undefined, after: string): bigint | null {
  if (before === undefined || !WHOLE.test(before)) return null;
  const delta = BigInt(after) - BigInt(before);
  if (delta >= 0n) return delta;
  return NARROW.test(name) ? delta + (1n << 32n) : null;
}
