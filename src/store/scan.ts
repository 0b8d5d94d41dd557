import { randomUUID } from "node:crypto";
import { STORE_STATEMENT_CLASSES, ZonemeterError } from "../core/index.ts";
import type { StatementSummary } from "../oxql/index.ts";
import type { Engine } from "./engine.ts";
import { packedSample, unpackedSample } from "./packed-sample.ts";
import { mergeRuns, type SampleRun } from "./sample-run.ts";
import type { TableState } from "./sample-resolver.ts";
import { and, or } from "./scan-conditions.ts";
import { decodeScan, presenceWordsOf, runsBySeries } from "./scan-rows.ts";
import type { Series } from "./series-registry.ts";
import { presenceName } from "./statements.ts";
import { presenceCondition, scanExpression, type WideColumn } from "./wide-table.ts";

/** Rows of some series, and the SQL that chooses them. */
export interface ScanClass {
  readonly series: readonly Series[];
  readonly condition: string;
}

/** What one question runs in the engine, one statement after another. */
export class Scan {
  readonly state: TableState;
  readonly statements: StatementSummary[] = [];
  readonly maxRows: number;
  readonly #engine: Engine;
  readonly #signal: AbortSignal;

  constructor(engine: Engine, state: TableState, maxRows: number, signal: AbortSignal) {
    this.#engine = engine;
    this.state = state;
    this.maxRows = maxRows;
    this.#signal = signal;
  }

  /** Runs a statement and keeps its summary. */
  async run(text: string): Promise<Uint8Array> {
    this.#signal.throwIfAborted();
    const id = randomUUID();
    const { bytes, elapsedMs, read } = await this.#engine.query({ id, text, signal: this.#signal });
    this.statements.push({ id, text, elapsedMs, rowsRead: read?.rows ?? null, bytesRead: read?.bytes ?? null });
    return bytes;
  }

  /** Throws where a question has come to more rows than it may. */
  checkRows(rows: number): void {
    if (rows <= this.maxRows) return;
    throw new ZonemeterError(
      "limit",
      `The query would fetch more than ${this.maxRows} samples: ask for a shorter time or fewer timeseries.`,
      { kind: "row_limit" },
    );
  }

  /**
   * All samples of the columns in the classes' rows, by column and series. `spareRows` may be read beyond the limit, for rows that do not
   * count against it. No ORDER BY and no GROUP BY: sorting what is nearly sorted is cheaper here than in the engine.
   */
  async ranges(columns: readonly WideColumn[], classes: readonly ScanClass[], spareRows: number): Promise<Map<Series, SampleRun>[]> {
    const found = columns.map(() => new Map<Series, SampleRun>());
    const limit = this.maxRows + 1 + spareRows;
    const select = [
      "sid",
      "ts",
      ...presenceWordsOf(columns).map((word) => `toUInt64(${presenceName(word)})`),
      ...columns.map(scanExpression),
    ].join(", ");
    let read = 0;
    for (const chunk of chunks(classes)) {
      const condition = and([or(chunk.map(({ condition }) => condition)), presenceCondition(columns)]);
      const rows = decodeScan(
        await this.run(`SELECT ${select} FROM ${this.state.table.samples} PREWHERE ${condition} LIMIT ${limit}`),
        columns,
      );
      read += rows.count;
      if (read >= limit) this.checkRows(Number.POSITIVE_INFINITY);
      const wanted = new Map(chunk.flatMap(({ series }) => series.map((one) => [one.id, one] as const)));
      for (const [place, column] of columns.entries()) {
        for (const [series, run] of runsBySeries(rows, place, column, wanted)) found[place]!.set(series, run);
      }
    }
    return found;
  }

  /** Up to `count` samples of one column at the given end of the classes' rows of each series, by series. */
  async edges(column: WideColumn, classes: readonly ScanClass[], end: "first" | "last", count: number): Promise<Map<Series, SampleRun>> {
    const found = new Map<Series, SampleRun>();
    let read = 0;
    for (const chunk of chunks(classes)) {
      const condition = and([or(chunk.map(({ condition }) => condition)), presenceCondition([column])]);
      const rows = decodeScan(
        await this.run(`${edgeStatement(this.state.table.samples, column, condition, end, count)} LIMIT ${this.maxRows + 1}`),
        [column],
      );
      read += rows.count;
      this.checkRows(read);
      const wanted = new Map(chunk.flatMap(({ series }) => series.map((one) => [one.id, one] as const)));
      for (const [series, run] of runsBySeries(rows, 0, column, wanted)) {
        const known = found.get(series);
        found.set(series, known === undefined ? run : mergeRuns([known, run]));
      }
    }
    return found;
  }
}

/** Grouping first, so that a row stored twice counts once. The newest alone is a maximum, which is some five times cheaper than an order. */
function edgeStatement(table: string, column: WideColumn, condition: string, end: "first" | "last", count: number): string {
  const value = scanExpression(column);
  const { scanType } = column.valueType;
  if (end === "last" && count === 1) {
    const newest = scanType === "String" ? `max((ts, ${value}))` : `max(${packedSample(value, scanType)})`;
    const parts = scanType === "String" ? ["newest.1", "newest.2"] : unpackedSample("newest", scanType);
    return `SELECT sid, ${parts.join(", ")} FROM (SELECT sid, ${newest} AS newest FROM ${table} PREWHERE ${condition} GROUP BY sid)`;
  }
  const grouped = `SELECT sid, ts, max(${value}) AS value FROM ${table} PREWHERE ${condition} GROUP BY sid, ts`;
  return `SELECT sid, ts, value FROM (${grouped}) ORDER BY sid, ts ${end === "last" ? "DESC" : "ASC"} LIMIT ${count} BY sid`;
}

function chunks(classes: readonly ScanClass[]): (readonly ScanClass[])[] {
  const parts: (readonly ScanClass[])[] = [];
  for (let at = 0; at < classes.length; at += STORE_STATEMENT_CLASSES) parts.push(classes.slice(at, at + STORE_STATEMENT_CLASSES));
  return parts;
}
