import type { Clock } from "../core/index.ts";

/** While stamps run ahead of the wall clock they lose one part in this many of the time that passes, so that they meet it again. */
export const SLEW_PARTS = 16n;

/**
 * Turns wall time into stamps that do not fall. Stamps are wall time as long as the wall clock does not fall behind them. When it is stepped back
 * by d, stamps go on from where they were, d ahead of the wall clock, and that lead shrinks by a sixteenth of the time that passes: a
 * second is made up in 16 s, a minute in 16 min, and rates over stamps read at most 1/15 too high meanwhile. Standing still or leaving samples
 * out would instead put all the use of the stepped time into one interval. A step forward ends the lead early.
 */
export class StampClock {
  readonly #clock: Clock;
  /** Stamp time of the last stamp, and the monotonic time then. */
  #last: { readonly stampNs: bigint; readonly monotonicNs: bigint } | null;

  /** `lastStampNs`: the latest stamp that an earlier run can have given out, or null. */
  constructor(clock: Clock, lastStampNs: bigint | null) {
    this.#clock = clock;
    this.#last = lastStampNs === null ? null : { stampNs: lastStampNs, monotonicNs: clock.monotonicNs() };
  }

  /** How far a stamp given out now would be ahead of the wall clock: 0 unless that was stepped back. */
  aheadNs(): bigint {
    return this.#look().aheadNs;
  }

  /** The stamp of something measured at `wallNs` of the wall clock as it goes now. */
  stampOf(wallNs: bigint): bigint {
    const { nowNs, monotonicNs, aheadNs } = this.#look();
    this.#last = { stampNs: nowNs + aheadNs, monotonicNs };
    return wallNs + aheadNs;
  }

  #look(): { nowNs: bigint; monotonicNs: bigint; aheadNs: bigint } {
    const nowNs = this.#clock.wallNs();
    const monotonicNs = this.#clock.monotonicNs();
    if (this.#last === null) return { nowNs, monotonicNs, aheadNs: 0n };
    const passedNs = monotonicNs - this.#last.monotonicNs;
    const leadNs = this.#last.stampNs + passedNs - passedNs / SLEW_PARTS - nowNs;
    return { nowNs, monotonicNs, aheadNs: leadNs > 0n ? leadNs : 0n };
  }
}
