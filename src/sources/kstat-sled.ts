import { wholeStat } from "./kstat-readings.ts";
import type { Kstat, KstatSnapshot } from "./kstat-snapshot.ts";
import { readingOf } from "./reading.ts";
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

/**
 * Readings of the sled, where the text has `unix:0:system_pages`, `zfs:0:arcstats` or `cpu_info`; and the kstat that tells the sled's boot, null
 * where none of them is there.
 */
export function sledReadings(snapshot: KstatSnapshot): { readings: Reading[]; of: Kstat | null } {
  const readings: Reading[] = [];
  const find = (module: string, name: string): Kstat | null =>
    snapshot.kstats.find((kstat) => kstat.module === module && kstat.name === name) ?? null;
  const systemPages = find("unix", "system_pages");
  const arcstats = find("zfs", "arcstats");
  const cpus = snapshot.kstats.filter((kstat) => kstat.module === "cpu_info");
  if (systemPages !== null) readings.push(pages("memory_total", systemPages, "physmem"), pages("memory_free", systemPages, "freemem"));
  if (arcstats !== null) readings.push(readingOf("arc_size", wholeStat(arcstats, "size")));
  if (cpus.some((cpu) => cpu.stats.has("state"))) readings.push(readingOf("cpus_online", cpusOnline(cpus)));
  return { readings, of: systemPages ?? arcstats ?? (readings.length > 0 ? cpus[0]! : null) };
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
