// A process with a store of its own, for tests that end it. Arguments: folder of compiled rooms, data directory, how many batches to store
// ("0" holds the store open, "-1" stores until killed). Prints one line for each thing that happened.
import { pathToFileURL } from "node:url";

const [rooms, dataDir, batches] = process.argv.slice(2);
const room = (name) => import(pathToFileURL(`${rooms}/${name}/index.js`));
const { systemClock } = await room("core");
const { silentLogger } = await room("runtime");
const { openEmbeddedStore } = await room("store");

const schema = {
  timeseriesName: "beat:count",
  targetName: "beat",
  metricName: "count",
  version: 1,
  targetDescription: "",
  metricDescription: "",
  authzScope: "fleet",
  visibility: "operator_only",
  units: "count",
  datumType: "u64",
  fields: [{ name: "name", type: "string", source: "target", description: "", values: null }],
};

function batch(number) {
  const target = { name: "beat", fields: [{ name: "name", value: { type: "string", value: "heart" } }] };
  return Array.from({ length: 50 }, (_, i) => ({
    timeseriesName: "beat:count",
    timeseriesVersion: 1,
    target,
    metric: { name: "count", fields: [] },
    timestampNs: 1_796_000_000_000_000_000n + BigInt(50 * number + i) * 1_000_000_000n,
    datum: { type: "u64", value: BigInt(50 * number + i) },
  }));
}

try {
  const store = await openEmbeddedStore({ dataDir, schemas: [schema], logger: silentLogger, clock: systemClock, retentionDays: null });
  console.log("open");
  if (batches === "0") setInterval(() => undefined, 1_000);
  for (let number = 0; batches === "-1" || number < Number(batches); number++) {
    await store.insert(batch(number), `batch ${number}`);
    console.log(`stored ${number}`);
  }
  if (batches !== "0") {
    const selected = await store.select(
      { schema, alternatives: [], limit: null, lookBack: false, maxRows: 1_000_000 },
      new AbortController().signal,
    );
    console.log(`samples ${selected.series.reduce((sum, series) => sum + series.timestampsNs.length, 0)}`);
    await store.close();
    console.log("closed");
  }
} catch (error) {
  console.log(`error ${JSON.stringify({ name: error.name, code: error.code, exitCode: error.exitCode, message: error.message })}`);
  process.exitCode = 1;
}
