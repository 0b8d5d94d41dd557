import type { PrstatReport } from "./prstat-text.ts";
import { readingOf } from "./reading.ts";
import type { Diagnostic, SledIdentity, Snapshot } from "./source.ts";
import { splitZoneName } from "./zone-name.ts";

export interface PrstatContext {
  readonly sled: SledIdentity | null;
  /** The full name of a zone whose name was cut, by its id, where somebody knows it. */
  zoneNameOf?(zoneId: number): string | null;
  /** The stamp of a zone; `reportTimeNs` is null where the text has no time. */
  stampOf(zoneName: string, reportTimeNs: bigint | null): bigint;
}

/**
 * Turns one sample of `prstat -Z` into a snapshot of each zone: what getvmusage counts, rounded by the tool to four digits of its unit. It tells
 * no creation time and gives no counters (TIME falls when a process exits): the incarnation is name and id, the start time 0. Zones without a full name are
 * left out.
 */
export function snapshotsFromPrstat(report: PrstatReport, context: PrstatContext): { snapshots: Snapshot[]; diagnostics: Diagnostic[] } {
  const snapshots: Snapshot[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const zone of report.zones) {
    const zoneName = zone.zoneName ?? context.zoneNameOf?.(zone.zoneId) ?? null;
    if (zoneName === null) {
      const text = `Zone ${zone.zoneId} is left out: its name was ${zone.zoneNamePrefix === null ? "gone" : `cut to ${zone.zoneNamePrefix}`}.`;
      diagnostics.push({ code: "zone-skipped", text, line: report.line });
      continue;
    }
    snapshots.push({
      source: "vmusage",
      subject: { kind: "zone", zoneName, ...splitZoneName(zoneName), incarnation: `${zoneName}/${zone.zoneId}`, startTimeNs: 0n },
      sled: context.sled,
      timestampNs: context.stampOf(zoneName, report.timeNs),
      readings: [
        readingOf("memory_resident", zone.rssBytes),
        readingOf("swap_reserved", zone.swapBytes),
        readingOf("processes", BigInt(zone.nproc)),
      ],
    });
  }
  return { snapshots, diagnostics };
}
