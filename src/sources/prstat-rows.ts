import type { NamePool } from "./name-pool.ts";

/** One zone of `prstat -Z`. Sizes are rounded above 9999K, by half a unit at most. */
export interface PrstatZone {
  readonly zoneId: number;
  readonly nproc: number;
  /** Swap reserved and resident memory as getvmusage counts them. */
  readonly swapBytes: bigint;
  readonly rssBytes: bigint;
  /** Share of RAM; 1 is all of it. */
  readonly memFraction: number;
  /** Of the processes that live now: falls when one exits, so it is no counter. */
  readonly cpuTimeSec: number;
  /** The nine characters of its column did not hold all of it: a lower bound. */
  readonly cpuTimeTruncated: boolean;
  /** Recent use, decayed, as a share of all CPUs. */
  readonly cpuFraction: number;
  /** Null where it was cut, and where the zone is gone and its id stands in its place. */
  readonly zoneName: string | null;
  /** What is visible of a name that was cut. */
  readonly zoneNamePrefix: string | null;
}

export interface PrstatTotal {
  readonly processes: number;
  readonly lwps: number;
  /** Over 1, 5 and 15 minutes. */
  readonly loadAverages: readonly [number, number, number];
}

const ROW =
  /^ *(\d{1,9}) +(\d{1,9}) +(\d{1,5}[KMGTPE]) +(\d{1,5}[KMGTPE]) +(\d{1,3}(?:[.,]\d)?)% +([\d:]{7,9}) +(\d{1,3}(?:[.,]\d)?)% +((\S{1,64}) *)$/;
const TOTAL = /^Total: (\d{1,9}) processes, (\d{1,9}) lwps, load averages: (\d{1,6}[.,]\d\d), (\d{1,6}[.,]\d\d), (\d{1,6}[.,]\d\d)$/;
const UNITS = "KMGTPE";
const CUT_MARK = "*";
const TIME_WIDTH = 9;

/** The last column is padded to this; a longer name is printed whole. */
export const ZONE_WIDTH = 28;

/** The titles as the tool prints them; all but the last stand, as the numbers do, at the right of their columns. */
export const PRSTAT_TITLES = "ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE";
const COLUMN_ENDS = [6, 15, 21, 27, 34, 44, 49];

/** Each number ends where its column does; a row that lost or got a character does not fit any more. */
export function isAligned(text: string): boolean {
  return COLUMN_ENDS.every((end) => text[end - 1] !== " " && text[end] === " ") && text[COLUMN_ENDS.at(-1)! + 1] !== " ";
}

/** `ZONEID NPROC SWAP RSS MEMORY TIME CPU ZONE`, with the blanks behind it. Null where the row is damaged or cut. */
export function readPrstatRow(text: string, names: NamePool): { readonly row: PrstatZone; readonly comma: boolean } | null {
  const match = ROW.exec(text);
  if (match === null) return null;
  const [, id, nproc, swap, rss, memory, time, cpu, column, name] = match as unknown as string[];
  const swapBytes = sizeBytes(swap!);
  const rssBytes = sizeBytes(rss!);
  const cpuTime = cpuTimeOf(time!);
  const zoneName = nameOf(name!, id!, names);
  if (column!.length < ZONE_WIDTH || swapBytes === null || rssBytes === null || cpuTime === null || zoneName === null) return null;
  if (hasLeadingZero(id!) || hasLeadingZero(nproc!) || hasLeadingZero(memory!) || hasLeadingZero(cpu!)) return null;
  return {
    row: {
      zoneId: Number(id),
      nproc: Number(nproc),
      swapBytes,
      rssBytes,
      memFraction: decimal(memory!) / 100,
      cpuTimeSec: cpuTime.seconds,
      cpuTimeTruncated: cpuTime.truncated,
      cpuFraction: decimal(cpu!) / 100,
      ...zoneName,
    },
    comma: memory!.includes(",") || cpu!.includes(","),
  };
}

/** `Total: P processes, L lwps, load averages: A, B, C`. Null where it is damaged. */
export function readPrstatTotal(text: string): { readonly of: PrstatTotal; readonly comma: boolean } | null {
  const match = TOTAL.exec(text);
  if (match === null || match.slice(1).some(hasLeadingZero)) return null;
  const [, processes, lwps, one, five, fifteen] = match as unknown as string[];
  return {
    of: { processes: Number(processes), lwps: Number(lwps), loadAverages: [decimal(one!), decimal(five!), decimal(fifteen!)] },
    comma: one!.includes(",") || five!.includes(",") || fifteen!.includes(","),
  };
}

/** Sizes count KiB and go to the next unit above 9999. */
function sizeBytes(text: string): bigint | null {
  const digits = text.slice(0, -1);
  if (digits.length > 4 || hasLeadingZero(digits)) return null;
  return BigInt(digits) << BigInt(10 * (UNITS.indexOf(text.at(-1)!) + 1));
}

/**
 * `H:MM:SS`, cut to nine characters: from 1000 hours on digits of the seconds are missing at its end, later of the minutes. What is missing
 * counts as 0.
 */
function cpuTimeOf(text: string): { readonly seconds: number; readonly truncated: boolean } | null {
  const match = /^(\d{1,9}):(?:(\d\d?)(?::(\d{0,2}))?)?$/.exec(text);
  if (match === null || hasLeadingZero(match[1]!)) return null;
  const minutes = (match[2] ?? "").padEnd(2, "0");
  const seconds = (match[3] ?? "").padEnd(2, "0");
  const truncated = (match[2]?.length ?? 0) < 2 || (match[3]?.length ?? 0) < 2;
  if ((truncated && text.length !== TIME_WIDTH) || (match[3] !== undefined && match[2]!.length < 2)) return null;
  if (Number(minutes) > 59 || Number(seconds) > 59) return null;
  return { seconds: Number(match[1]) * 3_600 + Number(minutes) * 60 + Number(seconds), truncated };
}

function nameOf(name: string, id: string, names: NamePool): Pick<PrstatZone, "zoneName" | "zoneNamePrefix"> | null {
  const isCut = name.endsWith(CUT_MARK);
  const pooled = names.get(isCut ? name.slice(0, -1) : name);
  if (!pooled.isZone) return null;
  if (isCut) return { zoneName: null, zoneNamePrefix: pooled.name };
  return { zoneName: name === id ? null : pooled.name, zoneNamePrefix: null };
}

/** The tool never prints one, so a row that has one lost something. */
function hasLeadingZero(text: string): boolean {
  return /^0\d/.test(text);
}

function decimal(text: string): number {
  return Number(text.replace(",", "."));
}
