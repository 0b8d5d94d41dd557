// How far from the truth is each zone's CPU and memory, from zonestat and from kstat? Through the product's own path: `zonemeter import` for the
// zonestat files, `zonemeter up --replay` for the kstat recordings, then OxQL. Prints a Markdown table.
//
//   node tools/accuracy.mjs FLEET [--work FOLDER]
//
// FLEET holds zonestat/SLED/zonestat-DAY, kstat/SLED.txt over the same time, and truth/SLED.csv with a header line that names at least
// ts,zone,zone_type,zone_id,user_ns,sys_ns,rss_bytes: counters since the zone booted at each Unix time.
import { spawn } from "node:child_process";
import { createReadStream, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../dist/bin/zonemeter.js", import.meta.url));

/** Zones that lived shorter are left out: their errors are those of their first and last interval. */
const MIN_LIFE_S = 3_600;

/** Raw samples of one question must stay below a million. */
const QUERY_HOURS = 6;

const [fleet, ...flags] = process.argv.slice(2);
if (fleet === undefined) {
  process.stderr.write("usage: node tools/accuracy.mjs FLEET [--work FOLDER]\n");
  process.exit(2);
}
const work = mkdtempSync(join(flags[0] === "--work" && flags[1] !== undefined ? flags[1] : tmpdir(), "zonemeter-accuracy-"));

/** What was used after the first instant of a sled, by zone name: CPU seconds, and the sum of resident bytes over the instants. */
async function readTruth(path) {
  const lines = createInterface({ input: createReadStream(path) });
  let columns = null;
  let firstS = null;
  let intervalS = null;
  let lastS = 0;
  const zones = new Map();
  const last = new Map();
  for await (const line of lines) {
    const cells = line.split(",");
    if (columns === null) {
      columns = new Map(cells.map((name, i) => [name, i]));
      continue;
    }
    const cell = (name) => cells[columns.get(name)];
    const timeS = Number(cell("ts"));
    firstS ??= timeS;
    lastS = timeS;
    const incarnation = `${cell("zone")}/${cell("zone_id")}`;
    const used = BigInt(cell("user_ns")) + BigInt(cell("sys_ns"));
    const before = last.get(incarnation);
    last.set(incarnation, used);
    if (timeS === firstS) continue;
    intervalS ??= timeS - firstS;
    const zone = zones.get(cell("zone")) ?? { type: cell("zone_type"), cpuNs: 0n, residentBytes: 0n, instants: 0 };
    zones.set(cell("zone"), zone);
    zone.cpuNs += used - (before ?? 0n);
    zone.residentBytes += BigInt(cell("rss_bytes"));
    zone.instants += 1;
  }
  return { zones, firstS, lastS, intervalS };
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.on("data", (text) => (out += text));
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`zonemeter ${args[0]} ended with ${code}`))));
  });
}

function lineOf(child, start) {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => line.startsWith(start) && resolve(line));
    child.on("close", (code) => reject(new Error(`zonemeter up ended with ${code}`)));
  });
}

/** A port whose neighbours are most likely free too. */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(Math.min(port, 65_000)));
    });
  });
}

async function ask(url, query) {
  const answer = await fetch(`${url}/v1/system/timeseries/query`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`);
  return (await answer.json()).tables.flatMap(({ timeseries }) => (Array.isArray(timeseries) ? timeseries : Object.values(timeseries)));
}

const iso = (seconds) => new Date(seconds * 1_000).toISOString().slice(0, 19);

/** Sums of all samples of one metric and source after `fromS` and up to `toS`, by zone, with their number. */
async function sums(url, metric, source, sled, fromS, toS, more = "") {
  const found = new Map();
  for (let at = fromS; at < toS; at += QUERY_HOURS * 3_600) {
    const times = `timestamp > @${iso(at)} && timestamp <= @${iso(Math.min(toS, at + QUERY_HOURS * 3_600))}`;
    const query = `get zone_resource:${metric} | filter source == '${source}' && sled_serial == '${sled}' && ${times}${more}`;
    for (const { fields, points } of await ask(url, query)) {
      const name = fields.zone_name.value;
      const zone = found.get(name) ?? { sum: 0, samples: 0 };
      found.set(name, zone);
      for (const value of points.values[0].values.values) {
        if (value === null) continue;
        zone.sum += Number(value);
        zone.samples += 1;
      }
    }
  }
  return found;
}

function percent(value) {
  const size = Math.abs(100 * value);
  const text = size < 0.0005 ? "0" : size >= 10 ? size.toFixed(0) : size >= 1 ? size.toFixed(1) : size.toFixed(3);
  return `${value < 0 && text !== "0" ? "−" : ""}${text} %`;
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const worst = (values) => values.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);

async function measure(url) {
  const rows = [];
  for (const file of readdirSync(join(fleet, "truth")).filter((name) => name.endsWith(".csv"))) {
    const sled = file.slice(0, -".csv".length);
    const { zones, firstS, lastS, intervalS } = await readTruth(join(fleet, "truth", file));
    const used = await sums(url, "cpu_used", "zonestat", sled, firstS, lastS);
    const counted = await sums(url, "cpu_nsec", "kstat", sled, firstS, lastS, " && state != 'waitrq'");
    const memory = await sums(url, "memory_resident", "zonestat", sled, firstS, lastS);
    const pages = await sums(url, "memory_resident", "kstat", sled, firstS, lastS);
    for (const [name, truth] of zones) {
      if (truth.instants * intervalS < MIN_LIFE_S) continue;
      const cpuS = Number(truth.cpuNs) / 1e9;
      const resident = Number(truth.residentBytes);
      rows.push({
        type: truth.type,
        cpus: cpuS / (truth.instants * intervalS),
        zonestat: ((used.get(name)?.sum ?? 0) * intervalS) / cpuS - 1,
        kstat: (counted.get(name)?.sum ?? 0) / 1e9 / cpuS - 1,
        kstatOffNs: Math.abs((counted.get(name)?.sum ?? 0) - Number(truth.cpuNs)),
        zonestatMemory: (memory.get(name)?.sum ?? 0) / resident - 1,
        kstatMemory: (pages.get(name)?.sum ?? 0) / resident - 1,
      });
    }
  }
  return rows;
}

function print(rows) {
  const byType = Map.groupBy === undefined ? group(rows) : Map.groupBy(rows, ({ type }) => type);
  const types = [...byType].sort(([, a], [, b]) => median(a.map(({ cpus }) => cpus)) - median(b.map(({ cpus }) => cpus)));
  const cell = (own, key) => `${percent(median(own.map((row) => row[key])))} (${percent(worst(own.map((row) => row[key])))})`;
  const lines = [
    "| zone type | zones | mean CPUs | CPU seconds, zonestat | CPU seconds, kstat | memory, zonestat | memory, kstat |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...[...types, ["all", rows]].map(
      ([type, own]) =>
        `| ${type} | ${own.length} | ${median(own.map(({ cpus }) => cpus)).toPrecision(2)} | ${cell(own, "zonestat")} | ${cell(own, "kstat")} | ${cell(own, "zonestatMemory")} | ${cell(own, "kstatMemory")} |`,
    ),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  for (const key of ["zonestat", "kstat"]) {
    const beyond = (limit) => rows.filter((row) => Math.abs(row[key]) > limit).length;
    process.stdout.write(
      `\nCPU from ${key}: ${beyond(0.001)} of ${rows.length} zones off by more than 0.1 %, ${beyond(0.01)} by more than 1 %, ${beyond(0.1)} by more than 10 %.\n`,
    );
  }
}

function offBy(rows) {
  const most = Math.max(...rows.map(({ kstatOffNs }) => kstatOffNs));
  process.stdout.write(`\nThe largest difference of a zone's CPU from kstat to the truth: ${most} ns.\n`);
}

function group(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.type, [...(groups.get(row.type) ?? []), row]);
  return groups;
}

try {
  const dataDir = join(work, "data");
  process.stderr.write(await run(["import", "--data-dir", dataDir, join(fleet, "zonestat")]));
  const recordings = readdirSync(join(fleet, "kstat")).flatMap((name) => ["--replay", join(fleet, "kstat", name)]);
  const up = spawn(process.execPath, [CLI, "up", "--data-dir", dataDir, ...recordings, "--port-base", String(await freePort())], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => up.on("close", resolve));
  try {
    const replayed = lineOf(up, "replayed ");
    const url = (await lineOf(up, "ready ")).split(" ")[1];
    process.stderr.write(`${await replayed}\n`);
    const rows = await measure(url);
    print(rows);
    offBy(rows);
  } finally {
    up.kill("SIGTERM");
    await ended;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
