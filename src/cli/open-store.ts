import type { Config } from "../config/index.ts";
import { messageOf, systemClock, ZonemeterError } from "../core/index.ts";
import { makeDirectory, type Logger } from "../runtime/index.ts";
import { loadCatalogue, loadCustomerNames } from "../schema/index.ts";
import { openEmbeddedStore, openServerStore, type Store } from "../store/index.ts";

export interface OpenStoreOptions {
  readonly config: Config;
  /** Of the embedded store; made where it is missing. */
  readonly dataDir: string;
  /** Null keeps samples for ever. */
  readonly retentionDays: number | null;
  readonly logger: Logger;
}

/** Opens the store that the configuration names: a ClickHouse server where there is an address, else the embedded one. */
export async function openStore({ config, dataDir, logger, retentionDays }: OpenStoreOptions): Promise<Store> {
  const { password, tlsCa, url, user } = config.store;
  const common = { schemas: loadCatalogue(), customerNames: loadCustomerNames(), logger, clock: systemClock, retentionDays };
  if (url !== null) return openServerStore({ ...common, url, user, password, tlsCa });
  try {
    await makeDirectory(dataDir, 0o700);
  } catch (error) {
    throw new ZonemeterError(
      "unavailable",
      `The data directory ${dataDir} cannot be made (${messageOf(error)}): name another with --data-dir.`,
      { cause: error },
    );
  }
  return openEmbeddedStore({ ...common, dataDir });
}
