import type { Clock, Sample, TimeseriesSchema, Visibility } from "../core/index.ts";
import type { Selection, SelectRequest } from "../oxql/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { Engine } from "./engine.ts";
import { installNarrow } from "./narrow-install.ts";
import { NarrowReader } from "./narrow-reader.ts";
import { NarrowSchemas } from "./narrow-schemas.ts";
import type { NarrowDatabase } from "./narrow-tables.ts";
import { NarrowWriter } from "./narrow-writer.ts";
import type { TimeBounds } from "./sample-resolver.ts";
import type { InsertReport } from "./store.ts";

export interface NarrowStoreOptions {
  readonly engine: Engine;
  readonly database: NarrowDatabase;
  /** What its timeseries are that nothing declares. */
  readonly visibility: Visibility;
  readonly declared: ReadonlyMap<string, TimeseriesSchema>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** One database in upstream's layout: what is known of it, the way in and the way out. */
export class NarrowStore {
  readonly schemas: NarrowSchemas;
  readonly #options: NarrowStoreOptions;
  readonly #writer: NarrowWriter;
  readonly #reader: NarrowReader;

  constructor(options: NarrowStoreOptions) {
    const { clock, database, declared, engine, visibility } = options;
    this.#options = options;
    this.schemas = new NarrowSchemas(engine, database, visibility, clock);
    this.#writer = new NarrowWriter(engine, database, this.schemas, (name) => declared.get(name), clock);
    this.#reader = this.readerFor(engine);
  }

  /** Makes or checks the tables, then reads the schemas. Rejects as `installNarrow` does. */
  async open(): Promise<void> {
    await installNarrow(this.#options.engine, this.#options.database, this.#options.logger);
    await this.schemas.load();
  }

  insert(samples: readonly Sample[], token: string, bounds: TimeBounds): Promise<InsertReport> {
    return this.#writer.insert(samples, token, bounds);
  }

  select(request: SelectRequest, signal: AbortSignal): Promise<Selection> {
    return this.#reader.select(request, signal);
  }

  /** Reads through another door of the engine. */
  readerFor(engine: Pick<Engine, "query">): NarrowReader {
    return new NarrowReader(engine, this.#options.database.name);
  }
}
