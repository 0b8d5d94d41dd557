import type { NamePool } from "./name-pool.ts";
import { NO_PERCENT_FROM } from "./field-cursor.ts";
import {
  ambiguousAmount,
  isDoubtfulToken,
  LARGEST_PLAIN_AMOUNT,
  SMALLEST_KIB_TOKEN,
  type Amount,
  type Fraction,
} from "./zonestat-amount.ts";
import type { SummaryRow } from "./zonestat-report.ts";

const AMOUNT = /^(0|[1-9]\d{0,3})(?:\.(\d))?([KMGTPE])?$/;
const CPUS = /^(?:0|[1-9]\d{0,5})(?:\.\d{1,2})?$/;
const PERCENT = /^(0|[1-9]\d{0,8})(?:\.(\d{1,2}))?%$/;
const UNITS = "KMGTPE";

/** Columns of a zone's row, its name among them. */
export const SUMMARY_COLUMNS = 11;

/** Width of a column; a percent that needs more takes it. */
const COLUMN_WIDTH = 5;

/**
 * Whether a line stands as the tool prints it: the name at the right of its column of `nameWidth`, a blank and at least five characters for each
 * number. A line that lost or got a character does not.
 */
export function isAligned(line: string, columns: readonly string[], nameWidth: number): boolean {
  const [name, ...others] = columns;
  return line === name!.padStart(nameWidth) + others.map((column) => ` ${column.padStart(COLUMN_WIDTH)}`).join("");
}

/** An amount in five columns, and the most it can stand for, as it was cut to what is printed. Null where it is damaged. */
interface HumanAmount {
  readonly amount: Amount;
  readonly most: bigint | null;
}

/** `8192`, `411K`, `11.4G`, `-`. */
export function humanAmount(text: string, wholePages: boolean): HumanAmount | null {
  if (text === "-") return { amount: null, most: null };
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  const [, whole, tenth, suffix] = match;
  const value = Number(whole);
  if (suffix === undefined) {
    if (tenth !== undefined || value > LARGEST_PLAIN_AMOUNT) return null;
    return { amount: BigInt(value), most: BigInt(value) };
  }
  if (suffix === "K" && tenth === undefined) {
    if (value < SMALLEST_KIB_TOKEN) return null;
    if (isDoubtfulToken(value, wholePages)) {
      const amount = ambiguousAmount(value);
      return { amount, most: amount.asKiB[1] };
    }
  }
  const unit = 1n << BigInt(10 * (UNITS.indexOf(suffix) + 1));
  const tenths = BigInt(value) * 10n + BigInt(tenth ?? "0");
  const step = tenth === undefined ? 10n : 1n;
  return { amount: (tenths * unit) / 10n, most: ((tenths + step) * unit - 1n) / 10n };
}

/** `98.7%`, `2.57%`, `329%`, `-`. Undefined where it is damaged. */
function humanPercent(text: string): Fraction | undefined {
  if (text === "-") return null;
  const match = PERCENT.exec(text);
  if (match === null) return undefined;
  const hundredths = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  return Number(match[1]) >= NO_PERCENT_FROM ? null : hundredths / 10_000;
}

/**
 * `ZONE USED %PART %CAP %SHRU USED PCT %CAP USED PCT %CAP`. Null where the row is damaged; a row with one blank too many has too many
 * columns and is damage as well.
 */
export function readHumanRow(columns: readonly string[], names: NamePool): SummaryRow | null {
  if (columns.length !== SUMMARY_COLUMNS) return null;
  const zone = names.get(columns[0]!);
  const physical = humanAmount(columns[5]!, false);
  const virtual = humanAmount(columns[8]!, true);
  const percents = [2, 3, 4, 6, 7, 9, 10].map((i) => humanPercent(columns[i]!));
  if (!zone.isZone && zone.name !== "[total]" && zone.name !== "[system]") return null;
  if (!CPUS.test(columns[1]!) || physical === null || virtual === null || percents.includes(undefined)) return null;
  const [part, cpuCap, shareUsed, physicalPart, physicalCap, virtualPart, virtualCap] = percents as Fraction[];
  return {
    zone: zone.name,
    cpuUsed: Number(columns[1]),
    cpuPartFraction: part!,
    cpuCapFraction: cpuCap!,
    cpuShareUsedFraction: shareUsed!,
    physicalBytes: physical.amount,
    physicalFraction: physicalPart!,
    physicalCapFraction: physicalCap!,
    virtualBytes: virtual.amount,
    virtualFraction: virtualPart!,
    virtualCapFraction: virtualCap!,
  };
}
