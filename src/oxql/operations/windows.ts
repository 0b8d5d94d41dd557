import { offsetsFrom } from "../int64-words.ts";

/**
 * The windows of one alignment. They end at E, E-P, E-2P, …, open at their start and closed at their end. Window number 0 ends at E;
 * in every array here the oldest window comes first. Times are doubles: nanoseconds from E, so 0 is E and the past is negative.
 */
export class Windows {
  readonly periodNs: number;
  readonly #endTimeNs: bigint;
  readonly #exactPeriodNs: bigint;
  #endTimes = new BigInt64Array(0);

  constructor(endTimeNs: bigint, periodNs: bigint) {
    this.#endTimeNs = endTimeNs;
    this.#exactPeriodNs = periodNs;
    this.periodNs = Number(periodNs);
  }

  /** How many windows end at or after the first of `timestampsNs`; none where that is after E. */
  countFrom(timestampsNs: BigInt64Array): number {
    const first = timestampsNs[0];
    if (first === undefined || first > this.#endTimeNs) return 0;
    return Number((this.#endTimeNs - first) / this.#exactPeriodNs) + 1;
  }

  /** End times of the newest `count` windows. Arrays of different counts share their memory. */
  endTimesNs(count: number): BigInt64Array {
    if (count > this.#endTimes.length) {
      this.#endTimes = new BigInt64Array(count);
      for (let i = count - 1, end = this.#endTimeNs; i >= 0; i--, end -= this.#exactPeriodNs) this.#endTimes[i] = end;
    }
    return this.#endTimes.subarray(this.#endTimes.length - count);
  }

  offsets(timesNs: BigInt64Array): Float64Array {
    return offsetsFrom(this.#endTimeNs, timesNs);
  }

  /**
   * The number of the window that `offset` (at or before E) lies in, counted back from E. As long as the offset is exact, the quotient is
   * never rounded up to a whole number that it does not reach.
   */
  numberAt(offset: number): number {
    return Math.floor(-offset / this.periodNs);
  }
}
