import type { Diagnostic, Reading, SledIdentity, Snapshot } from "./source.ts";
import { readingOf } from "./reading.ts";
import { PlainReport } from "./plain-report.ts";
import { isAmbiguous, type Amount } from "./zonestat-amount.ts";
import { zonestatReadings } from "./zonestat-readings.ts";
import type { ZonestatReport } from "./zonestat-report.ts";
import { splitZoneName } from "./zone-name.ts";

export interface ZonestatContext {
  /** Where the numbers are of another sled than the producer's own. */
  readonly sled: SledIdentity | null;
  /** The stamp of a subject ("" is the sled), from the time that the report carries. */
  stampOf(subjectKey: string, reportTimeNs: bigint): bigint;
}

/**
 * Turns one interval report into a snapshot of each zone and of the sled. zonestat tells neither a zone's creation nor its id and gives no counters: the
 * incarnation is the name alone, and its start time, which no gauge uses, is 0. Reports that are not whole, that overlap another run's,
 * or that sum up intervals (the tool computes those wrongly) give nothing but a diagnostic.
 */
export function snapshotsFromZonestat(
  report: ZonestatReport,
  context: ZonestatContext,
): { snapshots: Snapshot[]; diagnostics: Diagnostic[] } {
  const withheld = reasonToWithhold(report);
  if (withheld !== null || report.timeNs === null) {
    return {
      snapshots: [],
      diagnostics: [{ code: "report-withheld", text: `A report is withheld: ${withheld ?? "it has no time"}.`, line: report.line }],
    };
  }
  const snapshots: Snapshot[] = [];
  const add = (subject: Snapshot["subject"], subjectKey: string, readings: readonly Reading[]): void => {
    snapshots.push({ source: "zonestat", subject, sled: context.sled, timestampNs: context.stampOf(subjectKey, report.timeNs!), readings });
  };
  for (const [zoneName, readings] of zonestatReadings(report)) {
    add({ kind: "zone", zoneName, ...splitZoneName(zoneName), incarnation: zoneName, startTimeNs: 0n }, zoneName, readings);
  }
  const sled = sledReadings(report);
  if (sled.length > 0) add({ kind: "sled", startTimeNs: 0n }, "", sled);
  return { snapshots, diagnostics: [] };
}

/** Why nothing of a report is used, or null. */
export function reasonToWithhold(report: ZonestatReport): string | null {
  if (report.standing === "overlapping") return "another run wrote into it, and rows do not tell whose they are";
  if (report.standing === "incomplete") return "its end is missing";
  if (report.kind !== "interval") return `zonestat computes a ${report.kind} wrongly; interval reports are used`;
  return null;
}

export function sledReadings(report: ZonestatReport): Reading[] {
  if (report instanceof PlainReport) {
    return [readingOf("cpus_online", BigInt(report.cpusOnline)), readingOf("memory_total", BigInt(report.memoryTotalBytes))];
  }
  const { summary, resources } = report;
  const readings: Reading[] = [];
  if (summary?.cpusOnline != null) readings.push(readingOf("cpus_online", BigInt(summary.cpusOnline)));
  const total: Amount = summary?.physicalBytes ?? resources.find(({ type }) => type === "physical-memory")?.total ?? null;
  if (total !== null)
    readings.push(
      readingOf("memory_total", typeof total === "bigint" ? total : isAmbiguous(total) ? "its decimal point is lost" : "it cannot be"),
    );
  return readings;
}
