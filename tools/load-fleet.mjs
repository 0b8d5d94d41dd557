// Loads the truth of a synthetic fleet into the store of a data directory, for benchmarks and demonstrations.
//
//   node tools/load-fleet.mjs --fleet DIR --data-dir DIR
//
// DIR/truth holds one CSV for each sled and sleds.json. `zonemeter up --data-dir DIR` answers from the result. A fleet's recordings
// (DIR/kstat/*.txt) are the product's own business: `zonemeter up --replay FILE`.
import { parseArgs } from "node:util";
import { join } from "node:path";
import { loadFleet } from "./fleet/load.mjs";

const { values } = parseArgs({ options: { fleet: { type: "string" }, "data-dir": { type: "string" } } });
if (values.fleet === undefined || values["data-dir"] === undefined) {
  process.stderr.write("usage: node tools/load-fleet.mjs --fleet DIR --data-dir DIR\n");
  process.exit(2);
}
const report = await loadFleet(values.fleet, join(values["data-dir"], "store"), (line) => process.stderr.write(`${line}\n`));
process.stdout.write(`${JSON.stringify(report)}\n`);
