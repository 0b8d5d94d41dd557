import { recordedSled } from "./recorded-sled.ts";
import { RecordedStartTimes } from "./recorded-start-times.ts";
import type { RecordedSet } from "./recording.ts";
import { snapshotsFromKstat } from "./snapshots-from-kstat.ts";
import { snapshotsFromPrstat } from "./snapshots-from-prstat.ts";
import { snapshotsFromZonestat } from "./snapshots-from-zonestat.ts";
import type { Diagnostic, SledIdentity, Snapshot } from "./source.ts";
import { SwapMeans } from "./swap-means.ts";
import { isAggregate } from "./zonestat-readings.ts";

/** The sleds that the sets of one file are of: what is known of them, else what was printed, else what the file's name tells. */
export class RecordedSleds {
  readonly #path: string;
  readonly #given: Partial<SledIdentity>;
  #last: { readonly serial: string | null; readonly sled: SledIdentity };

  constructor(path: string, given: Partial<SledIdentity>) {
    this.#path = path;
    this.#given = given;
    this.#last = { serial: null, sled: recordedSled(path, given) };
  }

  of(set: RecordedSet): SledIdentity {
    const serial = set.tool === "snapshots" ? set.of.sledSerial : null;
    if (serial !== this.#last.serial) {
      this.#last = { serial, sled: recordedSled(this.#path, serial === null ? this.#given : { sledSerial: serial, ...this.#given }) };
    }
    return this.#last.sled;
  }
}

/** What has to be remembered from one recorded instant to the next, over all files. */
export class RecordedMemory {
  readonly startTimes = new RecordedStartTimes();
  readonly swap = new SwapMeans();
}

/** Turns what was recorded of one instant into snapshots. */
export function recordedSnapshots(
  set: RecordedSet,
  sled: SledIdentity,
  { startTimes, swap }: RecordedMemory,
): { snapshots: Snapshot[]; diagnostics: Diagnostic[] } {
  const stampOf = (): bigint => set.timeNs;
  switch (set.tool) {
    case "kstat":
      return snapshotsFromKstat(set.of, {
        sled,
        stampOf,
        startTimeOf: (sighting) => startTimes.startTimeOf(sled.sledId, sighting),
        swapFree: (vminfo, pageBytes) => swap.availableBytes(sled.sledId, vminfo, pageBytes),
      });
    case "zonestat":
      return snapshotsFromZonestat(set.of.timeNs === null ? { ...set.of, timeNs: set.timeNs } : set.of, { sled, stampOf });
    case "prstat":
      return snapshotsFromPrstat(set.of, { sled, stampOf });
    case "snapshots":
      return {
        snapshots: set.of.snapshots.map(({ sledSerial: _serial, ...snapshot }) => ({ ...snapshot, sled })),
        diagnostics: [],
      };
  }
}

/** Zones that a set has rows of. */
export function zonesOf(set: RecordedSet): number {
  switch (set.tool) {
    case "kstat":
      return new Set(set.of.kstats.flatMap(({ zonename }) => zonename ?? [])).size;
    case "prstat":
      return set.of.zones.length;
    case "snapshots":
      return set.of.snapshots.length;
    case "zonestat": {
      const { summary, resources, psets } = set.of;
      const rows = [summary?.rows ?? [], ...resources.map((resource) => resource.rows), ...psets.map((pset) => pset.rows)].flat();
      return new Set(rows.flatMap(({ zone }) => (isAggregate(zone) ? [] : zone))).size;
    }
  }
}
