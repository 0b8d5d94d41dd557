import { formatRfc3339, ZonemeterError, type Histogram, type Quantile } from "../core/index.ts";

/** A histogram as Oximeter writes it. The last bin is open to the right. Throws `internal` where a float is not finite. */
export function histogramJson(startTimeNs: bigint, histogram: Histogram): string {
  const { edges, counts } = histogram;
  const bins = edges.map((edge, i) => {
    const next = edges[i + 1];
    const range = next === undefined ? `{"type":"range_from","start":${edge}}` : `{"type":"range","start":${edge},"end":${next}}`;
    return `{"range":${range},"count":${counts[i]}}`;
  });
  const floats = [
    edges,
    [histogram.min, histogram.max, histogram.sumOfSamples, histogram.squaredMean],
    floatsOf(histogram.p50),
    floatsOf(histogram.p90),
    floatsOf(histogram.p99),
  ].flat();
  const bad = floats.find((value) => typeof value === "number" && !Number.isFinite(value));
  if (bad !== undefined) throw new ZonemeterError("internal", `A histogram cannot be sent with the value ${bad}: it is not finite.`);
  const nSamples = counts.reduce((sum, count) => sum + count, 0n);
  return (
    `{"start_time":"${formatRfc3339(startTimeNs)}","bins":[${bins.join(",")}],"n_samples":${nSamples},"min":${histogram.min},` +
    `"max":${histogram.max},"sum_of_samples":${histogram.sumOfSamples},"squared_mean":${histogram.squaredMean},` +
    `"p50":${quantileJson(histogram.p50)},"p90":${quantileJson(histogram.p90)},"p99":${quantileJson(histogram.p99)}}`
  );
}

const floatsOf = (quantile: Quantile): number[] => [quantile.p, ...quantile.markerHeights, ...quantile.desiredMarkerPositions];

function quantileJson(quantile: Quantile): string {
  return (
    `{"p":${quantile.p},"marker_heights":[${quantile.markerHeights.join(",")}],` +
    `"marker_positions":[${quantile.markerPositions.join(",")}],"desired_marker_positions":[${quantile.desiredMarkerPositions.join(",")}]}`
  );
}
