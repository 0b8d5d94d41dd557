import type { FieldCursor } from "./field-cursor.ts";
import { isoBasicTimeNs, unixTimeNs } from "./tool-time.ts";
import type { ReportFooter, ReportHeader } from "./zonestat-open-report.ts";
import type { ReportKind } from "./zonestat-report.ts";

const ISO_BASIC_LENGTH = "YYYYMMDDThhmmssZ".length;
const SECONDS = /^[1-9]\d{0,8}$/;

/**
 * `header:since-last-interval:TIME:COUNT:ELAPSED` of an interval, `header:START:END:INTERVAL:ELAPSED` of a summary report. Times are
 * Unix seconds under `-T u`, else ISO basic. Null where it is damaged.
 */
export function readZonestatHeader(cursor: FieldCursor, kind: ReportKind): ReportHeader | null {
  const at = cursor.at;
  cursor.word();
  const first = cursor.word();
  const timeNs = markTimeNs(cursor.word());
  const number = cursor.whole();
  const elapsedSec = cursor.whole();
  const startTimeNs = kind === "interval" ? null : markTimeNs(first);
  const damaged = cursor.bad || timeNs === null || (kind !== "interval" && startTimeNs === null);
  cursor.at = at;
  if (damaged) return null;
  if (kind === "interval") return { kind, timeNs, startTimeNs, endTimeNs: null, count: number, intervalSec: null, elapsedSec };
  return { kind, timeNs, startTimeNs, endTimeNs: timeNs, count: null, intervalSec: number, elapsedSec };
}

/**
 * `footer:TIMEINTERVAL:ELAPSED`: the tool prints no colon between time and interval. With `-T u` the row's own stamp tells how many digits are
 * the time; otherwise it ends with `Z`. Null where it is damaged.
 */
export function readZonestatFooter(cursor: FieldCursor, kind: ReportKind, stamp: string | null): ReportFooter | null {
  const at = cursor.at;
  cursor.word();
  const glued = cursor.word();
  const elapsedSec = cursor.whole();
  const damaged = cursor.bad;
  cursor.at = at;
  const timeLength = glued.charAt(8) === "T" ? ISO_BASIC_LENGTH : stamp !== null && glued.startsWith(stamp) ? stamp.length : 0;
  const timeNs = markTimeNs(glued.slice(0, timeLength));
  const interval = glued.slice(timeLength);
  if (damaged || timeNs === null || !SECONDS.test(interval)) return null;
  return { kind, timeNs, intervalSec: Number(interval), elapsedSec };
}

function markTimeNs(text: string): bigint | null {
  return isoBasicTimeNs(text) ?? unixTimeNs(text);
}
