import type { Reading } from "./source.ts";

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

/** A value, or a string that says why there is none. */
export type Measurement = bigint | number | string;

/** Why a limit has no value. */
export const NO_CAP = "no cap is set";

export function readingOf(metric: string, value: Measurement, labels: Readonly<Record<string, string>> = NO_LABELS): Reading {
  return typeof value === "string" ? { metric, labels, value: null, reason: value } : { metric, labels, value };
}
