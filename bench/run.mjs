// Measures the product against its budgets.
//
//   node bench/run.mjs [agent] [serve] [collect] [queries] [disk] [--fleet DIR] [--data-dir DIR] [--peer-dir DIR] [--runs 30] [--json FILE]
//
// Without names everything is measured. --fleet names a folder with the truth of a fleet (truth/*.csv, truth/sleds.json); without it one of 4
// sleds with 25 zones each over 24 hours is made up. --data-dir and --peer-dir keep what was loaded from it for the next time. Each figure
// comes with the machine's load average and `unit_ms`, the CPU time of a fixed loop in the same minute: compare ratios, or figures divided
// by it, between machines and moments.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeFleet } from "../tools/fleet/make.mjs";
import { load, unitMs } from "./measure.mjs";
import { summary } from "./summary.mjs";

const BENCHES = {
  agent: async (options) => (await import("./agent.mjs")).agent(options),
  serve: async (options) => (await import("./serve.mjs")).serve(options),
  collect: async (options) => (await import("./collect.mjs")).collect(options),
  queries: async (options) => (await import("./queries.mjs")).queries(options),
  disk: async (options) => (await import("./disk.mjs")).disk(options),
};
const NEEDS_FLEET = new Set(["queries", "disk"]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fleet: { type: "string" },
    "data-dir": { type: "string" },
    "peer-dir": { type: "string" },
    runs: { type: "string", default: "30" },
    json: { type: "string" },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark "${unknown}"; there are ${Object.keys(BENCHES).join(", ")}.\n`);
  process.exit(2);
}

const workDir = mkdtempSync(join(tmpdir(), "zonemeter-bench-"));
const report = { node: process.version, cpu: cpus()[0]?.model ?? "", cores: cpus().length, results: {} };
try {
  const note = (text) => process.stderr.write(`  ${text}\n`);
  let { fleet } = values;
  if (fleet === undefined && names.some((name) => NEEDS_FLEET.has(name))) {
    note("making a fleet up");
    fleet = join(workDir, "fleet");
    await makeFleet(fleet, { sleds: 4, zones: 25, hours: 24 });
  }
  const options = {
    workDir,
    fleet,
    dataDir: values["data-dir"] ?? join(workDir, "data"),
    peerDir: values["peer-dir"] ?? join(workDir, "peer"),
    runs: Number(values.runs),
    note,
  };
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    const before = { unitMs: unitMs(), load: load() };
    const result = await BENCHES[name](options);
    report.results[name] = { ...before, loadAfter: load(), ...result };
    process.stdout.write(`${name} ${JSON.stringify(report.results[name], null, 1)}\n`);
  }
} finally {
  rmSync(workDir, { recursive: true, force: true });
}
process.stdout.write(`\n${summary(report)}\n`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
