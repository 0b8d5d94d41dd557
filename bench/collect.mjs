import { rmSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "undici";
import { SampleCheck } from "../dist/collector/sample-check.js";
import { systemClock } from "../dist/core/index.js";
import { silentLogger } from "../dist/runtime/index.js";
import { loadCatalogue } from "../dist/schema/index.js";
import { openEmbeddedStore } from "../dist/store/index.js";
import { ProducerResultsReader } from "../dist/wire/index.js";
import { cpuMs, round } from "./measure.mjs";
import { collector, filledProducer } from "./serve.mjs";
import { SAMPLES_OF_A_ZONE } from "./zones-source.mjs";

const ZONES = 100;
const READS = 180;
const BATCH = 10_000;
const WARM_UP = 5;

/** Samples in Oximeter's full shape for each CPU second of reading, checking and storing, the engine's own threads included. */
export async function collect({ workDir }) {
  const bodies = await bodiesOf(workDir);
  const dataDir = join(workDir, "collect");
  const catalogue = loadCatalogue();
  const store = await openEmbeddedStore({ dataDir, schemas: catalogue, logger: silentLogger, clock: systemClock, retentionDays: null });
  const reader = new ProducerResultsReader();
  const check = new SampleCheck(catalogue);
  const spent = { read: 0, store: 0 };
  let samples = 0;
  let startedMs = 0;
  try {
    for (const [number, body] of bodies.entries()) {
      if (number === WARM_UP) [samples, spent.read, spent.store, startedMs] = [0, 0, 0, performance.now()];
      let before = process.cpuUsage();
      const read = reader.read(body).flatMap((result) => (result.status === "ok" ? result.samples : []));
      const good = read.filter((sample) => check.refusal(sample) === null);
      spent.read += cpuMs(before);
      before = process.cpuUsage();
      const { stored } = await store.insert(good, `bench ${number}`);
      spent.store += cpuMs(before);
      if (stored !== read.length) throw new Error(`${read.length - stored} of ${read.length} samples were refused`);
      samples += stored;
    }
    const wallMs = performance.now() - startedMs;
    const perSecond = (ms) => Math.round(samples / (ms / 1000));
    return {
      samplesPerCoreSecond: perSecond(spent.read + spent.store),
      readAndCheckAlone: perSecond(spent.read),
      storeAlone: perSecond(spent.store),
      samplesPerWallSecond: perSecond(wallMs),
      samples,
      bytesPerSample: round(bodies.reduce((sum, body) => sum + body.length, 0) / (ZONES * READS * SAMPLES_OF_A_ZONE), 0),
    };
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function bodiesOf(workDir) {
  const { child, url } = await filledProducer(ZONES, READS, workDir);
  const agent = new Agent({ pipelining: 1, connections: 1 });
  try {
    const next = collector(agent, url, BATCH);
    const bodies = [];
    while ((await child.cost()).buffered > BATCH) bodies.push(await next());
    return bodies;
  } finally {
    await child.stop();
    await agent.close();
  }
}
