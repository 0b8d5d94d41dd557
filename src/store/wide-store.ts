import {
  Catalogue,
  NS_PER_MS,
  NS_PER_SECOND,
  STORE_FUTURE_MS,
  ZonemeterError,
  type Clock,
  type Sample,
  type TimeseriesSchema,
} from "../core/index.ts";
import type {
  GroupRequest,
  GroupSelection,
  Selection,
  SelectRequest,
  StatementSummary,
  WindowData,
  WindowRequest,
  WindowSelection,
} from "../oxql/index.ts";
import type { Logger } from "../runtime/index.ts";
import { ask } from "./ask.ts";
import type { Engine } from "./engine.ts";
import { insertBlock } from "./insert-block.ts";
import { insertSamples } from "./insert-samples.ts";
import { installTables, keepsForEver } from "./install-tables.ts";
import { isOfZones, latestZones } from "./latest-zones.ts";
import { deriveLayout, type Layout, type TimeseriesDesign } from "./layout.ts";
import type { InsertRowsOptions, RowBlock, RowsReport } from "./row-block.ts";
import { measuredStatements } from "./measured-statements.ts";
import { SampleResolver, type TableState, type TimeBounds } from "./sample-resolver.ts";
import { Scan } from "./scan.ts";
import { selectGroups } from "./select-groups.ts";
import { selectSamples } from "./select-samples.ts";
import { selectWindows } from "./select-windows.ts";
import { SeriesRegistry } from "./series-registry.ts";
import { loadSeries } from "./series-rows.ts";
import type { InsertReport, LatestZone, Store } from "./store.ts";
import { bucketOf, LATEST_NS } from "./time-buckets.ts";
import { placeTable } from "./wide-table.ts";

export interface WideStoreOptions {
  readonly engine: Engine;
  readonly schemas: Iterable<TimeseriesSchema>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Null keeps samples for ever, and refuses none for its age. */
  readonly retentionDays: number | null;
  /** Where tables keep samples for ever, as after a replay, leave it so. */
  readonly leaveUnlimited?: boolean;
}

const NS_PER_DAY = 86_400n * 1_000_000_000n;

/** Hours before now whose series a refresh always looks at: series are written when they come to a new hour. */
const REFRESH_BUCKETS = 2;

/** Rows that `latestZones` may return for one target. */
const LATEST_MAX_ROWS = Number.MAX_SAFE_INTEGER;

const NO_ENGINE: Engine = {
  run: noEngine,
  insert: noEngine,
  query: noEngine,
  forCustomers: { query: noEngine },
  runAsCustomer: noEngine,
  kill: noEngine,
  measure: noEngine,
  close: () => Promise.resolve(),
};

function noEngine(): Promise<never> {
  return Promise.reject(new RangeError("nothing is stored, and nothing can be"));
}

/** The store of operator-only timeseries in the wide layout, over any engine. */
export class WideStore implements Omit<Store, "forCustomers">, WindowData {
  readonly catalogue: Catalogue;
  readonly #engine: Engine;
  readonly #layout: Layout;
  readonly #states: ReadonlyMap<string, TableState>;
  readonly #resolver: SampleResolver;
  readonly #clock: Clock;
  readonly #retentionDays: number | null;
  #forgottenBucket = 0;
  #refreshedBucket = 0;

  private constructor(options: WideStoreOptions, layout: Layout, states: readonly TableState[]) {
    this.catalogue = new Catalogue([...layout.timeseries.values()].map(({ schema }) => schema));
    this.#engine = options.engine;
    this.#layout = layout;
    this.#states = new Map(states.map((state) => [state.table.design.name, state]));
    this.#resolver = new SampleResolver(layout, states);
    this.#clock = options.clock;
    this.#retentionDays = options.retentionDays;
  }

  /** Makes or completes the tables and reads which series there are. Closes the engine where that fails. */
  static async open(options: WideStoreOptions): Promise<WideStore> {
    const { engine, logger } = options;
    try {
      const retentionDays = options.leaveUnlimited === true && (await keepsForEver(engine)) ? null : options.retentionDays;
      const layout = deriveLayout(options.schemas);
      const states: TableState[] = [];
      for (const table of await installTables(engine, layout.tables, retentionDays, logger)) {
        const { registry, conflicts } = await loadSeries(engine, table.design);
        if (conflicts > 0)
          logger.error({ table: table.design.name, conflicts }, "stored series share their ids with others and are left out");
        states.push({ table, registry });
      }
      const store = new WideStore({ ...options, retentionDays }, layout, states);
      store.#forgetExpired();
      return store;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** A store with nothing in it and no engine, to try rows on. */
  static ofNothing(options: Omit<WideStoreOptions, "engine">): WideStore {
    const layout = deriveLayout(options.schemas);
    const states = layout.tables.map((design): TableState => {
      const table = placeTable(
        design,
        design.columns.map(({ name }) => name),
      );
      return { table, registry: new SeriesRegistry(design.clusteringField) };
    });
    return new WideStore({ ...options, engine: NO_ENGINE }, layout, states);
  }

  async insert(samples: readonly Sample[], token: string): Promise<InsertReport> {
    this.#forgetExpired();
    return insertSamples(this.#engine, this.#resolver, samples, token, this.#timeBounds());
  }

  async insertRows(block: RowBlock, options: InsertRowsOptions): Promise<RowsReport> {
    this.#forgetExpired();
    const labels = new Set(block.columns.map(({ label }) => label));
    const design = this.#layout.tables.find(
      ({ targetName, columns }) => targetName === block.targetName && columns.some(({ label }) => labels.has(label)),
    );
    if (design === undefined) throw new RangeError(`the store has no table for the columns of target ${block.targetName}`);
    const nowS = Number(this.#clock.wallNs() / NS_PER_SECOND);
    return insertBlock({ engine: this.#engine, state: this.#states.get(design.name)!, bounds: this.#timeBounds(), nowS }, block, options);
  }

  async select(request: SelectRequest, signal: AbortSignal): Promise<Selection> {
    const { state, design } = this.#find(request.schema);
    return selectSamples(new Scan(this.#engine, state, request.maxRows, signal), design, request);
  }

  async selectWindows(request: WindowRequest, signal: AbortSignal): Promise<WindowSelection | null> {
    const { state, design } = this.#find(request.schema);
    return selectWindows(new Scan(this.#engine, state, request.maxRows, signal), design, request);
  }

  async selectGroups(request: GroupRequest, signal: AbortSignal): Promise<GroupSelection | null> {
    const { state, design } = this.#find(request.schema);
    return selectGroups(new Scan(this.#engine, state, request.maxRows, signal), design, request);
  }

  measured(statements: readonly StatementSummary[], signal: AbortSignal): Promise<readonly StatementSummary[]> {
    return measuredStatements(this.#engine, statements, signal);
  }

  async latestZones(sinceNs: bigint, signal: AbortSignal): Promise<readonly LatestZone[]> {
    const rows: LatestZone[] = [];
    for (const state of this.#states.values()) {
      if (isOfZones(state)) rows.push(...(await latestZones(new Scan(this.#engine, state, LATEST_MAX_ROWS, signal), sinceNs)));
    }
    return rows;
  }

  /** Reads the series that other processes have stored since, and the hours they have come to. */
  async refresh(): Promise<void> {
    const since = bucketOf(this.#clock.wallNs()) - REFRESH_BUCKETS;
    // Once an hour all, as what is imported or replayed is of another time.
    const all = since !== this.#refreshedBucket;
    for (const { registry, table } of this.#states.values()) await loadSeries(this.#engine, table.design, registry, all ? 0 : since);
    this.#refreshedBucket = since;
  }

  async ping(): Promise<void> {
    await ask(this.#engine, "SELECT 1");
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  #find({ timeseriesName }: TimeseriesSchema): { state: TableState; design: TimeseriesDesign } {
    const design = this.#layout.timeseries.get(timeseriesName);
    if (design === undefined) throw new ZonemeterError("not_found", `The store keeps no timeseries "${timeseriesName}".`);
    return { state: this.#states.get(design.table.name)!, design };
  }

  #timeBounds(): TimeBounds {
    // Times before 1970 have no hour, and times past 2262 no DateTime64.
    if (this.#retentionDays === null) return { oldestNs: 1n, newestNs: LATEST_NS };
    const nowNs = this.#clock.wallNs();
    const oldestNs = nowNs - BigInt(this.#retentionDays) * NS_PER_DAY;
    return { oldestNs: oldestNs > 0n ? oldestNs : 1n, newestNs: nowNs + BigInt(STORE_FUTURE_MS) * NS_PER_MS };
  }

  /** Once an hour, drops what is known of series whose samples have all expired. */
  #forgetExpired(): void {
    if (this.#retentionDays === null) return;
    const bucket = bucketOf(this.#timeBounds().oldestNs);
    if (bucket === this.#forgottenBucket) return;
    this.#forgottenBucket = bucket;
    let forgotten = 0;
    // Samples go by whole days, so a day more may be there.
    for (const { registry } of this.#states.values()) forgotten += registry.forgetBefore(bucket - 24);
    if (forgotten > 0) this.#resolver.forget();
  }
}
