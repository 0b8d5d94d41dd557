import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Agent, request } from "undici";
import { snapshotsOf } from "../tools/fleet/csv.mjs";
import { fleetMeta } from "../tools/fleet/load.mjs";

const PROGRAM = "victoria-metrics";
const TICK_MS = 10;
const BODY_BYTES = 4 << 20;

/** True where the Debian package victoria-metrics is installed. */
export function hasPeer() {
  return spawnSync(PROGRAM, ["-version"], { stdio: "ignore" }).error === undefined;
}

/** The peer over a folder of its own, on loopback. */
export class Peer {
  #process;
  #url;
  #agent = new Agent({ pipelining: 1, connections: 1 });

  static async start(folder) {
    const port = await freePort();
    const args = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, "-retentionPeriod=100y", "-loggerLevel=ERROR"];
    const peer = new Peer();
    peer.#process = spawn(PROGRAM, args, { stdio: "ignore" });
    peer.#url = `http://127.0.0.1:${port}`;
    for (let attempt = 0; ; attempt++) {
      try {
        await peer.get("/health");
        return peer;
      } catch (error) {
        if (attempt === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async get(path) {
    const { statusCode, body } = await request(this.#url + path, { dispatcher: this.#agent });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${PROGRAM} answered with ${statusCode}: ${text.slice(0, 200)}`);
    return text;
  }

  async post(path, text) {
    const { statusCode, body } = await request(this.#url + path, { method: "POST", body: text, dispatcher: this.#agent });
    await body.text();
    if (statusCode >= 300) throw new Error(`${PROGRAM} refused what was sent: ${statusCode}`);
  }

  /** CPU ms of the server, in ticks of 10 ms. */
  cpuMs() {
    const fields = readFileSync(`/proc/${this.#process.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  /** Waits until all is on disk and nothing is merged any more. */
  async settle() {
    await this.get("/internal/force_flush");
    await this.get("/internal/force_merge");
    for (let quiet = 0; quiet < 3; quiet++) {
      const merging = [...(await this.get("/metrics")).matchAll(/^vm_active_merges\S* (\d+)/gm)].some(([, count]) => count !== "0");
      if (merging) quiet = 0;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async stop() {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGINT");
    await ended;
    await this.#agent.close();
  }
}

/** A request path for one question; `expression` is one of its PromQL forms. */
export function promqlPath({ kind, seconds, step }, expression, end, zone) {
  const query = expression.replace("$ZONE", zone);
  const start = end - seconds;
  const parameters = (values) => new URLSearchParams({ nocache: "1", ...values }).toString();
  if (kind === "labels") return `/api/v1/label/zone/values?${parameters({ "match[]": query, start, end })}`;
  if (kind === "instant") return `/api/v1/query?${parameters({ query, time: end })}`;
  return `/api/v1/query_range?${parameters({ query, start, end, step })}`;
}

/**
 * Sends a fleet's truth. `quantised`: what zonestat prints, CPU in steps of 0.01 and memory as gauges. `exact`: counters of each state and both
 * memory gauges, five full-precision metrics. Timestamps and labels are the same.
 */
export async function loadPeer(peer, fleet, { quantised, exact }) {
  const meta = fleetMeta(fleet);
  let lines = [];
  let bytes = 0;
  const send = async (metric, timestamps, values) => {
    const line = JSON.stringify({ metric, values, timestamps });
    lines.push(line);
    bytes += line.length;
    if (bytes < BODY_BYTES) return;
    await peer.post("/api/v1/import", lines.join("\n"));
    [lines, bytes] = [[], 0];
  };
  for (const sled of meta.sleds) {
    const all = { sled: sled.sled };
    const zones = new Map();
    const flush = async (zone) => {
      const labels = { ...all, zone: zone.name, zone_type: zone.type };
      for (const [name, more, values] of zone.columns) await send({ __name__: name, ...labels, ...more }, zone.times, values);
    };
    const sledTimes = [];
    for await (const rows of snapshotsOf(join(fleet, "truth", `sled-${sled.sled}.csv`))) {
      if (sledTimes.length === 0 || rows[0].ts * 1000 >= sledTimes.at(-1) + 60_000) sledTimes.push(rows[0].ts * 1000);
      for (const row of rows) {
        let zone = zones.get(row.zone);
        if (zone === undefined) zones.set(row.zone, (zone = newZone(row, quantised, exact)));
        // A body of one series for each day keeps memory small.
        if (zone.times.length === 8_640) {
          await flush(zone);
          zone.clear();
        }
        zone.add(row, meta.interval);
      }
    }
    for (const zone of zones.values()) await flush(zone);
    if (quantised || exact)
      await send(
        { __name__: "sled_cpus_online", ...all },
        sledTimes,
        sledTimes.map(() => sled.cpus),
      );
  }
  if (lines.length > 0) await peer.post("/api/v1/import", lines.join("\n"));
}

function newZone({ zone, zoneType }, quantised, exact) {
  const columns = [];
  const column = (wanted, name, more = {}) => {
    const values = [];
    if (wanted) columns.push([name, more, values]);
    return values;
  };
  const used = column(quantised, "zone_cpu_used");
  const [user, sys] = ["user", "sys"].map((state) => column(exact, "zone_cpu_ns", { state }));
  const waitrq = column(exact, "zone_waitrq_ns");
  const resident = column(true, "zone_mem_physical_bytes");
  const reserved = column(true, "zone_mem_virtual_bytes");
  const made = {
    name: zone,
    type: zoneType,
    columns,
    times: [],
    before: null,
    add(row, interval) {
      const same = made.before?.bootTs === row.bootTs ? made.before : null;
      const grown = (name) => Number(BigInt(row[name]) - (same === null ? 0n : BigInt(same[name])));
      const seconds = same === null ? interval : row.ts - same.ts;
      const first = made.before === null;
      made.before = row;
      made.times.push(row.ts * 1000);
      // Of a zone that was up before, the first interval is not known.
      used.push(first ? 0 : Math.floor(((grown("userNs") + grown("sysNs")) / seconds / 1e9) * 100) / 100);
      user.push(Number(row.userNs));
      sys.push(Number(row.sysNs));
      waitrq.push(Number(row.waitrqNs));
      resident.push(Number(row.rssBytes));
      reserved.push(Number(row.virtBytes));
    },
    clear() {
      made.times.length = 0;
      for (const values of [used, user, sys, waitrq, resident, reserved]) values.length = 0;
    },
  };
  return made;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
