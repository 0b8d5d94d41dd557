import type { Config, SettingName } from "../config/index.ts";
import { messageOf, systemClock, ZonemeterError } from "../core/index.ts";
import { makeDirectory, type Logger } from "../runtime/index.ts";
import { loadCatalogue, loadCustomerNames } from "../schema/index.ts";
import { openEmbeddedStore, openServerStore, type Store } from "../store/index.ts";

export interface OpenStoreOptions {
  readonly config: Config;
  readonly named: SettingName;
  /** Of the embedded store; made where it is missing. */
  readonly dataDir: string;
  /** The setting that says so. */
  readonly dataDirSetting: string;
  /** Null keeps samples for ever. */
  readonly retentionDays: number | null;
  readonly logger: Logger;
}

/** Opens the store that the configuration names: a ClickHouse server where there is an address, else the embedded one. */
export async function openStore({ config, named, dataDir, dataDirSetting, logger, retentionDays }: OpenStoreOptions): Promise<Store> {
  const { password, tlsCa, url, user } = config.store;
  const common = { schemas: loadCatalogue(), customerNames: loadCustomerNames(), logger, clock: systemClock, retentionDays };
  if (url !== null) return aboutServer(named, openServerStore({ ...common, url, user, password, tlsCa }));
  try {
    await makeDirectory(dataDir, 0o700);
  } catch (error) {
    throw new ZonemeterError(
      "unavailable",
      `${named(dataDirSetting)} is ${dataDir}, which cannot be made (${messageOf(error)}): name another folder.`,
      { cause: error },
    );
  }
  return openEmbeddedStore({ ...common, dataDir });
}

/** Puts before what is wrong with a ClickHouse server where its address comes from. */
export async function aboutServer<T>(named: SettingName, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof ZonemeterError)) throw error;
    throw new ZonemeterError(error.code, `${named("store.url")}: ${error.message}`, { cause: error });
  }
}
