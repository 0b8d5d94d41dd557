import { join } from "node:path";
import { request } from "undici";
import { Child } from "./child.mjs";
import { writeCgroups, writeFakeKstat } from "./fixtures.mjs";
import { round } from "./measure.mjs";

const PRODUCER = new URL("./producer-child.mjs", import.meta.url).pathname;
const INTERVAL_S = 10;

/** Reads are this much closer together than in life; 60 of them stand for ten minutes. */
const QUICK_MS = 250;
const READS = 60;
const READS_OF_MANY = 3;
const MANY = 10_000;
const IDLE_MS = 3_000;

/**
 * A producer process over so many zones, collected every third read. What it costs at one read every ten seconds: CPU of so many reads
 * and collections by the time they would take, and what it uses when it does nothing.
 */
export async function agent({ workDir, note }) {
  const results = {};
  for (const [kind, env, hostRoot] of [kstat(workDir, 100), cgroup(workDir, 100)]) {
    note(`${kind}, 100 zones`);
    results[kind] = await measure(kind, env, hostRoot, workDir, READS, QUICK_MS);
  }
  for (const [kind, env, hostRoot] of [kstat(workDir, MANY), cgroup(workDir, MANY)]) {
    note(`${kind}, ${MANY} zones`);
    results[`${kind} ${MANY}`] = await measure(kind, env, hostRoot, workDir, READS_OF_MANY, 2_000);
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

async function measure(kind, env, hostRoot, workDir, reads, intervalMs) {
  const rest = await atRest(kind, env, hostRoot, workDir);
  const child = new Child([PRODUCER, JSON.stringify({ kind, intervalMs, hostRoot, workDir })], env);
  try {
    const url = await child.ready();
    // The first reads warm the code up and are not counted.
    const perRead = (await until(child, (cost) => cost.snapshots > 0)).snapshots;
    await drain(url);
    const begun = await child.cost(true);
    let cost = begun;
    let read = 0;
    while (read < reads) {
      await new Promise((resolve) => setTimeout(resolve, intervalMs * 3));
      await drain(url);
      cost = await child.cost();
      if (cost.failure !== null) throw new Error(cost.failure);
      read = Math.round((cost.snapshots - begun.snapshots) / perRead);
    }
    const cpuPerReadMs = (cost.cpuMs - begun.cpuMs) / read;
    return {
      cpuPercent: round((100 * cpuPerReadMs) / (INTERVAL_S * 1000) + 100 * rest.share, 3),
      cpuMsPerRead: round(cpuPerReadMs, 1),
      idlePercent: round(100 * rest.share, 3),
      readWallMs: round((cost.sourceMs - begun.sourceMs) / read, 1),
      rssAtRestMiB: rest.rssMiB,
      rssMiB: round(cost.rssBytes / 2 ** 20, 0),
      loopP99Ms: round(cost.loopP99Ms, 1),
      reads: read,
      dropped: cost.dropped,
    };
  } finally {
    await child.stop();
  }
}

/** Share of a core that a producer uses between its reads, and the memory it has after the first. */
async function atRest(kind, env, hostRoot, workDir) {
  const child = new Child([PRODUCER, JSON.stringify({ kind, intervalMs: 3_600_000, hostRoot, workDir })], env);
  try {
    await child.ready();
    await until(child, (cost) => cost.snapshots > 0);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const before = await child.cost();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const { cpuMs, rssBytes } = await child.cost();
    return { share: (cpuMs - before.cpuMs) / IDLE_MS, rssMiB: round(rssBytes / 2 ** 20, 0) };
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

async function drain(url) {
  for (;;) {
    const { headers, body } = await request(url);
    const bytes = (await body.arrayBuffer()).byteLength;
    if (headers["zonemeter-more"] !== "true" && bytes < 1_000_000) return;
  }
}
