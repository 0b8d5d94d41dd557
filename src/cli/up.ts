import { join, resolve } from "node:path";
import { startCollector, type Collector } from "../collector/index.ts";
import { systemClock, type SocketAddress } from "../core/index.ts";
import { startNexus } from "../nexus/index.ts";
import { startProducer, type Producer } from "../producer/index.ts";
import { Lifecycle, loadKeptId, sleep, type Logger } from "../runtime/index.ts";
import { loadCatalogue } from "../schema/index.ts";
import { waitForTrustedClock, type ReplaySource } from "../sources/index.ts";
import { openApiAccess } from "./api-access.ts";
import { checkPorts } from "./check-ports.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { listenersOf } from "./listeners.ts";
import { lossLines } from "./loss-lines.ts";
import { checkSources, openSources, replayOf } from "./open-sources.ts";
import { openStore } from "./open-store.ts";
import { COLLECTOR_PORT_OFFSET, LOOPBACK } from "./ports.ts";
import { selfState } from "./self-state.ts";
import { API_CLOSE_MS, serveCustomerApi, serveOperatorApi } from "./serve-apis.ts";
import { loadSettings, withSettings, type GivenFlags, type Settings } from "./settings-flags.ts";
import { END_HELP, waitForEnd } from "./wait-for-end.ts";
import { announce } from "./write.ts";

/** Time for the first samples to be stored before `ready` is printed all the same: a clock that is not set yet must not look like a hang. */
const FIRST_SAMPLES_MS = 15_000;

/** How often it is looked whether the first samples, or a recording, have been stored. */
const PROGRESS_LOOK_MS = 50;

/** At most this long a sample waits for an insert, so that what was collected can be asked for at once. */
const UP_BATCH_INTERVAL_MS = 1_000;

/** How often the collector reads the list of producers: there is one, and it changes only when this process starts. */
const UP_REFRESH_MS = 2_000;

/** Of the 5 s after SIGTERM: for the last collection, and the most for one part. */
const LAST_COLLECTION_MS = 1_500;
const PART_STOP_MS = 2_500;

/** `zonemeter up` */
export const upCommand: CommandDefinition = {
  define(program, run) {
    const command = program.command("up").description("run everything in one process: sources, producer, Nexus, collector, store and APIs");
    withSettings(command, [
      "dataDir",
      "store",
      "source",
      "replay",
      "recordedStart",
      "recordedInterval",
      "sampleInterval",
      "collectInterval",
      "portBase",
    ]);
    command.addHelpText("after", END_HELP).action((flags: GivenFlags) => run((context) => up(flags, context)));
  },
};

async function up(flags: GivenFlags, context: CommandContext): Promise<number> {
  const settings = await loadSettings(flags, context);
  const parts = new Lifecycle(settings.logger);
  let clean = true;
  try {
    const running = await start(settings, parts, context.signal);
    if (running !== null) await serve(running, context, settings.logger);
  } finally {
    clean = await parts.stop(PART_STOP_MS);
  }
  return clean ? 0 : 1;
}

interface Running {
  readonly producer: Producer;
  readonly collector: Collector;
  readonly operatorUrl: string;
  readonly replay: ReplaySource | null;
}

/** Starts every part in the order in which they need each other; null where the process was asked to end meanwhile. */
async function start(settings: Settings, parts: Lifecycle, signal: AbortSignal): Promise<Running | null> {
  const { config, logger, named } = settings;
  const { portBase, replay } = config.up;
  const dataDir = resolve(config.up.dataDir);
  const stateDir = join(dataDir, "state");
  const at = (offset: number): SocketAddress => ({ host: LOOPBACK, port: portBase + offset });

  const access = await openApiAccess(settings);
  const listeners = listenersOf("up", config, access, named);
  parts.add("token file", async () => access.close());
  // What is wrong with the command line is found out before the data directory is touched.
  await checkSources({ config, replay, logger });
  await checkPorts(listeners);
  const catalogue = loadCatalogue();
  const store = await openStore({
    ...settings,
    dataDir: join(dataDir, "store"),
    dataDirSetting: "up.data_dir",
    // A recording is as old as it is: it must neither be refused nor expire.
    retentionDays: replay.length > 0 ? null : config.store.retentionDays,
  });
  parts.add("store", () => store.close());
  const measuring = await openSources({ config, stateDir, replay, logger });
  parts.add("identity book", () => measuring.book.close());
  let handedOn = false;
  parts.add("sources", async () => {
    if (!handedOn) await Promise.all(measuring.sources.map(({ source }) => source.close()));
  });

  // Its port was another one; the data directory is held, so no other process is that producer now.
  const endedProducerId = await loadKeptId(stateDir, "producer", logger);
  const nexus = await startNexus({ ...at(0), stateFile: join(stateDir, "nexus.json"), endedProducerId, clock: systemClock, logger });
  parts.add("Nexus", () => nexus.close());
  const collector = await startCollector({
    collectorId: await loadKeptId(stateDir, "collector", logger),
    ...at(COLLECTOR_PORT_OFFSET),
    nexus: nexus.address,
    sink: store,
    catalogue,
    firstPollAtOnce: true,
    logger,
    limits: { batchIntervalMs: UP_BATCH_INTERVAL_MS, refreshMs: UP_REFRESH_MS },
  });
  parts.add("collector", () => collector.stop(PART_STOP_MS / 2));
  let producer: Producer | null = null;
  const operatorApi = await serveOperatorApi({
    access,
    store,
    logger,
    notReady: () => {
      if (producer?.stats().registration?.registered !== true) return "the producer is not registered yet";
      const failure = collector.stats().insertFailure;
      return failure === null ? null : `samples cannot be stored: ${failure}`;
    },
    metrics: () => selfState(producer?.stats() ?? null, collector.stats()),
  });
  parts.add("operator API", () => operatorApi.close(API_CLOSE_MS));
  const customerApi = await serveCustomerApi({ access, store, logger });
  parts.add("customer API", () => customerApi.close(API_CLOSE_MS));
  if (!(await collector.registered) || signal.aborted) return null;

  const started = await startProducer({
    host: LOOPBACK,
    port: 0,
    nexus: nexus.address,
    stateDir,
    sled: measuring.sled,
    sources: measuring.sources,
    compareSources: config.producer.compareSources,
    collectIntervalMs: config.producer.collectIntervalMs,
    catalogue,
    waitForClock: (gateSignal) => waitForTrustedClock({ gate: config.up.clockGate, clock: systemClock, signal: gateSignal, logger }),
    logger,
  });
  producer = started;
  handedOn = true;
  parts.add("producer", () => stopMeasuring(started, collector));
  return {
    producer: started,
    collector,
    operatorUrl: operatorApi.url,
    replay: replayOf(measuring.sources),
  };
}

/** Ends the producer while the collector fetches what it still has, so that what was measured until now is stored. */
async function stopMeasuring(producer: Producer, collector: Collector): Promise<void> {
  const untilMs = performance.now() + LAST_COLLECTION_MS;
  let stopped = false;
  const stopping = producer.stop(LAST_COLLECTION_MS).finally(() => (stopped = true));
  // The producer's last read may end after one flush has begun, so one is not always enough.
  for (let leftMs = LAST_COLLECTION_MS; !stopped && leftMs > 0; leftMs = untilMs - performance.now()) {
    await collector.flush(leftMs);
    await sleep(PROGRESS_LOOK_MS);
  }
  await stopping;
}

/** Says when everything answers, and when a recording is stored; then waits until the process is asked to end. */
async function serve(running: Running, context: CommandContext, logger: Logger): Promise<void> {
  const { collector, operatorUrl, producer, replay } = running;
  const { signal, stdout, stderr } = context;
  const startedMs = performance.now();
  while (!signal.aborted && collector.stats().stored === 0n && performance.now() - startedMs < FIRST_SAMPLES_MS)
    await sleep(PROGRESS_LOOK_MS, signal);
  if (signal.aborted) return;
  await announce(stdout, `ready ${operatorUrl}`, logger);
  if (replay !== null) {
    while (!signal.aborted && !isReplayed(producer)) await sleep(PROGRESS_LOOK_MS, signal);
    if (signal.aborted) return;
    const { failure } = producer.replayed();
    const { replayed } = replay.progress();
    if (failure === null) await announce(stdout, `replayed ${replayed} of ${replayed} snapshots`, logger);
    else stderr.write(`zonemeter: the recording could only be played up to snapshot ${replayed}: ${failure}\n`);
    for (const line of lossLines(replay.losses())) stderr.write(line);
  }
  await waitForEnd(signal);
}

function isReplayed(producer: Producer): boolean {
  const { ended, snapshotsDelivered, snapshotsRead } = producer.replayed();
  return ended && snapshotsDelivered === snapshotsRead;
}
