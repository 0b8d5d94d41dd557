import { NS_PER_SECOND, REPLAY_MAX_INCARNATIONS } from "../core/index.ts";
import type { KstatSighting } from "./snapshots-from-kstat.ts";

/** 1990-01-01. Boot times before it come from a clock that was not set. */
const EARLIEST_PLAUSIBLE_NS = 631_152_000n * NS_PER_SECOND;

interface Known {
  readonly incarnation: string;
  readonly startTimeNs: bigint;
  lastStampNs: bigint;
}

/**
 * Start times of recorded incarnations. They follow from the recording alone, so that a file that is replayed twice gives the same series: the
 * kernel's boot time where it is plausible, else the creation time, converted with the time line at which the incarnation is first seen; in any
 * case later than the last stamp of the incarnation before it under the same name.
 */
export class RecordedStartTimes {
  #known = new Map<string, Known>();

  /** `sled` tells sleds apart. */
  startTimeOf(sled: string, sighting: KstatSighting): bigint {
    const key = `${sled}/${sighting.subjectKey}`;
    const { incarnation, timestampNs } = sighting;
    const known = this.#known.get(key);
    if (known?.incarnation === incarnation) {
      known.lastStampNs = timestampNs;
      return known.startTimeNs;
    }
    const began = beganNs(sighting);
    const startTimeNs = known !== undefined && began <= known.lastStampNs ? known.lastStampNs + 1n : began;
    if (this.#known.size >= REPLAY_MAX_INCARNATIONS) this.#forgetHalf();
    this.#known.set(key, { incarnation, startTimeNs, lastStampNs: timestampNs });
    return startTimeNs;
  }

  #forgetHalf(): void {
    const byAge = [...this.#known].sort(([, a], [, b]) => (a.lastStampNs < b.lastStampNs ? 1 : -1));
    this.#known = new Map(byAge.slice(0, Math.floor(byAge.length / 2)));
  }
}

/** Always before the sample: boot times are cut to seconds, as time lines are. */
function beganNs({ bootTimeNs, crtimeNs, snaptimeNs, timestampNs }: KstatSighting): bigint {
  const isPlausible = (ns: bigint): boolean => ns >= EARLIEST_PLAUSIBLE_NS && ns <= timestampNs;
  const createdNs = timestampNs - (snaptimeNs - crtimeNs);
  const began = bootTimeNs !== null && isPlausible(bootTimeNs) ? bootTimeNs : isPlausible(createdNs) ? createdNs : timestampNs;
  return began < timestampNs ? began : timestampNs - 1n;
}
