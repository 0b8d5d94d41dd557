import { NS_PER_SECOND } from "../core/index.ts";

/** So many reports in a row must have been dear, or cheap: one alone may be late because this process was. */
const IN_A_ROW = 3;

/**
 * What a report of zonestat costs, from how far behind its own time it comes. The tool takes that time, in whole seconds, right before it asks the
 * daemon, and prints when the daemon has answered: the walk over all memory, the forks and the accounting lie between. The part of the second at which
 * it woke is known too: it sleeps for whole seconds from when it had printed the report before. Both clocks are the machine's wall clock.
 */
export class ZonestatCost {
  #lastArrivalNs: bigint | null = null;
  #costsMs: number[] = [];

  /** Takes one report. What the last few cost, ms, or null where they are too few. `limitMs`: more than that cannot have been. */
  take(stampNs: bigint, arrivalNs: bigint, limitMs: number): { readonly leastMs: number; readonly mostMs: number } | null {
    const wokeNs = this.#lastArrivalNs === null ? null : stampNs + (this.#lastArrivalNs % NS_PER_SECOND);
    this.#lastArrivalNs = arrivalNs;
    if (wokeNs === null) return null;
    const costMs = Number(arrivalNs - wokeNs) / 1e6;
    // Somebody set the clock.
    if (Math.abs(costMs) > limitMs) return null;
    this.#costsMs.push(Math.max(0, costMs));
    if (this.#costsMs.length > IN_A_ROW) this.#costsMs.shift();
    if (this.#costsMs.length < IN_A_ROW) return null;
    return { leastMs: Math.min(...this.#costsMs), mostMs: Math.max(...this.#costsMs) };
  }

  /** Begins anew, with a new run or a new interval. */
  reset(): void {
    this.#lastArrivalNs = null;
    this.#costsMs = [];
  }
}
