export const NS_PER_HOUR = 3_600_000_000_000n;
export const LAST_BUCKET = 0xffff_fffe;

/** Latest time that a DateTime64(9) holds: 2262-04-11T23:47:16. */
export const LATEST_NS = 9_223_372_036_000_000_000n;

/** Number of the hour that a time belongs to, counted from the epoch. Hours are open at their start and closed at their end: (h-1, h]. */
export function bucketOf(timestampNs: bigint): number {
  if (timestampNs <= 0n) return 0;
  const bucket = (timestampNs - 1n) / NS_PER_HOUR;
  return bucket > LAST_BUCKET ? LAST_BUCKET : Number(bucket);
}

/** First time of a bucket's hour. */
export function bucketStartNs(bucket: number): bigint {
  return BigInt(bucket) * NS_PER_HOUR + 1n;
}
