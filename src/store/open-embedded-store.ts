import { RETENTION_DAYS, type Clock, type TimeseriesSchema } from "../core/index.ts";
import type { WindowData } from "../oxql/index.ts";
import type { Logger } from "../runtime/index.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";
import { checkRetention } from "./retention.ts";
import { RoutedStore } from "./routed-store.ts";
import type { Store } from "./store.ts";

export interface EmbeddedStoreOptions {
  /** Made where it is missing. One process at a time may have it, and a process may have one. */
  readonly dataDir: string;
  readonly schemas: Iterable<TimeseriesSchema>;
  /** Timeseries that no schema here declares and customers may see nevertheless; none where this is not given. */
  readonly customerNames?: readonly string[];
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whole days that samples are kept, RETENTION_DAYS if not given; null keeps them for ever and refuses none for its time. */
  readonly retentionDays?: number | null;
}

/**
 * Opens a store with ClickHouse inside this process. Throws ZonemeterError `unavailable` where the platform has no build of it or the directory
 * can't be used, `conflict` where another process has the directory, `config` where stored columns contradict the schemas.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store & WindowData> {
  const { dataDir, customerNames = [], logger, clock, retentionDays = RETENTION_DAYS } = options;
  if (retentionDays !== null) checkRetention(retentionDays);
  const schemas = [...options.schemas];
  const visible = [...customerNames];
  for (const { timeseriesName, visibility } of schemas) if (visibility === "customer") visible.push(timeseriesName);
  const engine = await openEmbeddedEngine(dataDir, logger, visible);
  return RoutedStore.open({ engine, schemas, customerNames, logger, clock, retentionDays });
}
