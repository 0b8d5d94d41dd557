import { existsSync } from "node:fs";
import type { Clock, TimeseriesSchema } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";
import { hasTables } from "./install-tables.ts";
import { deriveLayout } from "./layout.ts";
import { restUntilInsert } from "./resting-engine.ts";
import { checkRetention } from "./retention.ts";
import { openServerEngine, type ServerOptions } from "./server-engine.ts";
import type { Store } from "./store.ts";
import { WideStore } from "./wide-store.ts";

export interface ImportStoreOptions {
  readonly place: Omit<ServerOptions, "logger"> | { readonly dataDir: string };
  /** Of the targets that rows will be of: the tables of others are none of an import's business, and making them takes longer than small imports do. */
  readonly schemas: readonly TimeseriesSchema[];
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whole days that samples are kept. Where the place keeps samples for ever already it is left so. */
  readonly retentionDays: number;
  /** Nothing will be stored, so nothing is made. */
  readonly dryRun: boolean;
}

/** A store that takes rows and answers nothing. */
export type RowStore = Pick<Store, "insertRows" | "close">;

/**
 * Opens an embedded store or one on a server to put rows into it. Nothing is merged before something is stored. A dry run over a place
 * that has no tables for them makes none, and knows no row. Throws as opening the whole store does.
 */
export async function openImportStore(options: ImportStoreOptions): Promise<RowStore> {
  const { place, schemas, logger, clock, retentionDays, dryRun } = options;
  checkRetention(retentionDays);
  const store = { schemas, logger, clock, retentionDays };
  if (dryRun && "dataDir" in place && !existsSync(place.dataDir)) return WideStore.ofNothing(store);
  const engine =
    "dataDir" in place
      ? await restUntilInsert(await openEmbeddedEngine(place.dataDir, logger))
      : await openServerEngine({ ...place, logger });
  if (dryRun && !(await hasTables(engine, deriveLayout(schemas).tables))) {
    await engine.close();
    return WideStore.ofNothing(store);
  }
  return WideStore.open({ ...store, engine, leaveUnlimited: true });
}
