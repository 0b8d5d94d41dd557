/**
 * Eight questions about a fleet, each as one query that a person would write. `end` is the time asked about, as a timestamp literal, and
 * `zone` the name of one zone.
 */
export const QUESTIONS = [
  {
    id: "Q1",
    asks: "CPUs in use by every crucible zone, minute by minute over the last hour",
    oxql: ({ end }) =>
      `get zone_resource:cpu_nsec | filter zone_type == 'crucible' && state != 'waitrq' && timestamp > ${end} - 1h && timestamp <= ${end}` +
      " | align rate(1m) | group_by [sled_serial, zone_name], sum | map datum / 1000000000",
    promql: {
      kind: "range",
      seconds: 3_600,
      step: 60,
      quantised: 'avg_over_time(zone_cpu_used{zone_type="crucible"}[1m])',
      exact: 'sum by (sled, zone) (rate(zone_cpu_ns{zone_type="crucible"}[1m])) / 1e9',
    },
  },
  {
    id: "Q2",
    asks: "the ten zones that used most CPU in the last 15 minutes",
    oxql: ({ end }) =>
      `get zone_resource:cpu_nsec | filter state != 'waitrq' && timestamp > ${end} - 15m && timestamp <= ${end}` +
      " | align rate(15m) | group_by [sled_serial, zone_name], sum | map datum / 1000000000 | top 10",
    promql: {
      kind: "instant",
      quantised: "topk(10, avg_over_time(zone_cpu_used[15m]))",
      exact: "topk(10, sum by (sled, zone) (rate(zone_cpu_ns[15m])))",
    },
  },
  {
    id: "Q3",
    asks: "resident memory of all clickhouse zones, minute by minute over the last day",
    oxql: ({ end }) =>
      `get zone_resource:memory_resident | filter zone_type ~= '^clickhouse' && timestamp > ${end} - 1d && timestamp <= ${end}` +
      " | align mean_within(1m)",
    promql: {
      kind: "range",
      seconds: 86_400,
      step: 60,
      quantised: 'avg_over_time(zone_mem_physical_bytes{zone_type=~"clickhouse.*"}[1m])',
    },
  },
  {
    id: "Q4",
    asks: "CPUs in use by each type of zone, hour by hour over the last week",
    oxql: ({ end }) =>
      `get zone_resource:cpu_nsec | filter state != 'waitrq' && timestamp > ${end} - 7d && timestamp <= ${end}` +
      " | align rate(1h) | group_by [zone_type], sum | map datum / 1000000000",
    promql: {
      kind: "range",
      seconds: 604_800,
      step: 3_600,
      quantised: "sum by (zone_type) (avg_over_time(zone_cpu_used[1h]))",
      exact: "sum by (zone_type) (rate(zone_cpu_ns[1h])) / 1e9",
    },
  },
  {
    id: "Q5",
    asks: "the last sample of one zone: CPU, resident and reserved memory",
    oxql: ({ end, zone }) =>
      "{ get zone_resource:cpu_nsec; get zone_resource:memory_resident; get zone_resource:swap_reserved }" +
      ` | filter zone_name == '${zone}' && timestamp > ${end} - 5m && timestamp <= ${end} | last 1`,
    promql: {
      kind: "instant",
      quantised: 'last_over_time({__name__=~"zone_cpu_used|zone_mem_physical_bytes|zone_mem_virtual_bytes",zone="$ZONE"}[5m])',
    },
  },
  {
    id: "Q6",
    asks: "the names of all zones that were there in the last day",
    oxql: ({ end }) => `get zone_resource:memory_resident | filter timestamp > ${end} - 1d && timestamp <= ${end} | last 1`,
    promql: { kind: "labels", seconds: 86_400, quantised: "zone_cpu_used" },
  },
  {
    id: "Q7",
    asks: "zones whose resident memory grew by more than 64 MiB in six hours",
    oxql: ({ end }) =>
      `get zone_resource:memory_resident | filter timestamp > ${end} - 5m || timestamp > ${end} - 365m && timestamp <= ${end} - 6h` +
      ` | filter timestamp <= ${end} | align mean_within(5m) | map datum - ago(datum, 6h) | last 1 | filter datum > 67108864.0`,
    promql: {
      kind: "instant",
      quantised:
        "(max by (sled, zone) (avg_over_time(zone_mem_physical_bytes[5m])) - max by (sled, zone) (avg_over_time(zone_mem_physical_bytes[5m] offset 6h))) > 67108864",
    },
  },
  {
    id: "Q8",
    asks: "percent of its sled's CPUs that every zone used, minute by minute over the last hour",
    oxql: ({ end }) =>
      "{ get zone_resource:cpu_nsec | filter state != 'waitrq' | align rate(1m) | group_by [sled_serial, zone_name], sum" +
      " ; get sled_resource:cpus_online | align mean_within(1m) | group_by [sled_serial], max }" +
      ` | filter timestamp > ${end} - 1h && timestamp <= ${end} | join on [sled_serial] | map cpu_nsec / cpus_online / 10000000`,
    promql: {
      kind: "range",
      seconds: 3_600,
      step: 60,
      quantised: "100 * avg_over_time(zone_cpu_used[1m]) / on(sled) group_left() avg_over_time(sled_cpus_online[1m])",
      exact: "100 * sum by (sled, zone) (rate(zone_cpu_ns[1m])) / 1e9 / on(sled) group_left() avg_over_time(sled_cpus_online[1m])",
    },
  },
];
