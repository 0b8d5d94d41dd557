import { RATE_BURST_SECONDS, RATE_MAX_PRINCIPALS, type Clock } from "../core/index.ts";

interface Bucket {
  /** Requests that may come at once. */
  tokens: number;
  filledAtNs: bigint;
}

/** Token buckets, one for each key: `perSecond` requests on average, a few seconds' worth at once. */
export class RateLimiter {
  readonly perSecond: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, clock: Clock) {
    this.perSecond = perSecond;
    this.#clock = clock;
  }

  /** Takes one request of a key's rate: 0, or the seconds until the next one may come, at least 1 and whole as `Retry-After` wants them. */
  take(key: string): number {
    const capacity = this.perSecond * RATE_BURST_SECONDS;
    const nowNs = this.#clock.monotonicNs();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= RATE_MAX_PRINCIPALS) this.#forgetFull(nowNs, capacity);
      this.#buckets.set(key, (bucket = { tokens: capacity, filledAtNs: nowNs }));
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + this.#gained(bucket, nowNs));
    bucket.filledAtNs = nowNs;
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.perSecond));
    bucket.tokens -= 1;
    return 0;
  }

  #gained({ filledAtNs }: Bucket, nowNs: bigint): number {
    return (Number(nowNs - filledAtNs) / 1e9) * this.perSecond;
  }

  /** A full bucket says no more than none. */
  #forgetFull(nowNs: bigint, capacity: number): void {
    for (const [key, bucket] of this.#buckets) if (bucket.tokens + this.#gained(bucket, nowNs) >= capacity) this.#buckets.delete(key);
  }
}
