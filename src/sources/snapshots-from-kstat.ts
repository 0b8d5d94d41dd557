import { NS_PER_SECOND } from "../core/index.ts";
import { placesOf, wholeStat, zoneReadings } from "./kstat-readings.ts";
import { sledReadings } from "./kstat-sled.ts";
import type { Kstat, KstatSnapshot } from "./kstat-snapshot.ts";
import { joinZones, kindOf } from "./kstat-zones.ts";
import type { Diagnostic, SledIdentity, Snapshot } from "./source.ts";
import type { Measurement } from "./reading.ts";
import { splitZoneName } from "./zone-name.ts";

/** One incarnation of a zone, or of the sled, seen in one kstat snapshot. */
export interface KstatSighting {
  /** Name of the zone; "" for the sled. */
  readonly subjectKey: string;
  /** Name, id and creation: equal exactly as long as the counters go on. */
  readonly incarnation: string;
  /** The kernel's own boot time, wall clock; null where the text has none. Whether it is plausible is not checked. */
  readonly bootTimeNs: bigint | null;
  /** Creation, and this reading, on the clock that starts at about boot. */
  readonly crtimeNs: bigint;
  readonly snaptimeNs: bigint;
  /** Wall clock of this reading. */
  readonly timestampNs: bigint;
}

/** What is not in the text and its reader must be told. */
export interface KstatContext {
  /** Where the numbers are of another sled than the producer's own. */
  readonly sled: SledIdentity | null;
  /** The stamp of a subject ("" is the sled): wall time of the reading, never falling. */
  stampOf(subjectKey: string): bigint;
  /** When the counters were 0; the same for every sighting of one incarnation. */
  startTimeOf(sighting: KstatSighting): bigint;
  /** Bytes of swap that could still be reserved, from `unix:0:vminfo` of this and the snapshot before. */
  swapFree(vminfo: Kstat, pageBytes: bigint): Measurement;
}

export interface ReadKstat {
  readonly snapshots: Snapshot[];
  readonly diagnostics: Diagnostic[];
}

/** All that `kstatSnapshots` makes, at once. */
export function snapshotsFromKstat(snapshot: KstatSnapshot, context: KstatContext): ReadKstat {
  const work = kstatSnapshots(snapshot, context);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Turns one kstat snapshot into a snapshot of each zone, and of the sled where the text has its statistics. Zones of which
 * not even name, creation and time were read are left out, with a diagnostic. It pauses after each zone, so that other work can have a turn.
 */
export function* kstatSnapshots(snapshot: KstatSnapshot, context: KstatContext): Generator<void, ReadKstat, void> {
  const { zones, diagnostics } = joinZones(snapshot);
  yield;
  const places = placesOf(toldStatistics(snapshot));
  const snapshots: Snapshot[] = [];
  let sledBootNs: bigint | null = null;
  for (const zone of zones) {
    yield;
    const { zonename: zoneName, instance, identity, crtimeNs, snaptimeNs } = zone;
    const bootTimeNs = bootTimeOf(identity);
    if (instance === 0) sledBootNs = bootTimeNs;
    const incarnation = `${zoneName}/${instance}/${crtimeNs}`;
    const timestampNs = context.stampOf(zoneName);
    const sighting = {
      subjectKey: zoneName,
      incarnation,
      bootTimeNs,
      crtimeNs,
      snaptimeNs,
      timestampNs,
    };
    const startTimeNs = context.startTimeOf(sighting);
    if (startTimeNs >= timestampNs) {
      const text = `Zone ${zoneName} began after the time of this snapshot, which is left out for it.`;
      diagnostics.push({ code: "zone-skipped", text, line: snapshot.line });
      continue;
    }
    const subject = { kind: "zone", zoneName, ...splitZoneName(zoneName), incarnation, startTimeNs } as const;
    snapshots.push({ source: "kstat", subject, sled: context.sled, timestampNs, readings: zoneReadings(zone, places) });
  }
  const sled = sledSnapshot(snapshot, context, sledBootNs);
  if (sled !== null) snapshots.push(sled);
  return { snapshots, diagnostics };
}

function sledSnapshot(snapshot: KstatSnapshot, context: KstatContext, bootTimeNs: bigint | null): Snapshot | null {
  const { readings, of } = sledReadings(snapshot, (vminfo, pageBytes) => context.swapFree(vminfo, pageBytes));
  if (of?.crtimeNs == null || of.snaptimeNs === null) return null;
  const timestampNs = context.stampOf("");
  const startTimeNs = context.startTimeOf({
    subjectKey: "",
    incarnation: `sled/${of.crtimeNs}`,
    bootTimeNs,
    crtimeNs: of.crtimeNs,
    snaptimeNs: of.snaptimeNs,
    timestampNs,
  });
  if (startTimeNs >= timestampNs) return null;
  return { source: "kstat", subject: { kind: "sled", startTimeNs }, sled: context.sled, timestampNs, readings };
}

/** Every statistic that any zone of the snapshot has, by kind. */
function toldStatistics(snapshot: KstatSnapshot): Map<string, Set<string>> {
  const told = new Map<string, Set<string>>();
  for (const kstat of snapshot.kstats) {
    const kind = kindOf(kstat);
    if (kind === null) continue;
    let statistics = told.get(kind);
    if (statistics === undefined) told.set(kind, (statistics = new Set()));
    for (const statistic of kstat.stats.keys()) statistics.add(statistic);
  }
  return told;
}

function bootTimeOf(identity: Kstat): bigint | null {
  const seconds = wholeStat(identity, "boot_time");
  return typeof seconds === "string" ? null : seconds * NS_PER_SECOND;
}
