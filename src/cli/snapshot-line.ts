import { formatRfc3339 } from "../core/index.ts";
import type { Snapshot } from "../sources/index.ts";
import type { ExactJson } from "../wire/index.ts";

/** A snapshot as `zonemeter sample` prints it: one JSON object whose 64-bit integers are bare digits. */
export function snapshotObject(snapshot: Snapshot): Record<string, ExactJson> {
  const { subject, sled } = snapshot;
  return {
    source: snapshot.source,
    subject: subject.kind,
    ...(sled === null ? {} : { sled_serial: sled.sledSerial }),
    ...(subject.kind === "zone"
      ? { zone_name: subject.zoneName, zone_type: subject.zoneType, zone_id: subject.zoneId, incarnation: subject.incarnation }
      : {}),
    start_time: subject.startTimeNs === 0n ? null : formatRfc3339(subject.startTimeNs),
    timestamp: formatRfc3339(snapshot.timestampNs),
    readings: snapshot.readings.map((reading) =>
      reading.value === null
        ? { metric: reading.metric, labels: reading.labels, value: null, reason: reading.reason }
        : { metric: reading.metric, labels: reading.labels, value: reading.value },
    ),
  };
}
