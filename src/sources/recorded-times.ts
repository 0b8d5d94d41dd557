import type { KstatSnapshot } from "./kstat-snapshot.ts";
import type { PrstatReport } from "./prstat-text.ts";
import type { ZonestatReport } from "./zonestat-report.ts";

/** Times for recordings that carry none. */
export interface GivenTimes {
  /** Time of the first report of each such recording; null where nobody said. */
  readonly startNs: bigint | null;
  /** Time from one report to the next, for those whose text does not tell that either. */
  readonly intervalNs: bigint | null;
}

export const NO_TIMES_GIVEN: GivenTimes = Object.freeze({ startNs: null, intervalNs: null });

/** One report of a recording, whichever tool's. */
export type RecordedItem = KstatSnapshot | ZonestatReport | PrstatReport;

/**
 * Dates the reports of one recording that carries no times: the first by what was given, each further one by the clock that its text has all the
 * same (`snaptime` of kstat, the duration that zonestat prints for people) and, where there is none or it began again, by the given interval.
 */
export class RecordedClock {
  readonly #startNs: bigint;
  readonly #intervalNs: bigint | null;
  #last: { readonly timeNs: bigint; readonly ownNs: bigint | null } | null = null;

  constructor(startNs: bigint, intervalNs: bigint | null) {
    this.#startNs = startNs;
    this.#intervalNs = intervalNs;
  }

  /** The time of the next report, or null where nothing tells how much later it is. */
  timeOf(item: RecordedItem): bigint | null {
    const timeNs = this.#next(ownClockNs(item));
    if (timeNs !== null) this.#last = { timeNs, ownNs: ownClockNs(item) };
    return timeNs;
  }

  #next(ownNs: bigint | null): bigint | null {
    if (this.#last === null) return this.#startNs;
    const { timeNs, ownNs: lastOwnNs } = this.#last;
    if (ownNs !== null && lastOwnNs !== null && ownNs > lastOwnNs) return timeNs + (ownNs - lastOwnNs);
    return this.#intervalNs === null ? null : timeNs + this.#intervalNs;
  }
}

/** Where the report stands on a clock of its own text, which began at some time nobody knows; null where the text has none. */
export function ownClockNs(item: RecordedItem): bigint | null {
  if ("kstats" in item) {
    const read = item.kstats.filter(({ snaptimeNs }) => snaptimeNs !== null);
    return (read.find(({ module }) => module === "zones") ?? read[0])?.snaptimeNs ?? null;
  }
  if ("zones" in item) return null;
  return item.elapsedSec === null ? null : BigInt(item.elapsedSec) * 1_000_000_000n;
}
