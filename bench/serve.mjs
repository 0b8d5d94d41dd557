import { randomUUID } from "node:crypto";
import { Agent, request } from "undici";
import { Child } from "./child.mjs";
import { round } from "./measure.mjs";
import { SAMPLES_OF_A_ZONE } from "./zones-source.mjs";

const PRODUCER = new URL("./producer-child.mjs", import.meta.url).pathname;
const ZONES = 100;
const SAMPLES = ZONES * SAMPLES_OF_A_ZONE;
const WARM_UP = 20;
const COLLECTIONS = 120;

/** CPU of a producer process for each collection of 1,200 samples, its ring filled before and nothing sampled meanwhile. */
export async function serve({ workDir }) {
  const reads = WARM_UP + COLLECTIONS + 5;
  const { child, url } = await filledProducer(ZONES, reads, workDir);
  const agent = new Agent({ pipelining: 1, connections: 1 });
  try {
    const collect = collector(agent, url, SAMPLES);
    for (let i = 0; i < WARM_UP; i++) await collect();
    const before = await child.cost(true);
    let bytes = 0;
    for (let i = 0; i < COLLECTIONS; i++) bytes += (await collect()).length;
    const after = await child.cost();
    return {
      cpuMs: round((after.cpuMs - before.cpuMs) / COLLECTIONS, 2),
      bytes: Math.round(bytes / COLLECTIONS),
      samples: SAMPLES,
      loopP99Ms: round(after.loopP99Ms, 1),
      rssMiB: round(after.rssBytes / 2 ** 20, 0),
    };
  } finally {
    await child.stop();
    await agent.close();
  }
}

/** A producer whose ring holds so many reads of so many zones. */
export async function filledProducer(zones, reads, workDir) {
  const child = new Child([PRODUCER, JSON.stringify({ kind: "made", zones, reads, intervalMs: 5, workDir })]);
  const url = await child.ready();
  while ((await child.cost()).snapshots < zones * reads) await new Promise((resolve) => setTimeout(resolve, 50));
  return { child, url };
}

/** Fetches one batch after the other, each call acknowledging the one before, as our collector does. */
export function collector(dispatcher, url, maxSamples) {
  const id = randomUUID();
  let stored = null;
  return async () => {
    const headers = {
      "zonemeter-collector": id,
      "zonemeter-max-samples": String(maxSamples),
      ...(stored === null ? {} : { "zonemeter-stored": stored }),
    };
    const answer = await request(url, { headers, dispatcher });
    const body = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode !== 200) throw new Error(`the producer answered with ${answer.statusCode}`);
    stored = answer.headers["zonemeter-batch"] ?? stored;
    return body;
  };
}
