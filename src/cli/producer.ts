import { formatSocketAddress, systemClock } from "../core/index.ts";
import { startProducer } from "../producer/index.ts";
import { loadCatalogue } from "../schema/index.ts";
import { waitForTrustedClock } from "../sources/index.ts";
import { openSources } from "./open-sources.ts";
import { PART_STOP_MS, partCommand } from "./part.ts";

/** `zonemeter producer`. Apart from the other parts, since it is what runs on every sled: it loads nothing that it does not use. */
export const producerCommand = partCommand({
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
    running.add("producer", () => started.stop(PART_STOP_MS));
    return [`producer ${started.producerId} at ${formatSocketAddress(started.address)}`];
  },
});
