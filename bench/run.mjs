// Measures the product against its budgets.
//
//   node bench/run.mjs [agent] [serve] [collect] [queries] [week] [disk] [--fleet DIR] [--data-dir DIR] [--peer-dir DIR] [--runs 30] [--json FILE]
//
// Without names everything is measured. `queries` asks the eight questions of a fleet of 4 sleds with 25 zones each over 24 hours, `week` of one
// over seven days; both are made up. --fleet names a folder with the truth of another (truth/*.csv, truth/sleds.json), and then `week` is left
// out. --data-dir and --peer-dir keep what was loaded from it for the next time. Each figure comes with the machine's load average and `unit_ms`,
// the CPU time of a fixed loop in the same minute: compare ratios, or figures divided by it, between machines and moments.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  week: async (options) => (await import("./queries.mjs")).queries(options),
  disk: async (options) => (await import("./disk.mjs")).disk(options),
};
/** Hours of the fleet that each asks about. */
const FLEET_HOURS = { queries: 24, week: 168, disk: 24 };

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
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES).filter((name) => name !== "week" || values.fleet === undefined);
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark "${unknown}"; there are ${Object.keys(BENCHES).join(", ")}.\n`);
  process.exit(2);
}

const workDir = mkdtempSync(join(tmpdir(), "zonemeter-bench-"));
const report = { node: process.version, cpu: cpus()[0]?.model ?? "", cores: cpus().length, results: {} };
try {
  const note = (text) => process.stderr.write(`  ${text}\n`);
  const optionsOf = async (name) => {
    const hours = FLEET_HOURS[name];
    const set = join(workDir, `${hours}h`);
    const fleet = values.fleet ?? join(set, "fleet");
    if (hours !== undefined && !existsSync(fleet)) {
      note(`making a fleet up, ${hours} hours of it`);
      await makeFleet(fleet, { sleds: 4, zones: 25, hours });
    }
    const dataDir = values["data-dir"] ?? join(set, "data");
    const peerDir = values["peer-dir"] ?? join(set, "peer");
    return { workDir, fleet, dataDir, peerDir, runs: Number(values.runs), note };
  };
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    const before = { unitMs: unitMs(), load: load() };
    const result = await BENCHES[name](await optionsOf(name));
    report.results[name] = { ...before, loadAfter: load(), ...result };
    process.stdout.write(`${name} ${JSON.stringify(report.results[name], null, 1)}\n`);
  }
} finally {
  rmSync(workDir, { recursive: true, force: true });
}
process.stdout.write(`\n${summary(report)}\n`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
