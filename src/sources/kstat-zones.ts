import type { Kstat, KstatSnapshot } from "./kstat-snapshot.ts";
import type { Diagnostic } from "./source.ts";

/** The kstats of one zone, joined over the modules by instance, which is the zone's id. */
export interface ZoneKstats {
  readonly zonename: string;
  readonly instance: number;
  /** The one whose `crtime` names the incarnation: of module `zones` where the text has that, else of `memory_cap`, else of `caps`. */
  readonly identity: Kstat;
  readonly crtimeNs: bigint;
  /** When the values were read: of `identity`, or of another kstat where the zone had gone by then. */
  readonly snaptimeNs: bigint;
  /** By `zones`, `memory_cap`, and for `caps` the name before `_zone_ID`, such as `swapresv`. */
  readonly byKind: ReadonlyMap<string, Kstat>;
}

/** What the kernel keeps of a zone's name in the name of a kstat. */
const KSTAT_NAME_LENGTH = 30;
const CAPS_NAME = /^([a-z]+)_zone_(\d+)$/;
const IDENTITY_ORDER = ["zones", "memory_cap", "swapresv", "lockedmem", "nprocs"];

/** What a kstat is to its zone, or null where it says nothing of one. */
export function kindOf(kstat: Kstat): string | null {
  if (kstat.instance < 0) return null;
  if (kstat.module === "zones" || kstat.module === "memory_cap") return kstat.module;
  const match = kstat.module === "caps" ? CAPS_NAME.exec(kstat.name) : null;
  return match !== null && Number(match[2]) === kstat.instance ? match[1]! : null;
}

/**
 * Joins the kstats of each zone. Of a zone that went away meanwhile what had been read before is kept: it is the last that there is of it, and a kstat that
 * could not be read still tells its creation. A zone whose kstats do not agree, or of which no name or time was read, is left out of this snapshot:
 * absent is not zero. Where a name has two zones, the one created later is the one that lives.
 */
export function joinZones(snapshot: KstatSnapshot): { zones: ZoneKstats[]; diagnostics: Diagnostic[] } {
  const byInstance = new Map<number, Map<string, Kstat>>();
  const kinds = new Set<string>();
  for (const kstat of snapshot.kstats) {
    const kind = kindOf(kstat);
    if (kind === null) continue;
    kinds.add(kind);
    const kinsfolk = byInstance.get(kstat.instance) ?? new Map<string, Kstat>();
    // Of two by one id and kind the one that was read: a line with a damaged name makes a kstat of its own.
    if (kstat.snaptimeNs !== null || !kinsfolk.has(kind)) kinsfolk.set(kind, kstat);
    byInstance.set(kstat.instance, kinsfolk);
  }
  const identityKind = IDENTITY_ORDER.find((kind) => kinds.has(kind));
  const diagnostics: Diagnostic[] = [];
  const byName = new Map<string, ZoneKstats>();
  for (const [instance, byKind] of byInstance) {
    const joined = joinZone(instance, byKind, identityKind);
    if (typeof joined === "string") {
      diagnostics.push({ code: "zone-skipped", text: `Zone ${instance} is left out of this snapshot: ${joined}.`, line: snapshot.line });
      continue;
    }
    const other = byName.get(joined.zonename);
    if (other !== undefined) {
      const text = `Two zones are called ${joined.zonename}, as one goes and the next comes; the later one is taken.`;
      diagnostics.push({ code: "zone-skipped", text, line: snapshot.line });
      if (other.crtimeNs > joined.crtimeNs) continue;
    }
    byName.set(joined.zonename, joined);
  }
  return { zones: [...byName.values()], diagnostics };
}

function joinZone(instance: number, byKind: ReadonlyMap<string, Kstat>, identityKind: string | undefined): ZoneKstats | string {
  const identity = identityKind === undefined ? undefined : byKind.get(identityKind);
  if (identity === undefined) return `it has no kstat ${identityKind ?? "zones"}, as a zone that came or went meanwhile`;
  const read = identity.readFailed ? [...byKind.values()].find(isRead) : identity;
  if (identity.crtimeNs === null || read === undefined || read.snaptimeNs === null) return `its kstat ${identityKind!} could not be read`;
  const { zonename, snaptimeNs } = read;
  if (zonename === null) return "its name could not be read";
  if (!isNameOf(identity.name, zonename) && identity.module !== "caps")
    return `it is called ${zonename}, which its kstat ${identity.name} is not`;
  for (const kstat of byKind.values()) {
    if (kstat.zonename !== null && kstat.zonename !== zonename) return `its kstats are of ${zonename} and of ${kstat.zonename}`;
  }
  return { zonename, instance, identity, crtimeNs: identity.crtimeNs, snaptimeNs, byKind };
}

function isRead({ snaptimeNs, zonename }: Kstat): boolean {
  return snaptimeNs !== null && zonename !== null;
}

/** The kstat is named for the zone, where the name is long for its beginning. */
function isNameOf(kstatName: string, zonename: string): boolean {
  return kstatName === zonename || (kstatName.length >= KSTAT_NAME_LENGTH && zonename.startsWith(kstatName));
}
