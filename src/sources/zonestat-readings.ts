import { isAmbiguous, type Amount } from "./zonestat-amount.ts";
import type { ResourceRow, SummaryRow, ZonestatReport, ZonestatResource } from "./zonestat-report.ts";
import { NO_CAP, readingOf, type Measurement } from "./reading.ts";
import type { Reading } from "./source.ts";

/** Metric of use and of cap for each resource that has them. */
const RESOURCE_METRICS: ReadonlyMap<string, readonly [used: string, cap: string]> = new Map([
  ["physical-memory", ["memory_resident", "memory_resident_cap"]],
  ["virtual-memory", ["swap_reserved", "swap_reserved_cap"]],
  ["locked-memory", ["memory_locked", "memory_locked_cap"]],
  ["processes", ["processes", "processes_cap"]],
]);

/** A physical cap within this share of the use is taken for the use itself (see `capsAreUse`). */
const NEAR_USE = 0.1;
const HALTED = "the zone has halted: zonestat prints 0 for it once more";

/** All rows of one zone in a report. */
interface ZoneRows {
  summary: SummaryRow | null;
  readonly resources: { readonly type: string; readonly row: ResourceRow }[];
  readonly psets: { readonly cpuUsed: number; readonly cpuCap: number | null }[];
}

/** Readings by zone name. `[total]` and `[system]` are no zones; `%PART` is not used, as it is half of the truth on some systems. */
export function zonestatReadings(report: ZonestatReport): Map<string, Reading[]> {
  const ignoreCaps = new Set(report.resources.filter((resource) => capsAreUse(resource)).map((resource) => resource.type));
  const readings = new Map<string, Reading[]>();
  for (const [zone, rows] of rowsByZone(report)) readings.set(zone, zoneReadings(rows, report, ignoreCaps));
  return readings;
}

function rowsByZone(report: ZonestatReport): Map<string, ZoneRows> {
  const zones = new Map<string, ZoneRows>();
  const of = (zone: string): ZoneRows | null => {
    if (zone === "[total]" || zone === "[system]") return null;
    const known = zones.get(zone);
    if (known !== undefined) return known;
    const rows: ZoneRows = { summary: null, resources: [], psets: [] };
    zones.set(zone, rows);
    return rows;
  };
  for (const row of report.summary?.rows ?? []) {
    const rows = of(row.zone);
    if (rows !== null) rows.summary = row;
  }
  for (const { type, rows } of report.resources) for (const row of rows) of(row.zone)?.resources.push({ type, row });
  for (const { rows } of report.psets) for (const row of rows) of(row.zone)?.psets.push(row);
  return zones;
}

function zoneReadings({ summary, resources, psets }: ZoneRows, report: ZonestatReport, ignoreCaps: ReadonlySet<string>): Reading[] {
  const readings: Reading[] = [];
  const given = new Set<string>();
  const halted = isHalted(summary, resources);
  const online = report.summary?.cpusOnline ?? null;
  const used = summary?.cpuUsed ?? (psets.length > 0 ? sumOfHundredths(psets) : null);
  if (used !== null)
    readings.push(readingOf("cpu_used", online !== null && used > online ? "more CPUs than are online were printed" : used));
  if (psets.length > 0) readings.push(readingOf("cpu_cap", psets.find(({ cpuCap }) => cpuCap !== null)?.cpuCap ?? NO_CAP));
  for (const { type, row } of resources) {
    const metrics = RESOURCE_METRICS.get(type);
    if (metrics === undefined) continue;
    given.add(type);
    readings.push(readingOf(metrics[0], halted ? HALTED : measured(row.used)));
    readings.push(readingOf(metrics[1], ignoreCaps.has(type) ? "the daemon prints the use for the cap" : measured(row.cap, NO_CAP)));
  }
  if (summary !== null && !given.has("physical-memory"))
    readings.push(readingOf("memory_resident", halted ? HALTED : measured(summary.physicalBytes)));
  if (summary !== null && !given.has("virtual-memory"))
    readings.push(readingOf("swap_reserved", halted ? HALTED : measured(summary.virtualBytes)));
  return readings;
}

/** A zone that runs has memory of both kinds. */
function isHalted(summary: SummaryRow | null, resources: ZoneRows["resources"]): boolean {
  const amounts = resources.filter(({ type }) => type === "physical-memory" || type === "virtual-memory").map(({ row }) => row.used);
  if (summary !== null) amounts.push(summary.physicalBytes, summary.virtualBytes);
  return amounts.length > 0 && amounts.every((amount) => amount === 0n);
}

/**
 * The daemon of OmniOS reads the use of zone.max-physical-memory for its limit, so that every zone, also `global`, shows a cap that its use
 * fills. Elsewhere most zones have none.
 */
function capsAreUse({ type, rows }: ZonestatResource): boolean {
  if (type !== "physical-memory") return false;
  const zones = rows.filter(({ zone }) => zone !== "[total]" && zone !== "[system]");
  if (zones.some(({ zone, cap }) => zone === "global" && cap !== null)) return true;
  const near = zones.filter(({ capFraction }) => typeof capFraction === "number" && Math.abs(capFraction - 1) <= NEAR_USE);
  return zones.length > 0 && near.length === zones.length;
}

function measured(amount: Amount, none = "zonestat printed no amount"): Measurement {
  if (typeof amount === "bigint") return amount;
  if (amount === null) return none;
  if (!isAmbiguous(amount)) return `zonestat printed ${amount.printed}, which cannot be`;
  const [kib, dotless] = [amount.asKiB, amount.asMissingDot];
  return `printed without its decimal point: ${dotless[0]} to ${dotless[1]} or ${kib[0]} to ${kib[1]}`;
}

function sumOfHundredths(rows: readonly { readonly cpuUsed: number }[]): number {
  return Math.round(rows.reduce((sum, row) => sum + row.cpuUsed * 100, 0)) / 100;
}
