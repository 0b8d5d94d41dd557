import { fieldSet, ZonemeterError } from "../core/index.ts";
import type { TimeseriesDesign } from "./layout.ts";
import { integerLiteral } from "./literal.ts";
import { and, seriesCondition, timeCondition } from "./scan-conditions.ts";
import type { Scan } from "./scan.ts";
import { planSelection } from "./selection-plan.ts";
import type { FieldsEntry, Series } from "./series-registry.ts";
import { presenceCondition, scanExpression, type WideColumn } from "./wide-table.ts";
import type { WindowedSeries, WindowRequest, WindowSelection } from "./window-selection.ts";

/** Words of a result row: series, window, samples, first and last time, first and last value or the sum. */
const COUNTER_STRIDE = 7;
const GAUGE_STRIDE = 6;

/** Samples put together by window, in the engine. Throws ZonemeterError `query` for data that are not integers. */
export async function selectWindows(scan: Scan, design: TimeseriesDesign, request: WindowRequest): Promise<WindowSelection> {
  const { schema, alternatives, maxRows } = request;
  const conditions = alternatives.map((fields) => ({ fields, times: [] }));
  const series: WindowedSeries[] = [];
  for (const { columns, classes } of planSelection(scan.state, design, {
    schema,
    alternatives: conditions,
    limit: null,
    lookBack: false,
    maxRows,
  })) {
    const entries = classes.flatMap((one) => one.entries);
    for (const column of columns) {
      if (!column.valueType.scanType.endsWith("Int64"))
        throw new ZonemeterError("query", `"${schema.timeseriesName}" has no integers to put together.`, { kind: "non_numeric" });
      series.push(...(await readWindows(scan, column, entries, request)));
      scan.checkRows(series.reduce((sum, { windows }) => sum + windows.length, 0));
    }
  }
  return { series, statements: scan.statements };
}

async function readWindows(
  scan: Scan,
  column: WideColumn,
  entries: readonly FieldsEntry[],
  request: WindowRequest,
): Promise<WindowedSeries[]> {
  const { endTimeNs, periodNs, count } = request;
  const fromNs = endTimeNs - BigInt(count) * periodNs + 1n;
  const all = entries.flatMap((entry) => [...entry.byStartTime.values()]);
  if (all.length === 0) return [];
  const condition = and([
    timeCondition([{ fromNs, toNs: endTimeNs }]),
    seriesCondition(scan.state.registry, all),
    presenceCondition([column]),
  ]);
  const key = column.cumulative ? "sid" : representative(entries);
  const value = scanExpression(column);
  const samples = `SELECT ${key} AS id, ts, max(${value}) AS value FROM ${scan.state.table.samples} PREWHERE ${condition} GROUP BY id, ts`;
  const window = `toUInt64(intDiv(toUnixTimestamp64Nano(ts) - ${integerLiteral(fromNs)}, ${integerLiteral(periodNs)})) AS w`;
  const values = column.cumulative ? "argMin(value, ts), argMax(value, ts)" : "toFloat64(sum(toInt256(value)))";
  const text = `SELECT id, ${window}, count(), min(ts), max(ts), ${values} FROM (${samples}) GROUP BY id, w LIMIT ${scan.maxRows + 1}`;
  const bytes = await scan.run(text);
  const stride = column.cumulative ? COUNTER_STRIDE : GAUGE_STRIDE;
  scan.checkRows(bytes.length / (8 * stride));
  return decodeWindows(bytes, stride, column, new Map(all.map((series) => [series.id, series])));
}

/** SQL that gives one id for all series of a timeseries: gauges may lie in several, whose windows must become one. */
function representative(entries: readonly FieldsEntry[]): string {
  const aliases = entries.flatMap((entry) => {
    const [first, ...others] = [...entry.byStartTime.values()];
    return others.map((other) => [other.id, first!.id] as const);
  });
  if (aliases.length === 0) return "sid";
  const list = (ids: readonly bigint[]): string => `[${ids.map((id) => `toUInt64(${integerLiteral(id)})`).join(", ")}]`;
  return `transform(sid, ${list(aliases.map(([id]) => id))}, ${list(aliases.map(([, id]) => id))}, sid)`;
}

function decodeWindows(bytes: Uint8Array, stride: number, column: WideColumn, known: ReadonlyMap<bigint, Series>): WindowedSeries[] {
  const { buffer } = Uint8Array.from(bytes);
  const words = new BigUint64Array(buffer);
  const rowsById = new Map<bigint, number[]>();
  for (let row = 0; row < words.length / stride; row++) {
    const id = words[row * stride]!;
    const rows = rowsById.get(id);
    if (rows === undefined) rowsById.set(id, [row]);
    else rows.push(row);
  }
  const signed = new BigInt64Array(buffer);
  const doubles = new Float64Array(buffer);
  const values = column.valueType.scanType === "UInt64" ? words : signed;
  const windowed: WindowedSeries[] = [];
  for (const [id, rows] of rowsById) {
    const series = known.get(id);
    // A series that came to be since the question was planned.
    if (series === undefined) continue;
    rows.sort((a, b) => Number(words[a * stride + 1]! - words[b * stride + 1]!));
    const take = (place: number): BigInt64Array => BigInt64Array.from(rows, (row) => signed[row * stride + place]!);
    const takeValues = (place: number): BigInt64Array | BigUint64Array =>
      values === words ? BigUint64Array.from(rows, (row) => words[row * stride + place]!) : take(place);
    windowed.push({
      fields: fieldSet([...series.entry.fields, ...column.fields]),
      startTimeNs: column.cumulative ? series.startTimeNs : null,
      windows: Uint32Array.from(rows, (row) => Number(words[row * stride + 1]!)),
      samples: Uint32Array.from(rows, (row) => Number(words[row * stride + 2]!)),
      firstTimesNs: take(3),
      lastTimesNs: take(4),
      counters: column.cumulative ? { first: takeValues(5), last: takeValues(6) } : null,
      sums: column.cumulative ? null : Float64Array.from(rows, (row) => doubles[row * stride + 5]!),
    });
  }
  return windowed;
}
