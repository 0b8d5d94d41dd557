/** Time as the product sees it. Tests hand in a clock that they move by hand. */
export interface Clock {
  /** Nanoseconds since the Unix epoch; may step either way. */
  wallNs(): bigint;
  /** Nanoseconds of a clock that only goes forward and does not move with clock steps. */
  monotonicNs(): bigint;
}

const wallAnchorNs = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;

/**
 * The machine's clocks. Wall time comes from Date (which follows steps) and takes the digits below the millisecond from the
 * monotonic clock, as Node has no nanosecond wall clock.
 */
export const systemClock: Clock = {
  wallNs() {
    const fine = wallAnchorNs();
    const coarse = BigInt(Date.now()) * 1_000_000n;
    const apart = fine - coarse;
    return apart > -1_000_000n && apart < 2_000_000n ? fine : coarse;
  },
  monotonicNs() {
    return process.hrtime.bigint();
  },
};
