const SLED_START_NS = 1_700_000_000_000_000_000n;

/** Twelve readings of a zone: what kstat gives of one. */
const READINGS = [
  ["cpu_nsec", { state: "user" }],
  ["cpu_nsec", { state: "sys" }],
  ["cpu_nsec", { state: "waitrq" }],
  ["memory_resident", {}],
  ["swap_reserved", {}],
  ["memory_locked", {}],
  ["processes", {}],
  ["page_ins", { kind: "anon" }],
  ["page_ins", { kind: "exec" }],
  ["page_ins", { kind: "fs" }],
  ["swap_alloc_failures", {}],
  ["forks_failed", { cause: "cap" }],
];

export const SAMPLES_OF_A_ZONE = READINGS.length;

/** A source of made-up zones that gives `reads` sets of snapshots, ten seconds apart, and then none. */
export function zonesSource(zones, reads) {
  const uuid = (number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
  let read = 0;
  return {
    name: "kstat",
    async read() {
      if (read === reads) return { snapshots: [], diagnostics: [], ended: false };
      read += 1;
      const timestampNs = BigInt(Date.now() - (reads - read) * 10_000) * 1_000_000n;
      const snapshots = Array.from({ length: zones }, (_, zone) => ({
        source: "kstat",
        sled: null,
        timestampNs,
        subject: {
          kind: "zone",
          zoneName: `oxz_crucible_${uuid(zone)}`,
          zoneType: "crucible",
          zoneId: uuid(zone),
          incarnation: `${zone}`,
          startTimeNs: SLED_START_NS + BigInt(zone) * 1_000_000_000n,
        },
        readings: READINGS.map(([metric, labels], place) => ({
          metric,
          labels,
          value: BigInt(read * 7_919_000 + zone * 31 + place) * 4_096n,
        })),
      }));
      return { snapshots, diagnostics: [], ended: false };
    },
    close: async () => undefined,
    get exhausted() {
      return read === reads;
    },
  };
}
