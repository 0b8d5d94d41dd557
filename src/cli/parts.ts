import { formatSocketAddress, systemClock } from "../core/index.ts";
import { startCollector } from "../collector/index.ts";
import { startNexus } from "../nexus/index.ts";
import { loadKeptId, type Lifecycle, type Logger } from "../runtime/index.ts";
import { loadCatalogue } from "../schema/index.ts";
import type { Store } from "../store/index.ts";
import { openApiAccess, type ApiAccess } from "./api-access.ts";
import type { CommandDefinition } from "./command.ts";
import { listenersOf, type ListeningCommand } from "./listeners.ts";
import { openStore } from "./open-store.ts";
import { PART_STOP_MS, partCommand, type Part } from "./part.ts";
import { selfState } from "./self-state.ts";
import { API_CLOSE_MS, serveCustomerApi, serveOperatorApi } from "./serve-apis.ts";
import type { Settings } from "./settings-flags.ts";

/** The parts of `zonemeter up` that serve a rack, each as a process of its own. */
const PARTS: readonly Part[] = [
  {
    name: "collector",
    description: "run the collector alone: poll producers, store what they give; the operator and customer APIs come with it",
    flags: ["store"],
    async start(settings, running) {
      const { config, logger } = settings;
      const { collector } = config;
      const access = await openAccess("collector", settings, running);
      const store = await openPartStore(settings);
      running.add("store", () => store.close());
      const started = await startCollector({
        collectorId: await loadKeptId(collector.stateDir, "collector", logger),
        ...collector.listen,
        nexus: collector.nexus,
        sink: store,
        catalogue: loadCatalogue(),
        firstPollAtOnce: false,
        logger,
        limits: {
          batchSamples: collector.batchSamples,
          batchIntervalMs: collector.batchIntervalMs,
          refreshMs: collector.refreshIntervalMs,
        },
      });
      running.add("collector", () => started.stop(PART_STOP_MS));
      started.registered.catch((error: unknown) => logger.error({ error }, "Nexus refused the collector"));
      const apis = await serveApis(access, store, logger, running, () => selfState(null, started.stats()));
      return [`collector at ${formatSocketAddress(started.address)}`, ...apis];
    },
  },
  {
    name: "nexus",
    description: "run the standalone Nexus alone: registrations, leases, assignment",
    flags: [],
    async start({ config, logger }, running) {
      const { listen, leaseMs, expirySweepMs, stateFile } = config.nexus;
      const nexus = await startNexus({ ...listen, leaseMs, expirySweepMs, stateFile, clock: systemClock, logger });
      running.add("Nexus", () => nexus.close());
      return [`nexus at ${formatSocketAddress(nexus.address)}`];
    },
  },
  {
    name: "api",
    description: "serve the operator and customer APIs over a ClickHouse server, or an embedded store that no collector has open",
    flags: ["store"],
    async start(settings, running) {
      const access = await openAccess("api", settings, running);
      const store = await openPartStore(settings);
      running.add("store", () => store.close());
      return serveApis(access, store, settings.logger, running, () => selfState(null, null));
    },
  },
];

/** `zonemeter collector | nexus | api` */
export const partCommands: readonly CommandDefinition[] = PARTS.map(partCommand);

/** Before anything else is started: what is wrong with who may ask is told at once. */
async function openAccess(command: ListeningCommand, settings: Settings, running: Lifecycle): Promise<ApiAccess> {
  const access = await openApiAccess(settings);
  running.add("token file", async () => access.close());
  listenersOf(command, settings.config, access, settings.named);
  return access;
}

function openPartStore(settings: Settings): Promise<Store> {
  const { dataDir, retentionDays } = settings.config.store;
  return openStore({ ...settings, dataDir, dataDirSetting: "store.data_dir", retentionDays });
}

async function serveApis(access: ApiAccess, store: Store, logger: Logger, running: Lifecycle, metrics: () => string): Promise<string[]> {
  const operator = await serveOperatorApi({ access, store, logger, notReady: () => null, metrics });
  running.add("operator API", () => operator.close(API_CLOSE_MS));
  const customer = await serveCustomerApi({ access, store, logger });
  running.add("customer API", () => customer.close(API_CLOSE_MS));
  return [`operator API ${operator.url}`, `customer API ${customer.url}`];
}
