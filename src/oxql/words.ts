import type { AlignMethod, Operation } from "./ast.ts";

/** The words that operations begin with, in the order in which they are usually needed. */
export const OPERATION_WORDS = ["get", "filter", "align", "group_by", "join", "first", "last", "map", "top", "bottom"] as const;

export const ALIGN_METHODS = ["mean_within", "rate", "interpolate"] as const satisfies readonly AlignMethod[];

/** How messages and plans call an operation. */
export function operationWord(operation: Operation): string {
  switch (operation.kind) {
    case "limit":
    case "rank":
      return operation.end;
    default:
      return operation.kind;
  }
}

/** Names in a filter that are not fields. The parts of histograms are known but cannot be compared yet. */
export const HISTOGRAM_PARTS: readonly string[] = [
  "bins",
  "counts",
  "min",
  "max",
  "sum_of_samples",
  "squared_mean",
  ...["p50", "p90", "p99"].flatMap((quantile) => [
    `${quantile}_marker_heights`,
    `${quantile}_marker_positions`,
    `${quantile}_desired_marker_positions`,
  ]),
];
