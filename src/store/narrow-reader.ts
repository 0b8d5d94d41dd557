import { randomUUID } from "node:crypto";
import { isHistogramType, STORE_STATEMENT_KEYS, ZonemeterError, type TimeseriesSchema } from "../core/index.ts";
import type { SelectedSeries, Selection, SelectRequest, StatementSummary } from "../oxql/index.ts";
import type { Engine } from "./engine.ts";
import { stringLiteral, tableName } from "./literal.ts";
import { collapse, trim } from "./narrow-collapse.ts";
import { keyCondition, rounds, searchCondition, timesCondition, wantedOf, type Search, type Wanted } from "./narrow-conditions.ts";
import { narrowColumn, readRow, rowExpressions, rowNames, rowPreference, type NarrowRow } from "./narrow-rows.ts";
import { readNarrowSeries, type NarrowSeries } from "./narrow-series.ts";
import { isDated, measurementsTableName } from "./narrow-types.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";
import { and } from "./scan-conditions.ts";
import { checkAlternative } from "./selection-plan.ts";
import type { TimeRange } from "./time-ranges.ts";

/** Answers from one database in upstream's layout. Its statements name no table of another database. */
export class NarrowReader {
  readonly #engine: Pick<Engine, "query">;
  readonly #database: string;

  constructor(engine: Pick<Engine, "query">, database: string) {
    this.#engine = engine;
    this.#database = database;
  }

  async select(request: SelectRequest, signal: AbortSignal): Promise<Selection> {
    if (request.schema.datumType === "bytes")
      throw new ZonemeterError("query", `"${request.schema.timeseriesName}" has bytes, which no query can show.`, {
        kind: "type_mismatch",
      });
    const selecting = new NarrowSelecting(this.#engine, this.#database, request, signal);
    return { series: await selecting.series(), statements: selecting.statements };
  }
}

/** One question: series, samples, then what is looked back for. */
class NarrowSelecting {
  readonly statements: StatementSummary[] = [];
  readonly #engine: Pick<Engine, "query">;
  readonly #database: string;
  readonly #request: SelectRequest;
  readonly #schema: TimeseriesSchema;
  readonly #signal: AbortSignal;
  #kept = 0;

  constructor(engine: Pick<Engine, "query">, database: string, request: SelectRequest, signal: AbortSignal) {
    this.#engine = engine;
    this.#database = database;
    this.#request = request;
    this.#schema = request.schema;
    this.#signal = signal;
  }

  async series(): Promise<SelectedSeries[]> {
    const { alternatives, lookBack } = this.#request;
    const checked = alternatives.map((alternative) => checkAlternative(alternative, this.#schema));
    const all = await readNarrowSeries((text) => this.#run(text), this.#database, this.#schema);
    const selected: { readonly series: NarrowSeries; readonly rows: readonly NarrowRow[]; readonly before: readonly NarrowRow[] }[] = [];
    const searches: Search[] = [];
    for (const wanted of wantedOf(all, checked)) {
      for (const [series, rows] of await this.#rows(wanted)) {
        const before: NarrowRow[] = [];
        if (lookBack && isDated(this.#schema.datumType)) searches.push(...this.#searches(rows, wanted.ranges, before));
        selected.push({ series, rows, before });
      }
    }
    await this.#search(searches);
    return selected.map(({ series, rows, before }) => this.#result(series, collapse([...before, ...rows])));
  }

  #result({ fields }: NarrowSeries, rows: readonly NarrowRow[]): SelectedSeries {
    const { datumType } = this.#schema;
    return {
      fields,
      startTimesNs: isDated(datumType) ? BigInt64Array.from(rows, (row) => row.startTimeNs) : null,
      timestampsNs: BigInt64Array.from(rows, (row) => row.timestampNs),
      values: narrowColumn(
        datumType,
        rows.map(({ value }) => value),
      ),
    };
  }

  /** Samples that are wanted, by series; a series without any is left out. */
  async #rows({ ranges, series }: Wanted): Promise<Map<NarrowSeries, NarrowRow[]>> {
    const { limit, maxRows } = this.#request;
    const byKey = new Map(series.flatMap((one) => one.keys.map((key) => [key, one] as const)));
    const keys = [...byKey.keys()];
    const found = new Map<NarrowSeries, NarrowRow[]>();
    // Rows may be stored twice, and count once.
    const readable = 2 * maxRows + 2;
    let read = 0;
    for (let at = 0; at < keys.length; at += STORE_STATEMENT_KEYS) {
      const condition = and([keyCondition(keys.slice(at, at + STORE_STATEMENT_KEYS)), timesCondition(ranges)]);
      const reader = new RowBinaryReader(await this.#run(`${this.#statement(condition)} LIMIT ${readable}`));
      while (!reader.atEnd) {
        const row = readRow(reader, this.#schema.datumType);
        const of = byKey.get(row.key)!;
        const rows = found.get(of);
        if (rows === undefined) found.set(of, [row]);
        else rows.push(row);
        read += 1;
      }
      if (read >= readable) this.#count(Number.POSITIVE_INFINITY);
    }
    for (const [of, rows] of found) {
      const kept = collapse(rows);
      const limited = limit === null ? kept : trim(kept, limit);
      this.#count(limited.length);
      found.set(of, limited);
    }
    return found;
  }

  #statement(condition: string): string {
    const { datumType } = this.#schema;
    const { limit } = this.#request;
    const rows = `SELECT ${rowExpressions(datumType).join(", ")} FROM ${this.#table()} WHERE ${and([this.#nameCondition(), condition])}`;
    if (limit === null) return rows;
    const start = isDated(datumType) ? ", start_time" : "";
    const once = `${rows} ORDER BY timeseries_key, timestamp${start}, ${rowPreference(datumType)} LIMIT 1 BY timeseries_key, timestamp${start}`;
    const direction = limit.end === "last" ? " DESC" : "";
    const order = `timeseries_key, timestamp${direction}${start === "" ? "" : `${start}${direction}`}`;
    return `SELECT ${rowNames(datumType)} FROM (${once}) ORDER BY ${order} LIMIT ${limit.count} BY timeseries_key`;
  }

  #searches(rows: readonly NarrowRow[], ranges: readonly TimeRange[], found: NarrowRow[]): Search[] {
    const searches: Search[] = [];
    let last: { readonly startTimeNs: bigint; readonly range: TimeRange } | null = null;
    for (const { key, startTimeNs, timestampNs } of rows) {
      const range = ranges.find(({ fromNs, toNs }) => fromNs <= timestampNs && timestampNs <= toNs)!;
      if (last !== null && last.startTimeNs === startTimeNs && last.range === range) continue;
      last = { startTimeNs, range };
      // Without a limit nothing of the range lies before its first sample, and one time for many series makes one condition.
      const beforeNs = this.#request.limit === null ? range.fromNs : timestampNs;
      if (beforeNs > startTimeNs) searches.push({ key, startTimeNs, beforeNs, found });
    }
    return searches;
  }

  /** Finds the last present sample before each search's time, of the same incarnation. */
  async #search(searches: readonly Search[]): Promise<void> {
    const { datumType } = this.#schema;
    const id = ({ key, startTimeNs }: Pick<Search, "key" | "startTimeNs">): string => `${key} ${startTimeNs}`;
    for (const round of rounds(searches, id)) {
      const byId = new Map(round.map((search) => [id(search), search]));
      const present = isHistogramType(datumType) ? "notEmpty(bins)" : "isNotNull(datum)";
      const condition = and([this.#nameCondition(), searchCondition(round), present]);
      const order = `ORDER BY timeseries_key, start_time, timestamp DESC, ${rowPreference(datumType)} LIMIT 1 BY timeseries_key, start_time`;
      const text = `SELECT ${rowExpressions(datumType).join(", ")} FROM ${this.#table()} WHERE ${condition} ${order}`;
      const reader = new RowBinaryReader(await this.#run(text));
      while (!reader.atEnd) {
        const row = readRow(reader, datumType);
        byId.get(id(row))?.found.push(row);
      }
    }
  }

  #table(): string {
    return tableName(this.#database, measurementsTableName(this.#schema.datumType));
  }

  #nameCondition(): string {
    return `timeseries_name = ${stringLiteral(this.#schema.timeseriesName)}`;
  }

  #count(rows: number): void {
    this.#kept += rows;
    if (this.#kept <= this.#request.maxRows) return;
    throw new ZonemeterError(
      "limit",
      `The query would fetch more than ${this.#request.maxRows} samples: ask for a shorter time or fewer timeseries.`,
      { kind: "row_limit" },
    );
  }

  async #run(text: string): Promise<Uint8Array> {
    this.#signal.throwIfAborted();
    const id = randomUUID();
    const { bytes, elapsedMs, read } = await this.#engine.query({ id, text, signal: this.#signal });
    this.statements.push({ id, text, elapsedMs, rowsRead: read?.rows ?? null, bytesRead: read?.bytes ?? null });
    return bytes;
  }
}
