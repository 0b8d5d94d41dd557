import { existsSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { fleetMeta, loadFleet } from "../tools/fleet/load.mjs";
import { difference, valuesOf } from "./answers.mjs";
import { Child } from "./child.mjs";
import { quantile, round } from "./measure.mjs";
import { hasPeer, loadPeer, Peer, promqlPath } from "./peer.mjs";
import { QUESTIONS } from "./questions.mjs";
import { trueAnswers } from "./truth.mjs";

const PROGRAM = new URL("../dist/bin/zonemeter.js", import.meta.url).pathname;

/** The eight questions to a process of our own over HTTP, and to the peer if it is installed: times, CPU and whether the values are right. */
export async function queries({ fleet, dataDir, peerDir, runs, note }) {
  const { end } = fleetMeta(fleet);
  if (!existsSync(dataDir)) {
    note("loading the store");
    await loadFleet(fleet, join(dataDir, "store"));
  }
  note("working the answers out");
  const truth = await trueAnswers(fleet);
  const peer = await openPeer(fleet, peerDir, note);
  const api = new Child([PROGRAM, "api"], {
    ZONEMETER_STORE_DATA_DIR: join(dataDir, "store"),
    ZONEMETER_STORE_RETENTION_DAYS: "3650",
    ZONEMETER_API_OPERATOR_LISTEN: "127.0.0.1:0",
    ZONEMETER_API_CUSTOMER_LISTEN: "127.0.0.1:0",
    ZONEMETER_LOG_LEVEL: "error",
  });
  const agent = new Agent({ pipelining: 1, connections: 1 });
  try {
    const url = /operator API ([^\s,]+)/.exec(await api.ready())[1];
    const results = [];
    for (const question of QUESTIONS) {
      const query = question.oxql({ end: `@${new Date(end * 1000).toISOString().slice(0, -5)}`, zone: truth.zone });
      const ask = () => post(agent, `${url}/v1/system/timeseries/query`, { query });
      const ours = await timed(ask, runs, async () => (await api.cost()).cpuMs);
      const problem = difference(valuesOf(question.id, JSON.parse(ours.body)), truth.answers[question.id]);
      const theirs = {};
      for (const form of ["quantised", "exact"]) {
        const expression = question.promql[form];
        if (peer === null || expression === undefined) continue;
        theirs[form] = await timed(
          () => peer.get(promqlPath(question.promql, expression, end, truth.zone)),
          runs,
          () => peer.cpuMs(),
        );
      }
      results.push({ id: question.id, asks: question.asks, ours: figures(ours), problem, peer: mapped(theirs, figures) });
      note(`${question.id} ${problem ?? "right"}`);
    }
    return { peer: peer !== null, results, rssBytes: (await api.cost()).rssBytes };
  } finally {
    await api.stop();
    await agent.close();
    await peer?.stop();
  }
}

async function openPeer(fleet, peerDir, note) {
  if (!hasPeer()) return null;
  const fresh = !existsSync(peerDir);
  const peer = await Peer.start(peerDir);
  if (!fresh) return peer;
  note("loading the peer");
  await loadPeer(peer, fleet, { quantised: true, exact: true });
  await peer.settle();
  // As ours, it answers from a fresh process.
  await peer.stop();
  return Peer.start(peerDir);
}

async function post(agent, url, body) {
  const answer = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    dispatcher: agent,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`the API answered with ${answer.statusCode}: ${text}`);
  return text;
}

/** One run to warm up, then `runs` that count. */
async function timed(ask, runs, cpuNow) {
  await ask();
  const cpuBefore = await cpuNow();
  const times = [];
  let body = "";
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now();
    body = await ask();
    times.push(performance.now() - startedMs);
  }
  return { times, body, cpuMs: ((await cpuNow()) - cpuBefore) / runs };
}

function figures({ times, body, cpuMs }) {
  return {
    p50Ms: round(quantile(times, 0.5), 1),
    p95Ms: round(quantile(times, 0.95), 1),
    minMs: round(quantile(times, 0), 1),
    cpuMs: round(cpuMs, 1),
    bytes: body.length,
  };
}

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
