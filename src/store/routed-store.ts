import {
  NS_PER_MS,
  STORE_FUTURE_MS,
  STORE_REFRESH_MS,
  ZonemeterError,
  type Catalogue,
  type Clock,
  type Sample,
  type TimeseriesSchema,
  type Visibility,
} from "../core/index.ts";
import type {
  GroupRequest,
  GroupSelection,
  OxqlData,
  Selection,
  SelectRequest,
  StatementSummary,
  WindowData,
  WindowRequest,
  WindowSelection,
} from "../oxql/index.ts";
import { Loop, type Logger } from "../runtime/index.ts";
import type { Engine } from "./engine.ts";
import { LiveCatalogue } from "./live-catalogue.ts";
import { measuredStatements } from "./measured-statements.ts";
import { mergeMissing } from "./merge-missing.ts";
import { NarrowStore } from "./narrow-store.ts";
import { PUBLIC_DATABASE, PUBLIC_RETENTION_DAYS } from "./narrow-tables.ts";
import type { InsertRowsOptions, RowBlock, RowsReport } from "./row-block.ts";
import { joinReports } from "./row-drafts.ts";
import type { TimeBounds } from "./sample-resolver.ts";
import { DATABASE } from "./statements.ts";
import type { InsertReport, LatestZone, Store } from "./store.ts";
import { LATEST_NS } from "./time-buckets.ts";
import { WideStore } from "./wide-store.ts";

export interface RoutedStoreOptions {
  readonly engine: Engine;
  readonly schemas: Iterable<TimeseriesSchema>;
  /** Timeseries that no schema here declares and customers may see nevertheless. What neither names is for operators alone. */
  readonly customerNames: readonly string[];
  readonly logger: Logger;
  readonly clock: Clock;
  readonly retentionDays: number | null;
  /** Other processes store too, so what they add is looked for from time to time. */
  readonly shared?: boolean;
}

const NS_PER_DAY = 86_400n * 1_000_000_000n;

/** Where the samples of one timeseries are. */
type Place = "public" | "wide" | "internal";

/**
 * The whole store: decides by visibility, in one place, which of the layouts has a timeseries. What customers may see is in database `oximeter`
 * and nowhere else; all other is in `oximeter_internal`, wide where its schema allows it.
 */
export class RoutedStore implements Store, WindowData {
  readonly catalogue: Catalogue;
  readonly #engine: Engine;
  readonly #declared: ReadonlyMap<string, TimeseriesSchema>;
  readonly #visibility: (timeseriesName: string) => Visibility;
  readonly #wide: WideStore;
  readonly #public: NarrowStore;
  readonly #internal: NarrowStore;
  readonly #wideNames: ReadonlySet<string>;
  readonly #places = new Map<string, Place>();
  readonly #clock: Clock;
  readonly #retentionDays: number | null;
  #refreshing: Loop | null = null;

  private constructor(options: RoutedStoreOptions, wide: WideStore) {
    const { clock, engine, logger, retentionDays } = options;
    this.#engine = engine;
    this.#wide = wide;
    this.#clock = clock;
    this.#retentionDays = retentionDays;
    this.#wideNames = new Set(wide.catalogue.names());
    this.#declared = new Map([...options.schemas].map((schema) => [schema.timeseriesName, schema]));
    const named = new Set(options.customerNames);
    this.#visibility = (name) => this.#declared.get(name)?.visibility ?? (named.has(name) ? "customer" : "operator_only");
    const narrow = { engine, logger, clock, declared: this.#declared };
    this.#public = new NarrowStore({
      ...narrow,
      database: { name: PUBLIC_DATABASE, retentionDays: PUBLIC_RETENTION_DAYS, deduplicates: false },
      visibility: "customer",
    });
    this.#internal = new NarrowStore({
      ...narrow,
      database: { name: DATABASE, retentionDays, deduplicates: true },
      visibility: "operator_only",
    });
    this.catalogue = new LiveCatalogue(
      () => this.#known(),
      () => this.#public.schemas.version + this.#internal.schemas.version,
    );
  }

  /** Makes or completes the tables of both databases and reads what they know. Closes the engine where that fails. */
  static async open(options: RoutedStoreOptions): Promise<RoutedStore> {
    const { engine, logger, clock, retentionDays } = options;
    try {
      const schemas = [...options.schemas];
      const wide = await WideStore.open({ engine, schemas: schemas.filter(isOperatorOnly), logger, clock, retentionDays });
      const store = new RoutedStore({ ...options, schemas }, wide);
      await store.#public.open();
      await store.#internal.open();
      if (options.shared === true) store.#keepFresh(logger);
      return store;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  async insert(samples: readonly Sample[], token: string): Promise<InsertReport> {
    const byPlace: Record<Place, Sample[]> = { public: [], wide: [], internal: [] };
    for (const sample of samples) byPlace[this.#placeOfSample(sample)].push(sample);
    if (byPlace.wide.length === samples.length) return this.#wide.insert(samples, token);
    const reports: InsertReport[] = [];
    let failure: unknown = null;
    for (const [part, insert] of [
      [byPlace.public, () => this.#public.insert(byPlace.public, token, this.#bounds(PUBLIC_RETENTION_DAYS))],
      [byPlace.wide, () => this.#wide.insert(byPlace.wide, token)],
      [byPlace.internal, () => this.#internal.insert(byPlace.internal, token, this.#bounds(this.#retentionDays))],
    ] as const) {
      if (part.length === 0) continue;
      try {
        reports.push(await insert());
      } catch (error) {
        // The other places still get theirs; with the same token again only what failed is added where tokens count.
        failure ??= error;
      }
    }
    if (failure !== null) throw failure;
    return joinReports(reports);
  }

  insertRows(block: RowBlock, options: InsertRowsOptions): Promise<RowsReport> {
    return this.#wide.insertRows(block, options);
  }

  async select(request: SelectRequest, signal: AbortSignal): Promise<Selection> {
    const name = request.schema.timeseriesName;
    if (this.catalogue.get(name) === undefined) throw new ZonemeterError("not_found", `The store keeps no timeseries "${name}".`);
    switch (this.#placeOf(name)) {
      case "public":
        return this.#public.select(request, signal);
      case "internal":
        return this.#internal.select(request, signal);
      case "wide": {
        if (!this.#hasMissing(name)) return this.#wide.select(request, signal);
        const [present, missing] = await Promise.all([this.#wide.select(request, signal), this.#internal.select(request, signal)]);
        return mergeMissing(present, missing, request);
      }
    }
  }

  async selectWindows(request: WindowRequest, signal: AbortSignal): Promise<WindowSelection | null> {
    const name = request.schema.timeseriesName;
    return this.#placeOf(name) === "wide" && !this.#hasMissing(name) ? this.#wide.selectWindows(request, signal) : null;
  }

  async selectGroups(request: GroupRequest, signal: AbortSignal): Promise<GroupSelection | null> {
    const name = request.schema.timeseriesName;
    return this.#placeOf(name) === "wide" && !this.#hasMissing(name) ? this.#wide.selectGroups(request, signal) : null;
  }

  forCustomers(): OxqlData {
    const reader = this.#public.readerFor(this.#engine.forCustomers);
    return { select: (request, signal) => reader.select(request, signal) };
  }

  measured(statements: readonly StatementSummary[], signal: AbortSignal): Promise<readonly StatementSummary[]> {
    return measuredStatements(this.#engine, statements, signal);
  }

  latestZones(sinceNs: bigint, signal: AbortSignal): Promise<readonly LatestZone[]> {
    return this.#wide.latestZones(sinceNs, signal);
  }

  ping(): Promise<void> {
    return this.#wide.ping();
  }

  async close(): Promise<void> {
    await this.#refreshing?.stop();
    await this.#wide.close();
  }

  /** Reads what other processes have stored of new timeseries and series. */
  async refresh(): Promise<void> {
    await this.#public.schemas.load();
    await this.#internal.schemas.load();
    await this.#wide.refresh();
  }

  #keepFresh(logger: Logger): void {
    this.#refreshing = new Loop({
      name: "the store's look at what others stored",
      intervalMs: STORE_REFRESH_MS,
      firstDelayMs: STORE_REFRESH_MS,
      logger,
      run: () => this.refresh(),
    });
  }

  /** Samples without a value have no column to be absent from: of a wide timeseries they alone are narrow. */
  #placeOfSample({ datum, timeseriesName }: Sample): Place {
    const place = this.#placeOf(timeseriesName);
    return place === "wide" && datum.type === "missing" ? "internal" : place;
  }

  #placeOf(timeseriesName: string): Place {
    const known = this.#places.get(timeseriesName);
    if (known !== undefined) return known;
    const place = this.#visibility(timeseriesName) === "customer" ? "public" : this.#wideNames.has(timeseriesName) ? "wide" : "internal";
    // Names come from producers, so only those that the store knows are remembered.
    if (this.catalogue.get(timeseriesName) !== undefined) this.#places.set(timeseriesName, place);
    return place;
  }

  #hasMissing(timeseriesName: string): boolean {
    return this.#internal.schemas.get(timeseriesName) !== undefined;
  }

  /** Declared timeseries, and those that each database learned, where they are in the right one. */
  *#known(): Generator<TimeseriesSchema> {
    for (const schema of this.#public.schemas.all()) if (this.#visibility(schema.timeseriesName) === "customer") yield schema;
    for (const schema of this.#internal.schemas.all()) if (this.#visibility(schema.timeseriesName) === "operator_only") yield schema;
    // Last, so that what is declared counts.
    yield* this.#declared.values();
  }

  #bounds(retentionDays: number | null): TimeBounds {
    if (retentionDays === null) return { oldestNs: 1n, newestNs: LATEST_NS };
    const nowNs = this.#clock.wallNs();
    const oldestNs = nowNs - BigInt(retentionDays) * NS_PER_DAY;
    return { oldestNs: oldestNs > 0n ? oldestNs : 1n, newestNs: nowNs + BigInt(STORE_FUTURE_MS) * NS_PER_MS };
  }
}

function isOperatorOnly({ visibility }: TimeseriesSchema): boolean {
  return visibility === "operator_only";
}
