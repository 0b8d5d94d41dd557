import { REPLAY_MAX_INCARNATIONS } from "../core/index.ts";
import type { RecordedSet } from "./recording.ts";

/** Why a set is left out that is not in order. */
export const NOT_LATER = "the time is not later than the one before";

/** Remembers the last time of each tool and sled: what is not later than that would make stamps fall, and is left out. */
export class RecordedOrder {
  #lastNs = new Map<string, bigint>();

  isLater(set: RecordedSet, sledId: string): boolean {
    return keysOf(set, sledId).every((key) => set.timeNs > (this.#lastNs.get(key) ?? 0n));
  }

  /** Notes that the set is used. */
  note(set: RecordedSet, sledId: string): void {
    for (const key of keysOf(set, sledId)) this.#lastNs.set(key, set.timeNs);
    if (this.#lastNs.size <= REPLAY_MAX_INCARNATIONS) return;
    const byTime = [...this.#lastNs].sort(([, a], [, b]) => (a < b ? 1 : -1));
    this.#lastNs = new Map(byTime.slice(0, REPLAY_MAX_INCARNATIONS / 2));
  }
}

/** A tool dates all its zones at once. Printed snapshots are of many sources and instants, so each subject has an order of its own. */
function keysOf(set: RecordedSet, sledId: string): string[] {
  if (set.tool !== "snapshots") return [`${sledId}/${set.tool}`];
  return set.of.snapshots.map(({ source, subject }) => `${sledId}/${source}/${subject.kind === "zone" ? subject.zoneName : ""}`);
}
