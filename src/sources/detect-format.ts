import { FORMAT_PROBE_BYTES } from "../core/index.ts";
import { BYTE_ORDER_MARK } from "./line-splitter.ts";

export type TextFormat = "kstat-p" | "kstat-j" | "zonestat-p" | "zonestat-human" | "prstat-Z" | "snapshots";

const ZONESTAT_P = /^(?:(?:\d{1,12}|\d{8}T\d{6}Z):)?(?:interval|report-[a-z]+):[a-z]/;
const ZONESTAT_HUMAN =
  /^SUMMARY +Cpus\/Online: |(?:^|, )Interval: \d+, Duration: |(?:^|, )Report: (?:High|Average|Total) Usage$|^Collecting data for first interval/;
const PRSTAT = /^ *(?:PID +USERNAME|ZONEID +NPROC)\b/;
const KSTAT_P = /^[^:\s][^:\t]*:-?\d+:[^\t]*:[^:\t]+\t/;
const KSTAT_P_COLONS = /^[A-Za-z_]\w*:-?\d+:[^:\t]*:[^:\t]+:/;
const SNAPSHOT = /^\{"source":"[a-z]+","subject":"(?:zone|sled)",/;
const KSTAT_J = /^\[(?:,? *\{|\]|,)|^\[$/;

/**
 * Tells which tool, or `zonemeter sample`, printed a text, from its first lines (FORMAT_PROBE_BYTES are enough). Null where none of them did; empty lines, time lines and
 * error messages of the tools tell nothing. Another system's human zonestat is `zonestat-human` too: its reader refuses it.
 */
export function detectFormat(head: Uint8Array): TextFormat | null {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, FORMAT_PROBE_BYTES)).toString("latin1");
  const start = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  for (const raw of text.slice(start).split("\n")) {
    const line = raw.replace(/^\r+|\r$/g, "");
    if (ZONESTAT_P.test(line)) return "zonestat-p";
    if (KSTAT_P.test(line)) return "kstat-p";
    if (SNAPSHOT.test(line)) return "snapshots";
    if (KSTAT_J.test(line)) return "kstat-j";
    if (PRSTAT.test(line)) return "prstat-Z";
    if (ZONESTAT_HUMAN.test(line.trim())) return "zonestat-human";
    if (KSTAT_P_COLONS.test(line)) return "kstat-p";
  }
  return null;
}

/** gzip's own first bytes. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}
