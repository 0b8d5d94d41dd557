// Reads recorded output of illumos tools (`NAME.txt`) and compares all of it with what stands beside it (`NAME.txt.expected.json`).
// Lists are matched by key, integers exactly, fractions within a millionth; an absent key is null.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the readers are in the build, by what they export. */
const MODULES = ["detect-format", "kstat-json", "kstat-text", "kstat-deltas", "prstat-text", "tool-run", "zonestat-human", "zonestat-text"];

const SUFFIX = ".expected.json";
const FRACTION_TOLERANCE = 1e-6;
/** Bytes handed to a reader at a time: small, so that lines and tokens are cut at many places. */
const CHUNK_BYTES = 97;

const FORMATS = {
  "kstat-p": { tool: "kstat", reader: "KstatTextReader", toJson: kstatResult },
  "kstat-j": { tool: "kstat", reader: "KstatJsonReader", toJson: kstatResult },
  "zonestat-p": { tool: "zonestat", reader: "ZonestatReader", toJson: zonestatResult },
  "zonestat-human": { tool: "zonestat", reader: "ZonestatHumanReader", toJson: zonestatResult },
  "prstat-Z": { tool: "prstat", reader: "PrstatReader", toJson: prstatResult },
};

/** How the members of each list are matched; reports, snapshots and what is not named here by position. */
const KEYS = {
  rows: (row) => row.zone,
  resources: (resource) => `${resource.type} ${resource.name}`,
  psets: (pset) => `${pset.cpuType} ${pset.name}`,
  kstats: (kstat) => `${kstat.module}:${kstat.instance}:${kstat.name}`,
  zones: (zone) => zone.zoneId,
  deltas: (delta) => delta.zonename,
};

/** Keys of the sidecar that are compared; the others are notes. */
const COMPARED = ["supported", "reports", "reportsCertain", "reportsOverlapping", "reportsIncomplete", "snapshots", "deltas", "spansSec"];
const NOT_COMPARED_INSIDE = new Set(["headerSnaptimeNs"]);

/** `sources` holds the exports of MODULES; those of the build where it is left out. */
export async function run(dir, write, sources) {
  const readers = sources ?? (await builtReaders());
  const cases = (await readdir(dir)).filter((name) => name.endsWith(SUFFIX)).sort();
  let failed = 0;
  if (cases.length === 0) {
    write(`${dir}: there are no cases in this folder`);
    return { passed: 0, failed: 1 };
  }
  for (const name of cases) {
    const differences = await runCase(dir, name.slice(0, -SUFFIX.length), readers);
    if (differences.length === 0) continue;
    failed += 1;
    write(
      `${name.slice(0, -SUFFIX.length)}: ${differences.slice(0, 5).join("; ")}${differences.length > 5 ? `; and ${differences.length - 5} more` : ""}`,
    );
  }
  return { passed: cases.length - failed, failed };
}

async function builtReaders() {
  const modules = await Promise.all(MODULES.map((name) => import(new URL(`../../dist/sources/${name}.js`, import.meta.url).href)));
  return Object.assign({}, ...modules);
}

async function runCase(dir, name, readers) {
  try {
    const expected = JSON.parse(await readFile(join(dir, name + SUFFIX), "utf8"));
    const text = await readFile(join(dir, name));
    const actual = readText(text, expected, readers);
    const differences = [];
    for (const key of COMPARED) {
      if (expected[key] !== undefined || key === "supported") compare(expected[key] ?? true, actual[key], key, key, differences);
    }
    if ((expected.diagnostics ?? []).length > 0 && actual.diagnostics.length === 0) differences.push("nothing was reported");
    return differences;
  } catch (error) {
    return [`threw ${error?.stack ?? error}`];
  }
}

/** Reads a text as the tool that `expected` names printed it; where it names none, as what it looks like. */
function readText(text, expected, readers) {
  const named = /^[a-z]+-(?:human|[A-Za-z])/.exec(expected.format ?? "")?.[0];
  const format = FORMATS[named] ?? FORMATS[readers.detectFormat(text)];
  if (format === undefined) throw new Error(`the format ${expected.format} is not known`);
  const reader = new readers[format.reader]();
  const items = [];
  for (let at = 0; at < text.length; at += CHUNK_BYTES) items.push(...reader.push(text.subarray(at, at + CHUNK_BYTES)));
  items.push(...reader.end());
  const run = readers.diagnoseRun(format.tool, expected.exitCode ?? null, expected.stderr ?? "", items.length > 0);
  return { supported: reader.supported ?? true, diagnostics: [...reader.takeDiagnostics(), ...run], ...format.toJson(items, readers) };
}

function zonestatResult(items) {
  const reports = items.sort((a, b) => a.line - b.line);
  const of = (standing, shape) => reports.filter((report) => report.standing === standing).map(shape);
  const mark = ({ kind, timeNs, count }) => ({ kind, time: isoTime(timeNs), count });
  return {
    reports: reports.map(reportJson),
    reportsCertain: of("certain", reportJson),
    reportsOverlapping: of("overlapping", mark),
    reportsIncomplete: of("incomplete", (report) => ({ ...mark(report), rows: report.rowCount })),
    spansSec: reports.map(({ elapsedSec }, i) => elapsedSec - (isNewRun(reports[i - 1], reports[i]) ? 0 : reports[i - 1].elapsedSec)),
  };
}

/** Seconds count since the command began, so they fall where another one began. */
function isNewRun(before, report) {
  return before === undefined || report.elapsedSec < before.elapsedSec;
}

function reportJson(report) {
  return {
    kind: report.kind,
    time: isoTime(report.timeNs),
    startTime: isoTime(report.startTimeNs),
    endTime: isoTime(report.endTimeNs),
    count: report.count,
    intervalSec: report.intervalSec,
    elapsedSec: report.elapsedSec,
    complete: report.complete,
    summary: report.summary === null ? null : plain(report.summary),
    resources: report.resources.length === 0 ? null : report.resources.map((resource) => plain(resource)),
    psets: report.psets.length === 0 ? null : report.psets.map((pset) => plain(pset)),
  };
}

function kstatResult(snapshots, { zoneDeltas }) {
  const [before, after] = snapshots.slice(-2);
  return {
    snapshots: snapshots.map(({ kstats }) => ({
      kstats: kstats.map((kstat) => ({ ...plain(kstat), stats: Object.fromEntries(kstat.stats) })),
    })),
    deltas:
      after === undefined
        ? []
        : zoneDeltas(before, after).map(({ zonename, reset, values }) => ({ zonename, reset, ...plain(Object.fromEntries(values)) })),
  };
}

function prstatResult(reports) {
  return {
    reports: reports.map(({ processRows, zones, total, rowLimitHit }) => ({
      processRows,
      zones: zones.map((zone) => plain(zone)),
      total: total && plain(total),
      rowLimitHit,
    })),
  };
}

function isoTime(ns) {
  return ns === null ? null : new Date(Number(ns / 1_000_000n)).toISOString().replace(".000Z", "Z");
}

/** The reader's values in the shape of the sidecar's. `key` is the field's: a zone may be called `inf` or `wrapped`. */
function plain(value, key = "") {
  if (typeof value === "bigint") return value.toString();
  if (value === "wrapped" && key.endsWith("Fraction")) return { invalid: "unsigned-wrap" };
  if (key === "shares" && typeof value === "string") return { special: value };
  if (Array.isArray(value)) return value.map((member) => plain(member));
  if (value === null || typeof value !== "object") return value;
  if (value.kind === "ambiguous") return { ambiguous: true, asKiB: plain(value.asKiB), asMissingDot: plain(value.asMissingDot) };
  if (value.kind === "wrapped") return { invalid: "unsigned-wrap", printedBytes: plain(value.printed) };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, name)]));
}

function compare(expected, actual, key, path, differences) {
  const [want, have] = [expected ?? defaultOf(key), actual ?? defaultOf(key)];
  if (Array.isArray(want) && Array.isArray(have)) compareLists(withValues(key, want), withValues(key, have), key, path, differences);
  else if (isObject(want) && isObject(have)) {
    for (const member of new Set([...Object.keys(want), ...(key === "deltas" ? [] : Object.keys(have))])) {
      if (!NOT_COMPARED_INSIDE.has(member)) compare(want[member], have[member], member, `${path}.${member}`, differences);
    }
  } else if (typeof want === "number" && typeof have === "number") {
    if (Math.abs(want - have) > FRACTION_TOLERANCE) differences.push(`${path} is ${have}, not ${want}`);
  } else if (want !== have) {
    differences.push(`${path} is ${JSON.stringify(have)}, not ${JSON.stringify(want)}`);
  }
}

function compareLists(want, have, key, path, differences) {
  const keyOf = KEYS[key];
  if (want.length !== have.length) differences.push(`${path} has ${have.length} members, not ${want.length}`);
  const found = keyOf === undefined ? null : new Map(have.map((member) => [keyOf(member), member]));
  for (const [i, member] of want.entries()) {
    const at = found === null ? `${path}[${i}]` : `${path}[${keyOf(member)}]`;
    const other = found === null ? have[i] : found.get(keyOf(member));
    if (other === undefined) differences.push(`${at} is missing`);
    else compare(member, other, key, at, differences);
  }
}

/** A snapshot without kstats says nothing, so it is the same as none. */
function withValues(key, list) {
  return key === "snapshots" ? list.filter(({ kstats }) => kstats.length > 0) : list;
}

function defaultOf(key) {
  return key === "rowLimitHit" ? false : null;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
