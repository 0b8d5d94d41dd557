import { NS_PER_SECOND, TEXT_REPORT_MAX_ROWS } from "../core/index.ts";
import { ByteFields, NOT_PLAIN } from "./byte-fields.ts";
import type { NamePool } from "./name-pool.ts";
import { PlainReport, type PlainRows } from "./plain-report.ts";
import { isoBasicTimeNs } from "./tool-time.ts";
import { ZoneLookup } from "./zone-lookup.ts";

const LF = 10;
const COLON = 58;
const BRACKET = 91;

/** The start of every row as little-endian words and a colon. */
const INTE = wordOf("inte");
const RVAL = wordOf("rval");
const SUMM = wordOf(":sum");
const MARY = wordOf("mary");
const SUMMARY_LENGTH = "interval:summary:".length;
const HEADER = Buffer.from("interval:header:since-last-interval:");
const FOOTER = Buffer.from("interval:footer:");
const RESOURCE = Buffer.from("[resource]:");
const TOTAL = Buffer.from("[total]:");
const SYSTEM = Buffer.from("[system]:");

/** Bytes of a row for which there is room in all of a chunk: real ones take twice as many. Where they are shorter the other reader takes the rest. */
const ROW_BYTES = 64;

const ISO_LENGTH = "YYYYMMDDThhmmssZ".length;
const HOUR_LENGTH = "YYYYMMDDThh".length;

/**
 * Reads plain reports out of bytes, at several times the pace of `ZonestatReader`, which makes an object of every row. It decides nothing: where a byte is
 * not as expected the report is left, from its header on, to that reader, which gives the same for plain ones.
 */
export class PlainScanner {
  readonly #fields = new ByteFields();
  readonly #names: NamePool;
  readonly #zones: ZoneLookup;
  #rows: PlainRows = rowsFor(0);
  #count = 0;
  #hasTotal = false;
  #hasSystem = false;
  #hour = "";
  #hourNs = 0n;

  /** Takes names from the pool of the reader that reads the rest. */
  constructor(names: NamePool) {
    this.#names = names;
    this.#zones = new ZoneLookup(names);
  }

  /** The chunk that `scan` reads next. What was read of the last one stays. */
  begin(chunk: Uint8Array): void {
    this.#fields.set(chunk);
    this.#rows = rowsFor(Math.floor(chunk.length / ROW_BYTES) + 1);
    this.#count = 0;
  }

  /** The report that begins at `start`, the place behind it, and how many lines it has; null where it is not plain, or not all there. */
  scan(start: number, line: number): { readonly report: PlainReport; readonly end: number; readonly lines: number } | null {
    const fields = this.#fields;
    const { bytes, value } = fields;
    const first = this.#count;
    const timeAt = fields.literal(start, HEADER);
    const timeNs = timeAt === NOT_PLAIN ? null : this.#time(timeAt);
    if (timeNs === null) return null;
    let at = fields.whole(timeAt + ISO_LENGTH + 1, COLON);
    const count = value[0]!;
    const elapsedAt = at;
    at = fields.whole(at, LF);
    const elapsedSec = value[0]!;
    const elapsedLength = at - elapsedAt;
    at = fields.whole(fields.whole(fields.literal(this.#summary(at), RESOURCE), COLON), COLON);
    const cpusOnline = value[0]!;
    at = fields.total(at, COLON, false);
    const memoryTotalBytes = value[0]!;
    at = fields.total(at, LF, true);
    const virtualTotalBytes = value[0]!;
    if (at === NOT_PLAIN) return null;
    const table = this.#names.newTable();
    let rowCount = 0;
    this.#hasTotal = false;
    this.#hasSystem = false;
    for (;;) {
      const nameAt = this.#summary(at);
      if (nameAt === NOT_PLAIN) break;
      at =
        bytes[nameAt] === BRACKET
          ? this.#aggregateRow(nameAt)
          : this.#zoneRow(nameAt, table, cpusOnline, memoryTotalBytes, virtualTotalBytes);
      rowCount += 1;
      if (at === NOT_PLAIN || rowCount > TEXT_REPORT_MAX_ROWS) return this.#leave(first);
    }
    // `interval:footer:TIMEINTERVAL:ELAPSED`
    at = fields.literal(at, FOOTER);
    if (!fields.same(at, timeAt, ISO_LENGTH)) return this.#leave(first);
    at = fields.whole(at + ISO_LENGTH, COLON);
    const intervalSec = value[0]!;
    if (intervalSec === 0 || !fields.same(at, elapsedAt, elapsedLength)) return this.#leave(first);
    const end = at + elapsedLength;
    const shared = { rows: this.#rows, first, end: this.#count, text: bytes.subarray(start, end) };
    const report = new PlainReport({ timeNs, count, intervalSec, elapsedSec, rowCount, line, cpusOnline, memoryTotalBytes, ...shared });
    return { report, end, lines: rowCount + 3 };
  }

  #leave(first: number): null {
    this.#count = first;
    this.#rows.zones.length = first;
    return null;
  }

  /** `ZONE:CPU:%PART:%CAP:%SHRU:PHYS:PCT:%CAP:VIRT:PCT:%CAP` */
  #zoneRow(start: number, table: number, cpusOnline: number, physicalTotal: number, virtualTotal: number): number {
    const fields = this.#fields;
    const { value } = fields;
    const zone = this.#zones.read(fields.bytes, fields.view, start);
    if (zone === null || zone.table === table) return NOT_PLAIN;
    let at = fields.hundredths(start + zone.printedLength + 1);
    const used = value[0]!;
    at = fields.percent(fields.percent(fields.percent(fields.colon(at))));
    at = fields.amount(at, false);
    const physical = value[0]!;
    at = fields.amount(fields.percent(fields.percent(at)), true);
    const virtual = value[0]!;
    at = fields.lastPercent(fields.percent(at));
    // The last is what the tool prints of a zone that has halted.
    if (at === NOT_PLAIN || used > 100 * cpusOnline || physical > physicalTotal + 1_023 || virtual > virtualTotal + 1_023) return NOT_PLAIN;
    if (physical === 0 && virtual === 0) return NOT_PLAIN;
    const rows = this.#rows;
    const row = this.#count;
    if (row >= rows.cpuUsed.length) return NOT_PLAIN;
    zone.table = table;
    rows.zones.push(zone);
    rows.cpuUsed[row] = used / 100;
    rows.physical[row] = physical;
    rows.virtual[row] = virtual;
    this.#count = row + 1;
    return at;
  }

  /** `[total]` and `[system]` are no zones, but the other reader tells of it where they are damaged or come twice. */
  #aggregateRow(start: number): number {
    const fields = this.#fields;
    let at = fields.literal(start, TOTAL);
    const isTotal = at !== NOT_PLAIN;
    if (!isTotal) at = fields.literal(start, SYSTEM);
    if (isTotal ? this.#hasTotal : this.#hasSystem) return NOT_PLAIN;
    if (isTotal) this.#hasTotal = true;
    else this.#hasSystem = true;
    at = fields.percent(fields.percent(fields.percent(fields.colon(fields.hundredths(at)))));
    at = fields.percent(fields.percent(fields.aggregateAmount(at)));
    return fields.lastPercent(fields.percent(fields.aggregateAmount(at)));
  }

  /** Behind `interval:summary:`. */
  #summary(at: number): number {
    const { limit, view } = this.#fields;
    if (at === NOT_PLAIN || at + SUMMARY_LENGTH > limit) return NOT_PLAIN;
    const isOne =
      view.getUint32(at, true) === INTE &&
      view.getUint32(at + 4, true) === RVAL &&
      view.getUint32(at + 8, true) === SUMM &&
      view.getUint32(at + 12, true) === MARY;
    return isOne ? this.#fields.colon(at + 16) : NOT_PLAIN;
  }

  /** `YYYYMMDDThhmmssZ` and a colon. Most are of the hour of the one before. */
  #time(at: number): bigint | null {
    const { bytes, limit } = this.#fields;
    if (at + ISO_LENGTH >= limit || bytes[at + ISO_LENGTH] !== COLON) return null;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, ISO_LENGTH).toString("latin1");
    const [, minute, second] = /^([0-5]\d)([0-5]\d)Z$/.exec(text.slice(HOUR_LENGTH)) ?? [];
    if (minute === undefined) return null;
    const hour = text.slice(0, HOUR_LENGTH);
    if (hour !== this.#hour) {
      const hourNs = isoBasicTimeNs(`${hour}0000Z`);
      if (hourNs === null) return null;
      [this.#hour, this.#hourNs] = [hour, hourNs];
    }
    return this.#hourNs + BigInt(60 * Number(minute) + Number(second)) * NS_PER_SECOND;
  }
}

function rowsFor(most: number): PlainRows {
  return { zones: [], cpuUsed: new Float64Array(most), physical: new Float64Array(most), virtual: new Float64Array(most) };
}

function wordOf(text: string): number {
  return Buffer.from(text).readUInt32LE(0);
}
