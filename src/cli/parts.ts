import { formatSocketAddress, systemClock } from "../core/index.ts";
import { startCollector } from "../collector/index.ts";
import { startNexus } from "../nexus/index.ts";
import { startProducer } from "../producer/index.ts";
import { Lifecycle, loadKeptId, type Logger } from "../runtime/index.ts";
import { loadCatalogue } from "../schema/index.ts";
import { waitForTrustedClock } from "../sources/index.ts";
import type { Store } from "../store/index.ts";
import { openApiAccess, type ApiAccess } from "./api-access.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { listenersOf, type ListeningCommand } from "./listeners.ts";
import { openSources } from "./open-sources.ts";
import { openStore } from "./open-store.ts";
import { selfState } from "./self-state.ts";
import { API_CLOSE_MS, serveCustomerApi, serveOperatorApi } from "./serve-apis.ts";
import { loadSettings, withSettings, type GivenFlags, type SettingFlag, type Settings } from "./settings-flags.ts";
import { END_HELP, waitForEnd } from "./wait-for-end.ts";
import { announce } from "./write.ts";

/** Time that a part gets to finish what it has in hand. */
const STOP_MS = 4_000;

interface Part {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly SettingFlag[];
  /** Starts the part and gives the lines that say where it is. */
  readonly start: (settings: Settings, running: Lifecycle) => Promise<string[]>;
}

/** The parts of `zonemeter up`, each as a process of its own. */
const PARTS: readonly Part[] = [
  {
    name: "producer",
    description: "run the producer alone: sample the sources, register with Nexus, serve collections",
    flags: ["source", "replay", "sampleInterval", "collectInterval"],
    async start({ config, logger }, running) {
      const { producer } = config;
      const measuring = await openSources({ config, stateDir: producer.stateDir, replay: config.up.replay, logger });
      running.add("identity book", () => measuring.book.close());
      const started = await startProducer({
        ...producer.listen,
        nexus: producer.nexus,
        stateDir: producer.stateDir,
        sled: measuring.sled,
        sources: measuring.sources,
        compareSources: producer.compareSources,
        collectIntervalMs: producer.collectIntervalMs,
        catalogue: loadCatalogue(),
        waitForClock: (signal) => waitForTrustedClock({ gate: producer.clockGate, clock: systemClock, signal, logger }),
        logger,
      });
      running.add("producer", () => started.stop(STOP_MS));
      return [`producer ${started.producerId} at ${formatSocketAddress(started.address)}`];
    },
  },
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
      running.add("collector", () => started.stop(STOP_MS));
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

/** `zonemeter producer | collector | nexus | api` */
export const partCommands: readonly CommandDefinition[] = PARTS.map((part) => ({
  define(program, run) {
    const command = program.command(part.name).description(part.description).addHelpText("after", END_HELP);
    withSettings(command, part.flags).action((flags: GivenFlags) => run((context) => runPart(part, flags, context)));
  },
}));

async function runPart(part: Part, flags: GivenFlags, context: CommandContext): Promise<number> {
  const settings = await loadSettings(flags, context);
  const running = new Lifecycle(settings.logger);
  let clean = true;
  try {
    const lines = await part.start(settings, running);
    await announce(context.stdout, `ready ${lines.join(", ")}`, settings.logger);
    await waitForEnd(context.signal);
  } finally {
    clean = await running.stop(STOP_MS + 500);
  }
  return clean ? 0 : 1;
}

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
