import { join } from "node:path";
import { request } from "undici";
import { systemClock } from "../dist/core/index.js";
import { startNexus } from "../dist/nexus/index.js";
import { silentLogger } from "../dist/runtime/index.js";
import { Child } from "./child.mjs";
import { writeCgroups, writeFakeKstat } from "./fixtures.mjs";
import { round } from "./measure.mjs";

const PRODUCER = new URL("./producer-child.mjs", import.meta.url).pathname;
const INTERVAL_S = 10;
const READS_PER_POLL = 3;
const MANY = 10_000;
const IDLE_MS = 10_000;

/** Reads are this much closer together than in life; 200 of them stand for 33 minutes. */
const FEW_ZONES = { intervalMs: 250, reads: 200, readsAfter: 30 };
const MANY_ZONES = { intervalMs: 2_000, reads: 6, readsAfter: 3 };

const METHOD =
  `a producer with all that the command loads, registered with a Nexus; a stock collector drains it every ${READS_PER_POLL} reads; ` +
  "then nobody does until the ring is full and gives up its oldest; then the collector is back. " +
  "Memory is VmRSS at its highest of each part (peak: VmHWM); CPU is of all threads, without the child that prints";

/**
 * A producer process over so many zones. What it costs at one read every ten seconds: CPU of so many reads and collections by the time they would
 * take, and what it uses when it does nothing.
 */
export async function agent({ workDir, note }) {
  const results = { method: METHOD };
  const nexus = await startNexus({ host: "127.0.0.1", port: 0, stateFile: null, clock: systemClock, logger: silentLogger });
  try {
    for (const zones of [100, MANY]) {
      for (const [kind, env, hostRoot] of [kstat(workDir, zones), cgroup(workDir, zones)]) {
        note(`${kind}, ${zones} zones`);
        const settings = { kind, hostRoot, workDir, nexus: nexus.address };
        const rest = await atRest(settings, env);
        const work = await atWork(settings, env, zones === MANY ? MANY_ZONES : FEW_ZONES);
        const cpuPercent = round(rest.idlePercent + work.cpuMsPerRead / (INTERVAL_S * 10), 3);
        results[zones === MANY ? `${kind} ${MANY}` : kind] = { cpuPercent, ...rest, ...work };
      }
    }
  } finally {
    await nexus.close();
  }
  return results;
}

function kstat(workDir, zones) {
  const folder = join(workDir, `kstat-${zones}`);
  writeFakeKstat(folder, zones);
  return ["kstat", { PATH: `${folder}:${process.env.PATH}` }, undefined];
}

function cgroup(workDir, groups) {
  const root = join(workDir, `host-${groups}`);
  writeCgroups(root, groups);
  return ["cgroup", {}, root];
}

/** Share of a core that a producer uses between its reads, and the memory it has after the first. */
async function atRest(settings, env) {
  const child = new Child([PRODUCER, JSON.stringify({ ...settings, intervalMs: 3_600_000 })], env);
  try {
    await child.ready();
    await until(child, (cost) => cost.snapshots > 0);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const before = await child.cost();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const { cpuMs, rssBytes } = await child.cost();
    return { idlePercent: round((100 * (cpuMs - before.cpuMs)) / IDLE_MS, 3), rssAtRestMiB: mib(rssBytes) };
  } finally {
    await child.stop();
  }
}

async function atWork(settings, env, { intervalMs, reads, readsAfter }) {
  const child = new Child([PRODUCER, JSON.stringify({ ...settings, intervalMs })], env);
  try {
    const url = await child.ready();
    // The first reads warm the code up and are not counted.
    const perRead = (await until(child, (cost) => cost.snapshots > 0)).snapshots;
    await drain(url);
    const begun = await child.cost(true);
    const readsSince = (cost) => Math.round((cost.snapshots - begun.snapshots) / perRead);
    let highest = 0;
    const look = async () => {
      const cost = await child.cost();
      if (cost.failure !== null) throw new Error(cost.failure);
      highest = Math.max(highest, cost.rssBytes);
      return cost;
    };
    const pollUntil = async (enough) => {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, intervalMs * READS_PER_POLL));
        await drain(url, look);
        const cost = await look();
        if (readsSince(cost) >= enough) return cost;
      }
    };
    const polled = await pollUntil(reads);
    const rssPolledMiB = mib(highest);
    highest = 0;
    let full = polled;
    while (full.dropped === 0) {
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
      full = await look();
    }
    const rssFullMiB = mib(highest);
    highest = 0;
    const after = await pollUntil(readsSince(full) + readsAfter);
    const cpuMsPerRead = (polled.cpuMs - begun.cpuMs) / readsSince(polled);
    return {
      cpuMsPerRead: round(cpuMsPerRead, 1),
      readWallMs: round((polled.sourceMs - begun.sourceMs) / readsSince(polled), 1),
      reads: readsSince(polled),
      rssPolledMiB,
      samplesInFullRing: full.buffered,
      rssFullMiB,
      rssAfterMiB: mib(highest),
      rssPeakMiB: mib(after.peakRssBytes),
      loopP99Ms: round(polled.loopP99Ms, 1),
      loopMaxMs: round(polled.loopMaxMs, 1),
      readsInAll: readsSince(after),
      dropped: after.dropped,
    };
  } finally {
    await child.stop();
  }
}

async function until(child, holds) {
  for (;;) {
    const cost = await child.cost();
    if (cost.failure !== null && cost.failure !== undefined) throw new Error(cost.failure);
    if (holds(cost)) return cost;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Empties the ring as a stock collector does, and looks at the producer after each response. */
async function drain(url, look = async () => undefined) {
  for (;;) {
    const { headers, body } = await request(url);
    const bytes = (await body.arrayBuffer()).byteLength;
    await look();
    if (headers["zonemeter-more"] !== "true" && bytes < 1_000_000) return;
  }
}

function mib(bytes) {
  return round(bytes / 2 ** 20, 0);
}
