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
}

/**
 * Rows of id and, for each column, what its samples in one window come to, in order of id and time. Counters: two 128-bit numbers with a time
 * in the upper half and below it the value at that time, the earliest (all bits of its value turned) and the latest, then the number of
 * samples where it is asked for. Signed values have their upper bit turned. So of a sample stored twice the larger value counts, without
 * looking for such. Gauges: number of samples, sum, first and last time. All of a column is zero where it has no sample.
 *
 * What counts samples first puts those of equal times together, which is two thirds of its time.
 */
export function windowStatement(query: WindowQuery, limit: number): string {
  const windows = query.columns.map((_, place) => windowName(place)).join(", ");
  return `SELECT id, ${windows} FROM (${windowRows(query)}) ORDER BY id, w LIMIT ${limit}`;
}

/** The tuple of what a column comes to. */
export function windowName(place: number): string {
  return `window_${place}`;
}

/** SQL of the number of the window that a time in nanoseconds lies in, also beyond the query's end. */
export function windowNumber(timeNs: string, { endTimeNs, periodNs }: Pick<WindowQuery, "endTimeNs" | "periodNs">): string {
  return `intDiv(${timeNs} + ${integerLiteral(periodNs - 1n - (endTimeNs % periodNs))}, ${integerLiteral(periodNs)})`;
}

/** Rows of `id`, `w` (the window's number and 1, or 0 for what lies before the range), and the tuple of each column, in any order. */
export function windowRows(query: WindowQuery): string {
  const { columns, condition, counts, fromNs, id, table } = query;
  const distinct = counts || !columns[0]!.cumulative;
  // A single column is present in every row that the condition lets through.
  const stored = (column: WideColumn): string | null => (columns.length === 1 ? null : presenceCondition([column]));
  const holds = (column: WideColumn): string | null =>
    columns.length > 1 && distinct ? `bitAnd(p${column.presenceWord}, ${column.presenceMask}) != 0` : stored(column);
  const value = (column: WideColumn, place: number): string => (distinct ? `v${place}` : scanExpression(column));
  const windows = columns.map((column, place) => {
    const parts = column.cumulative ? counterParts(column, value(column, place), counts) : gaugeParts(value(column, place));
    return `tuple(${parts.map((part) => aggregate(part, holds(column))).join(", ")}) AS ${windowName(place)}`;
  });
  const values = columns.map((column, place) => `${aggregate(["max", scanExpression(column)], stored(column))} AS v${place}`);
  const words = columns.length === 1 ? [] : [...new Set(columns.map(({ presenceWord }) => presenceWord))];
  const present = words.map((word) => `groupBitOr(${presenceName(word)}) AS p${word}`);
  const source = distinct
    ? `(SELECT ${[`${id} AS id`, "ts", ...present, ...values].join(", ")} FROM ${table} PREWHERE ${condition} GROUP BY id, ts)`
    : `${table} PREWHERE ${condition}`;
  const number = `1 + ${windowNumber("toUInt64(toUnixTimestamp64Nano(ts))", query)}`;
  const window = fromNs === null ? number : `if(ts < ${timestampLiteral(fromNs)}, 0, ${number})`;
  return `SELECT ${[distinct ? "id" : `${id} AS id`, `${window} AS w`, ...windows].join(", ")} FROM ${source} GROUP BY id, w`;
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
