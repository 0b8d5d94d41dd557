import type { WindowRequest } from "../oxql/index.ts";
import { integerLiteral, timestampLiteral } from "./literal.ts";
import { orderedBits, packedSample } from "./packed-sample.ts";
import { presenceName } from "./statements.ts";
import { presenceCondition, scanExpression, type WideColumn } from "./wide-table.ts";

/** What one statement puts together: columns of one kind, counters or gauges, all of integers. */
export interface WindowQuery extends Pick<WindowRequest, "endTimeNs" | "periodNs"> {
  /** Quoted, with its database. */
  readonly table: string;
  readonly columns: readonly WideColumn[];
  readonly counts: boolean;
  /** SQL for the rows that are read. */
  readonly condition: string;
  /** SQL that gives one id for all rows that belong together. */
  readonly id: string;
  /** Rows before this are those from before the range: they make one window by themselves. Null where none are read. */
  readonly fromNs: bigint | null;
  readonly limit: number;
}

/**
 * Rows of id and, for each column, what its samples in one window come to, in order of id and time. Counters: two 128-bit numbers with a time
 * in the upper half and below it the value at that time, the earliest (all bits of its value turned) and the latest, then the number of
 * samples where it is asked for. Signed values have their upper bit turned. So of a sample stored twice the larger value counts, without
 * looking for such. Gauges: number of samples, sum, first and last time. All of a column is zero where it has no sample.
 *
 * What counts samples first puts those of equal times together, which is two thirds of its time.
 */
export function windowStatement(query: WindowQuery): string {
  const { columns, condition, counts, endTimeNs, fromNs, id, limit, periodNs, table } = query;
  const distinct = counts || !columns[0]!.cumulative;
  // A single column is present in every row that the condition lets through.
  const stored = (column: WideColumn): string | null => (columns.length === 1 ? null : presenceCondition([column]));
  const holds = (column: WideColumn): string | null =>
    columns.length > 1 && distinct ? `bitAnd(p${column.presenceWord}, ${column.presenceMask}) != 0` : stored(column);
  const value = (column: WideColumn, place: number): string => (distinct ? `v${place}` : scanExpression(column));
  const parts = columns.flatMap((column, place) =>
    (column.cumulative ? counterParts(column, value(column, place), counts) : gaugeParts(value(column, place))).map((part) =>
      aggregate(part, holds(column)),
    ),
  );
  const values = columns.map((column, place) => `${aggregate(["max", scanExpression(column)], stored(column))} AS v${place}`);
  const words = columns.length === 1 ? [] : [...new Set(columns.map(({ presenceWord }) => presenceWord))];
  const present = words.map((word) => `groupBitOr(${presenceName(word)}) AS p${word}`);
  const source = distinct
    ? `(SELECT ${[`${id} AS id`, "ts", ...present, ...values].join(", ")} FROM ${table} PREWHERE ${condition} GROUP BY id, ts)`
    : `${table} PREWHERE ${condition}`;
  const phaseNs = endTimeNs % periodNs;
  const number = `1 + intDiv(toUInt64(toUnixTimestamp64Nano(ts)) + ${integerLiteral(periodNs - 1n - phaseNs)}, ${integerLiteral(periodNs)})`;
  const window = fromNs === null ? number : `if(ts < ${timestampLiteral(fromNs)}, 0, ${number})`;
  return `SELECT ${[distinct ? "id" : `${id} AS id`, ...parts].join(", ")} FROM ${source} GROUP BY id, ${window} AS w ORDER BY id, w LIMIT ${limit}`;
}

/** 32-bit words of a row's id, and of each column. */
export const ID_WORDS = 2;

export function wordsOfColumn({ cumulative }: WideColumn, counts: boolean): number {
  return cumulative && !counts ? 8 : cumulative ? 10 : 8;
}

/** An aggregate function, its argument if any, and what stands around it. */
type Part = readonly [name: string, argument: string | null, around?: (text: string) => string];

function counterParts({ valueType: { scanType } }: WideColumn, value: string, counts: boolean): Part[] {
  const bits = orderedBits(value, scanType);
  const parts: Part[] = [
    ["min", packedSample(`bitNot(${bits})`, "UInt64")],
    ["max", packedSample(bits, "UInt64")],
  ];
  return counts ? [...parts, ["count", null]] : parts;
}

function gaugeParts(value: string): Part[] {
  return [
    ["count", null],
    ["sum", `toInt256(${value})`, (text) => `toFloat64(${text})`],
    ["min", "ts"],
    ["max", "ts"],
  ];
}

function aggregate([name, argument, around = (text) => text]: Part, condition: string | null): string {
  const all = [argument, condition].filter((text) => text !== null).join(", ");
  return around(`${name}${condition === null ? "" : "If"}(${all})`);
}
