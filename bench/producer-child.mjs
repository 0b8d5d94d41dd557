// A producer in a process of its own. Arguments: a JSON object with `kind` and what that kind needs.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../dist/cli/index.js";

// What `zonemeter producer` loads and sets before it does anything, in its order, so that memory is what it has there. The command itself cannot be
// told of made-up zones or of another root directory.
await import("commander");
await COMMANDS.find(({ names }) => names.includes("producer")).load();
const { formatSocketAddress, systemClock } = await import("../dist/core/index.js");
const { startProducer } = await import("../dist/producer/index.js");
await (await import("../dist/config/index.js")).loadConfig({ file: null, env: {}, flags: {} });
const { createLogger } = await import("../dist/runtime/index.js");
const { loadCatalogue } = await import("../dist/schema/index.js");
const { createSources, openIdentityBook } = await import("../dist/sources/index.js");
const { zonesSource } = await import("./zones-source.mjs");

const options = JSON.parse(process.argv[2]);
const logger = createLogger("error");
const stateDir = mkdtempSync(join(options.workDir ?? tmpdir(), "producer-"));
const sled = {
  rackId: "00000000-0000-4000-8000-000000000001",
  sledId: "00000000-0000-4000-8000-000000000002",
  sledModel: "913-0000019",
  sledRevision: 6,
  sledSerial: "BRM42220001",
};
const book = await openIdentityBook({ stateDir, clock: systemClock });
const sources =
  options.kind === "made"
    ? [{ source: zonesSource(options.zones, options.reads), intervalMs: options.intervalMs, deadlineMs: 10_000, finite: false }]
    : await createSources([options.kind], {
        book,
        clock: systemClock,
        logger,
        intervalsMs: { [options.kind]: options.intervalMs },
        ...(options.hostRoot === undefined ? {} : { hostRoot: options.hostRoot }),
      });
const producer = await startProducer({
  host: "127.0.0.1",
  port: 0,
  nexus: options.nexus ?? null,
  stateDir,
  sled,
  sources,
  compareSources: false,
  collectIntervalMs: 30_000,
  catalogue: loadCatalogue(),
  waitForClock: async () => undefined,
  logger,
});
globalThis.zonemeterBench = () => {
  const { buffered, produced, dropped, sources: bySource } = producer.stats();
  const [own] = [...bySource.values()];
  const lost = [...dropped.values()].reduce((sum, count) => sum + count, 0n);
  return {
    buffered,
    produced: Number(produced),
    dropped: Number(lost),
    snapshots: Number(own.snapshotsTaken),
    sourceMs: Number(own.durationNs) / 1e6,
    missed: Number(own.intervalsMissed),
    failure: own.lastFailure,
  };
};
process.on("SIGTERM", () => process.exit(0));
process.stdout.write(`ready http://${formatSocketAddress(producer.address)}/${producer.producerId}\n`);
