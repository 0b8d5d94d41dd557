import { PlainReport } from "./plain-report.ts";
import { ambiguousAmount, isAmbiguous, type Amount } from "./zonestat-amount.ts";
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
/** Metrics whose numbers have fractions. */
const FRACTIONAL: ReadonlySet<string> = new Set(["cpu_used", "cpu_cap"]);
const HALTED = "the zone has halted: zonestat prints 0 for it once more";

/** All rows of one zone in a report. */
interface ZoneRows {
  summary: SummaryRow | null;
  readonly resources: { readonly type: string; readonly row: ResourceRow }[];
  readonly psets: { readonly cpuUsed: number; readonly cpuCap: number | null }[];
}

/** Takes one measurement of a zone. */
export type GiveMeasurement = (metric: string, measurement: Measurement) => void;

const NO_TYPES: ReadonlySet<string> = new Set();

/** Readings by zone name. `[total]` and `[system]` are no zones; `%PART` is not used, as it is half of the truth on some systems. */
export function zonestatReadings(report: ZonestatReport): Map<string, Reading[]> {
  const readings = new Map<string, Reading[]>();
  giveZonestat(report, (zone) => {
    const own: Reading[] = [];
    readings.set(zone, own);
    return (metric, measurement) => {
      const isWhole = typeof measurement === "number" && !FRACTIONAL.has(metric);
      own.push(readingOf(metric, isWhole ? BigInt(measurement) : measurement));
    };
  });
  return readings;
}

/**
 * The same without objects: calls `begin` for each zone, and what that returns for each of its measurements. Amounts may come as numbers without a
 * fraction.
 */
export function giveZonestat(report: ZonestatReport, begin: (zone: string) => GiveMeasurement): void {
  if (report instanceof PlainReport) return givePlain(report, begin);
  const { summary, resources, psets } = report;
  if (resources.length === 0 && psets.length === 0) {
    // What cron leaves: one row for each zone.
    const rows: ZoneRows = { summary: null, resources: [], psets: [] };
    for (const row of summary?.rows ?? []) {
      if (isAggregate(row.zone)) continue;
      rows.summary = row;
      giveZone(rows, report, NO_TYPES, begin(row.zone));
    }
    return;
  }
  const ignoreCaps = new Set(resources.filter((resource) => capsAreUse(resource)).map((resource) => resource.type));
  for (const [zone, rows] of rowsByZone(report)) giveZone(rows, report, ignoreCaps, begin(zone));
}

function givePlain({ rows, first, end }: PlainReport, begin: (zone: string) => GiveMeasurement): void {
  const { zones, cpuUsed, physical, virtual } = rows;
  for (let row = first; row < end; row++) {
    const give = begin(zones[row]!.name);
    give("cpu_used", cpuUsed[row]!);
    give("memory_resident", plainMeasurement(physical[row]!));
    give("swap_reserved", plainMeasurement(virtual[row]!));
  }
}

function plainMeasurement(amount: number): Measurement {
  return amount < 0 ? measured(ambiguousAmount(-amount)) : amount;
}

function rowsByZone(report: ZonestatReport): Map<string, ZoneRows> {
  const zones = new Map<string, ZoneRows>();
  const of = (zone: string): ZoneRows | null => {
    if (isAggregate(zone)) return null;
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

export function isAggregate(zone: string): boolean {
  return zone === "[total]" || zone === "[system]";
}

function giveZone(
  { summary, resources, psets }: ZoneRows,
  report: ZonestatReport,
  ignoreCaps: ReadonlySet<string>,
  give: GiveMeasurement,
): void {
  const halted = isHalted(summary, resources);
  const online = report.summary?.cpusOnline ?? null;
  const used = summary?.cpuUsed ?? (psets.length > 0 ? sumOfHundredths(psets) : null);
  if (used !== null) give("cpu_used", online !== null && used > online ? "more CPUs than are online were printed" : used);
  if (psets.length > 0) give("cpu_cap", psets.find(({ cpuCap }) => cpuCap !== null)?.cpuCap ?? NO_CAP);
  let [givesPhysical, givesVirtual] = [false, false];
  for (const { type, row } of resources) {
    const metrics = RESOURCE_METRICS.get(type);
    if (metrics === undefined) continue;
    if (type === "physical-memory") givesPhysical = true;
    if (type === "virtual-memory") givesVirtual = true;
    give(metrics[0], halted ? HALTED : measured(row.used));
    give(metrics[1], ignoreCaps.has(type) ? "the daemon prints the use for the cap" : measured(row.cap, NO_CAP));
  }
  if (summary !== null && !givesPhysical) give("memory_resident", halted ? HALTED : measured(summary.physicalBytes));
  if (summary !== null && !givesVirtual) give("swap_reserved", halted ? HALTED : measured(summary.virtualBytes));
}

/** A zone that runs has memory of both kinds. */
function isHalted(summary: SummaryRow | null, resources: ZoneRows["resources"]): boolean {
  if (summary !== null && (summary.physicalBytes !== 0n || summary.virtualBytes !== 0n)) return false;
  const isMemory = (type: string): boolean => type === "physical-memory" || type === "virtual-memory";
  if (resources.some(({ type, row }) => isMemory(type) && row.used !== 0n)) return false;
  return summary !== null || resources.some(({ type }) => isMemory(type));
}

/**
 * The daemon of OmniOS reads the use of zone.max-physical-memory for its limit, so that every zone, also `global`, shows a cap that its use
 * fills. Elsewhere most zones have none.
 */
function capsAreUse({ type, rows }: ZonestatResource): boolean {
  if (type !== "physical-memory") return false;
  const zones = rows.filter(({ zone }) => !isAggregate(zone));
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
