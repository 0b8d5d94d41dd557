import type { Kstat } from "./kstat-snapshot.ts";
import type { ZoneKstats } from "./kstat-zones.ts";
import { NO_CAP, readingOf, type Measurement } from "./reading.ts";
import type { Reading } from "./source.ts";

const U32_MAX = 2n ** 32n - 1n;
const U64_MAX = 2n ** 64n - 1n;
/** UINT32_MAX pages of 4 KiB. */
const NO_PHYSICAL_CAP = 17_592_186_040_320n;
const NO_PROCESSES_CAP = 2_147_483_647n;
/** Load averages are fixed point. */
const LOAD_SCALE = 256;
const PERCENT_OF_A_CPU = 100;
const WHOLE = /^(?:0|[1-9]\d{0,19})$/;

/** Where a statistic is: kind of kstat (see `ZoneKstats.byKind`) and name. */
type Place = readonly [kind: string, statistic: string];

interface KstatMetric {
  readonly metric: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The first place that the text has counts: kernels differ. */
  readonly places: readonly Place[];
  readonly most: bigint;
  /** The value that stands for no cap. */
  readonly none?: bigint;
  /** For fixed-point statistics, what 1 is. */
  readonly scale?: number;
}

const counter = (metric: string, labelName: string, label: string, kind: string, statistic: string, most = U64_MAX): KstatMetric => ({
  metric,
  labels: { [labelName]: label },
  places: [[kind, statistic]],
  most,
});

/** Every metric of a zone that kstats give. `rss` and the physical cap exist on OmniOS and SmartOS only. */
const METRICS: readonly KstatMetric[] = [
  counter("cpu_nsec", "state", "user", "zones", "nsec_user"),
  counter("cpu_nsec", "state", "sys", "zones", "nsec_sys"),
  counter("cpu_nsec", "state", "waitrq", "zones", "nsec_waitrq"),
  ...(["1", "5", "15"] as const).map((minutes) => ({
    ...counter("load_average", "window", `${minutes}m`, "zones", `avenrun_${minutes}min`, U32_MAX),
    scale: LOAD_SCALE,
  })),
  counter("forks_failed", "cause", "cap", "zones", "forkfail_cap", U32_MAX),
  counter("forks_failed", "cause", "noproc", "zones", "forkfail_noproc", U32_MAX),
  counter("forks_failed", "cause", "nomem", "zones", "forkfail_nomem", U32_MAX),
  counter("forks_failed", "cause", "misc", "zones", "forkfail_misc", U32_MAX),
  {
    metric: "memory_resident",
    places: [
      ["memory_cap", "rss"],
      ["physicalmem", "usage"],
    ],
    most: U64_MAX,
  },
  {
    metric: "memory_resident_cap",
    places: [
      ["memory_cap", "physcap"],
      ["physicalmem", "value"],
    ],
    most: U64_MAX,
    none: NO_PHYSICAL_CAP,
  },
  {
    metric: "swap_reserved",
    places: [
      ["swapresv", "usage"],
      ["memory_cap", "swap"],
    ],
    most: U64_MAX,
  },
  {
    metric: "swap_reserved_cap",
    places: [
      ["swapresv", "value"],
      ["memory_cap", "swapcap"],
    ],
    most: U64_MAX,
    none: U64_MAX,
  },
  { metric: "memory_locked", places: [["lockedmem", "usage"]], most: U64_MAX },
  { metric: "memory_locked_cap", places: [["lockedmem", "value"]], most: U64_MAX, none: U64_MAX },
  { metric: "processes", places: [["nprocs", "usage"]], most: U64_MAX },
  { metric: "processes_cap", places: [["nprocs", "value"]], most: U64_MAX, none: NO_PROCESSES_CAP },
  counter("page_ins", "kind", "anon", "memory_cap", "anonpgin"),
  counter("page_ins", "kind", "exec", "memory_cap", "execpgin"),
  counter("page_ins", "kind", "fs", "memory_cap", "fspgin"),
  { metric: "swap_alloc_failures", places: [["memory_cap", "anon_alloc_fail"]], most: U64_MAX },
  { metric: "cpu_cap", places: [["cpucaps", "value"]], most: U32_MAX, scale: PERCENT_OF_A_CPU },
];

/** The kstats of `caps` that every zone has; with all of them in the text, a missing `cpucaps` says that there is no cap. */
const ALWAYS_THERE = ["swapresv", "lockedmem", "nprocs"];

/** Where each metric is, in the order of METRICS; undefined for one that no zone of a snapshot has: it was not asked for, or this kernel does not count it. */
export type MetricPlaces = readonly (Place | undefined)[];

/** `told` holds the statistics that any zone of the snapshot has, by kind. */
export function placesOf(told: ReadonlyMap<string, ReadonlySet<string>>): MetricPlaces {
  return METRICS.map(({ places }) => places.find(([kind, statistic]) => told.get(kind)?.has(statistic) === true));
}

/** Readings of one zone: none of what no zone has, one without a value of what only this zone lacks. */
export function zoneReadings(zone: ZoneKstats, places: MetricPlaces): Reading[] {
  const readings: Reading[] = [];
  for (const [i, row] of METRICS.entries()) {
    const place = places[i];
    if (row.metric === "cpu_cap" && !zone.byKind.has("cpucaps")) {
      if (ALWAYS_THERE.every((kind) => zone.byKind.has(kind))) readings.push(readingOf(row.metric, NO_CAP));
    } else if (place !== undefined) {
      readings.push(readingOf(row.metric, measure(row, zone.byKind.get(place[0]), place), row.labels));
    }
  }
  return readings;
}

function measure({ most, none, scale }: KstatMetric, kstat: Kstat | undefined, [kind, statistic]: Place): Measurement {
  if (kstat === undefined) return `the zone had no kstat ${kind} when it was read`;
  const value = wholeStat(kstat, statistic, most);
  if (typeof value === "string") return value;
  if (value === none) return NO_CAP;
  return scale === undefined ? value : Number(value) / scale;
}

/** An unsigned statistic, or why it is not one. */
export function wholeStat(kstat: Kstat, statistic: string, most = U64_MAX): bigint | string {
  if (kstat.snaptimeNs === null) return `the kstat ${kstat.module} was not read`;
  const text = kstat.stats.get(statistic);
  if (text === undefined) return `the kstat ${kstat.module} has no ${statistic}`;
  const value = WHOLE.test(text) ? BigInt(text) : null;
  return value === null || value > most ? `${statistic} of the kstat ${kstat.module} is not a number that it can be` : value;
}
