import { z } from "zod";
import { formatRfc3339, messageOf, parseRfc3339, SNAPSHOT_LINE_MAX_READINGS } from "../core/index.ts";
import { parseExactJson, type ExactJson } from "../wire/index.ts";
import { SOURCE_NAMES, type Reading, type Snapshot, type SourceName } from "./source.ts";
import { splitZoneName } from "./zone-name.ts";

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

/** A snapshot read back. Its sled is told by the serial number at most, which live sources leave out. */
export interface PrintedSnapshot extends Omit<Snapshot, "sled"> {
  readonly sledSerial: string | null;
}

/** Sources whose counters begin somewhere; the others give gauges alone and print no start. */
const WITH_START: ReadonlySet<SourceName> = new Set(["kstat", "cgroup"]);
const NAME_MAX = 8_192;
const I64_MAX = 2n ** 63n - 1n;
const U64_MAX = 2n ** 64n - 1n;

const time = z.string().transform((text, context) => {
  const ns = parseRfc3339(text);
  if (ns !== null && ns > 0n && ns <= I64_MAX) return ns;
  context.addIssue("is not a time");
  return z.NEVER;
});
const name = z.string().min(1).max(NAME_MAX);
const word = z.string().regex(/^[A-Za-z0-9_]{1,64}$/);
const whole = (value: bigint): boolean => value >= -I64_MAX && value <= U64_MAX;
const value = z.union([z.bigint().refine(whole), z.number().transform((each) => (Number.isSafeInteger(each) ? BigInt(each) : each))]);
const measured = { metric: word, labels: z.record(word, word) };
const readings = z
  .array(z.union([z.object({ ...measured, value }), z.object({ ...measured, value: z.null(), reason: z.string().max(NAME_MAX) })]))
  .max(SNAPSHOT_LINE_MAX_READINGS);
const common = {
  source: z.enum(SOURCE_NAMES).exclude(["replay"]),
  sled_serial: name.optional(),
  start_time: time.nullable(),
  timestamp: time,
  readings,
};
const printed = z.discriminatedUnion("subject", [
  z.object({ subject: z.literal("sled"), ...common }),
  z.object({ subject: z.literal("zone"), ...common, zone_name: name, zone_type: z.string(), zone_id: z.string(), incarnation: name }),
]);

/** Reads what `snapshotObject` made; a text where it is none, in words that go behind "it is no snapshot: ". */
export function readSnapshotLine(text: string): PrintedSnapshot | string {
  let json: unknown;
  try {
    json = parseExactJson(text);
  } catch (error) {
    return messageOf(error);
  }
  const checked = printed.safeParse(json);
  if (!checked.success) {
    const { path, message } = checked.error.issues[0]!;
    return `${path.length === 0 ? "it" : path.join(".")}: ${message}`;
  }
  const { source, sled_serial: sledSerial = null, start_time: started, timestamp: timestampNs, readings: list } = checked.data;
  if (started === null && WITH_START.has(source)) return `start_time is missing, which ${source} always has`;
  const startTimeNs = started ?? 0n;
  if (startTimeNs >= timestampNs) return "it began after its own time";
  const common = { source, sledSerial, timestampNs, readings: list as readonly Reading[] };
  if (checked.data.subject === "sled") return { ...common, subject: { kind: "sled", startTimeNs } };
  const { zone_name: zoneName, zone_type: zoneType, zone_id: zoneId, incarnation } = checked.data;
  const own = splitZoneName(zoneName);
  if (own.zoneType !== zoneType || own.zoneId !== zoneId) return `zone_type and zone_id are not those of ${zoneName}`;
  return { ...common, subject: { kind: "zone", zoneName, zoneType, zoneId, incarnation, startTimeNs } };
}
