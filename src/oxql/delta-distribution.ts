import { queryError } from "./query-error.ts";
import type { Distribution } from "./table.ts";

/**
 * What `now` added to `before`, both histograms of one incarnation. Counts and the sum of samples subtract; `squaredMean` becomes
 * the square of the difference of the two means; minimum, maximum and quantiles cannot be told and become null. `describe` names the
 * timeseries in errors: `delta_bins`, `delta_underflow`, `overflow`.
 */
export function differenceOf<T extends bigint | number>(
  now: Distribution<T>,
  before: Distribution<T>,
  describe: () => string,
): Distribution<T> {
  if (now.bins.length !== before.bins.length || now.bins.some((edge, bin) => edge !== before.bins[bin])) {
    throw queryError(
      "delta_bins",
      `The bins of ${describe()} changed without a restart: leave the time before or after the change out with a filter.`,
    );
  }
  const counts = now.counts.map((count, bin) => {
    const added = count - before.counts[bin]!;
    if (added >= 0n) return added;
    const bins = `from ${before.counts[bin]} to ${count} in the bin from ${now.bins[bin]}`;
    throw queryError("delta_underflow", `The count of ${describe()} fell ${bins} without a restart: leave that time out with a filter.`);
  });
  const drift = meanOf(now) - meanOf(before);
  return {
    bins: now.bins,
    counts,
    min: null,
    max: null,
    sumOfSamples: subtract(now.sumOfSamples, before.sumOfSamples, describe),
    squaredMean: drift * drift,
    p50: null,
    p90: null,
    p99: null,
  };
}

/** 0 for a histogram without samples. */
function meanOf({ counts, sumOfSamples }: Distribution<bigint | number>): number {
  const count = counts.reduce((sum, each) => sum + each, 0n);
  return count === 0n ? 0 : Number(sumOfSamples) / Number(count);
}

function subtract<T extends bigint | number>(now: T, before: T, describe: () => string): T {
  const difference = ((now as number) - (before as number)) as T;
  if (typeof difference === "bigint" && difference !== BigInt.asIntN(64, difference)) {
    throw queryError(
      "overflow",
      `The sum of samples of ${describe()} changed by ${difference}, which does not fit a 64-bit integer: leave that time out with a filter.`,
    );
  }
  return difference;
}
