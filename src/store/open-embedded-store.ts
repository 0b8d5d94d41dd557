import { RETENTION_DAYS, STORE_RETENTION_MAX_DAYS, ZonemeterError, type Clock, type TimeseriesSchema } from "../core/index.ts";
import type { WindowData } from "../oxql/index.ts";
import type { Logger } from "../runtime/index.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";
import { restUntilInsert } from "./resting-engine.ts";
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
  /** Opened to import: where the directory keeps samples for ever already it is left so, and nothing is merged before something is stored. */
  readonly forImport?: boolean;
}

/**
 * Opens a store with ClickHouse inside this process. Throws ZonemeterError `unavailable` where the platform has no build of it or the directory
 * can't be used, `conflict` where another process has the directory, `config` where stored columns contradict the schemas.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store & WindowData> {
  const { dataDir, customerNames = [], logger, clock, retentionDays = RETENTION_DAYS, forImport = false } = options;
  if (retentionDays !== null && !(Number.isInteger(retentionDays) && retentionDays >= 1 && retentionDays <= STORE_RETENTION_MAX_DAYS)) {
    throw new ZonemeterError(
      "config",
      `Samples cannot be kept for ${retentionDays} days: give a whole number from 1 to ${STORE_RETENTION_MAX_DAYS}.`,
    );
  }
  const schemas = [...options.schemas];
  const visible = [...customerNames];
  for (const { timeseriesName, visibility } of schemas) if (visibility === "customer") visible.push(timeseriesName);
  const engine = await openEmbeddedEngine(dataDir, logger, visible);
  const used = forImport ? await restUntilInsert(engine) : engine;
  return RoutedStore.open({ engine: used, schemas, customerNames, logger, clock, retentionDays, leaveUnlimited: forImport });
}
