import type { Datum, DatumType, Sample } from "../core/index.ts";

/** A metric of one target, with everything about it that does not change from sample to sample. */
export interface Series {
  readonly timeseriesName: string;
  readonly timeseriesVersion: number;
  readonly metric: Sample["metric"];
  readonly datumType: DatumType;
}

/** What a group counts or measured. Both an array and packed values are this. */
export interface SampleValues extends Iterable<bigint | number> {
  readonly length: number;
  at(index: number): bigint | number | undefined;
  slice(from: number, to?: number): SampleValues;
}

/**
 * Samples that were taken together: one target, one instant, one start of counting. Kept in this form until they are sent, as it takes a
 * small part of the memory of samples. `values[i]` belongs to `series[i]` and fits its datum type.
 */
export interface SampleGroup {
  /** The source that they come from; one item of a response each. */
  readonly source: string;
  readonly target: Sample["target"];
  readonly timestampNs: bigint;
  readonly startTimeNs: bigint;
  readonly series: readonly Series[];
  readonly values: SampleValues;
  /** True for the first part of a group that was cut in two. */
  readonly partial: boolean;
}

export function samplesOf(group: SampleGroup): Sample[] {
  const { target, timestampNs, startTimeNs, series, values } = group;
  return series.map(({ timeseriesName, timeseriesVersion, metric, datumType }, i) => {
    const value = values.at(i)!;
    const datum = datumType.startsWith("cumulative_") ? { type: datumType, startTimeNs, value } : { type: datumType, value };
    return { timeseriesName, timeseriesVersion, target, metric, timestampNs, datum: datum as Datum };
  });
}

export function countSamples(groups: readonly SampleGroup[]): number {
  return groups.reduce((sum, group) => sum + group.values.length, 0);
}

/** Cuts a group so that the first part has `count` samples. */
export function splitGroup(group: SampleGroup, count: number): [SampleGroup, SampleGroup] {
  return [
    { ...group, series: group.series.slice(0, count), values: group.values.slice(0, count), partial: true },
    { ...group, series: group.series.slice(count), values: group.values.slice(count) },
  ];
}
