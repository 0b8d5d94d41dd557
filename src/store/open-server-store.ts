import { RETENTION_DAYS } from "../core/index.ts";
import type { WindowData } from "../oxql/index.ts";
import type { EmbeddedStoreOptions } from "./open-embedded-store.ts";
import { RoutedStore } from "./routed-store.ts";
import { openServerEngine, type ServerOptions } from "./server-engine.ts";
import type { Store } from "./store.ts";

export interface ServerStoreOptions extends ServerOptions, Omit<EmbeddedStoreOptions, "dataDir" | "logger"> {}

/**
 * Opens a store on a ClickHouse server, which other processes may use at the same time. Tables that it lacks are made. Throws as
 * `openServerEngine` and `openEmbeddedStore` do.
 */
export async function openServerStore(options: ServerStoreOptions): Promise<Store & WindowData> {
  const { customerNames = [], clock, logger, retentionDays = RETENTION_DAYS, schemas } = options;
  const engine = await openServerEngine(options);
  return RoutedStore.open({ engine, schemas, customerNames, logger, clock, retentionDays, shared: true });
}
