import { wholeStat } from "./kstat-readings.ts";
import type { Kstat, KstatSnapshot } from "./kstat-snapshot.ts";
import { readingOf, type Measurement } from "./reading.ts";
import type { Reading } from "./source.ts";

/** Page size of x86, the only processor of the kernels read here. */
const PAGE_BYTES = 4_096n;

/** States of a CPU, and whether threads can run on it. */
const CPU_STATES: ReadonlyMap<string, boolean> = new Map([
  ["on-line", true],
  ["no-intr", true],
  ["off-line", false],
  ["spare", false],
  ["faulted", false],
  ["disabled", false],
  ["powered-off", false],
]);

/** Parts of the VMM reservoir: free, in use, and what was added for guests that did not want to wait for it. */
const RESERVOIR = ["bytes_free", "bytes_alloc", "bytes_transient_alloc"] as const;

/**
 * Readings of the sled, where the text has `unix:0:system_pages`, `unix:0:vminfo`, `zfs:0:arcstats`, `vmm:0:vmm_reservoir` (kernels with bhyve, since
 * 2023) or `cpu_info`; and the kstat that tells the sled's boot, null where none of them is there. `swapFree` measures swap from vminfo.
 */
export function sledReadings(
  snapshot: KstatSnapshot,
  swapFree: (vminfo: Kstat, pageBytes: bigint) => Measurement,
): { readings: Reading[]; of: Kstat | null } {
  const readings: Reading[] = [];
  const find = (module: string, name: string): Kstat | null =>
    snapshot.kstats.find((kstat) => kstat.module === module && kstat.name === name) ?? null;
  const systemPages = find("unix", "system_pages");
  const arcstats = find("zfs", "arcstats");
  const vminfo = find("unix", "vminfo");
  const reservoir = find("vmm", "vmm_reservoir");
  const cpus = snapshot.kstats.filter((kstat) => kstat.module === "cpu_info");
  if (systemPages !== null) readings.push(pages("memory_total", systemPages, "physmem"), pages("memory_free", systemPages, "freemem"));
  if (vminfo !== null) readings.push(readingOf("swap_free", swapFree(vminfo, PAGE_BYTES)));
  if (reservoir !== null) readings.push(readingOf("vmm_reservoir", sumOf(reservoir, RESERVOIR)));
  if (arcstats !== null) readings.push(readingOf("arc_size", wholeStat(arcstats, "size")));
  if (cpus.some((cpu) => cpu.stats.has("state"))) readings.push(readingOf("cpus_online", cpusOnline(cpus)));
  return { readings, of: systemPages ?? arcstats ?? vminfo ?? (readings.length > 0 ? cpus[0]! : null) };
}

function sumOf(kstat: Kstat, statistics: readonly string[]): Measurement {
  let sum = 0n;
  for (const statistic of statistics) {
    const part = wholeStat(kstat, statistic);
    if (typeof part === "string") return part;
    sum += part;
  }
  return sum;
}

function cpusOnline(cpus: readonly Kstat[]): bigint | string {
  const online = cpus.map((cpu) => CPU_STATES.get(cpu.stats.get("state") ?? ""));
  if (online.includes(undefined)) return "the state of a CPU could not be read";
  return BigInt(online.filter((isOnline) => isOnline === true).length);
}

function pages(metric: string, kstat: Kstat, statistic: string): Reading {
  const count = wholeStat(kstat, statistic);
  return readingOf(metric, typeof count === "string" ? count : count * PAGE_BYTES);
}
