import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../dist/core/index.js";
import { silentLogger } from "../../dist/runtime/index.js";
import { loadCatalogue } from "../../dist/schema/index.js";
import { openEmbeddedStore } from "../../dist/store/index.js";
import { snapshotsOf } from "./csv.mjs";
import { SledSamples } from "./samples.mjs";

/** Seconds of all sleds that one insert holds: few parts, and no more memory than a collector takes. */
const SPAN_SECONDS = 600;

/** How often the sled's own figures come. */
const SLED_SECONDS = 60;

/** What `truth/sleds.json` says of a fleet. */
export function fleetMeta(fleet) {
  return JSON.parse(readFileSync(join(fleet, "truth", "sleds.json"), "utf8"));
}

/** Stores the truth of a fleet, all sleds together in order of time. Resolves with what was stored and what it took. */
export async function loadFleet(fleet, dataDir, note = () => undefined) {
  const meta = fleetMeta(fleet);
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()];
  const store = await openEmbeddedStore({
    dataDir,
    schemas: loadCatalogue(),
    logger: silentLogger,
    clock: systemClock,
    retentionDays: null,
  });
  let [stored, zoneIntervals] = [0, 0];
  try {
    const sleds = [];
    for (const sled of meta.sleds) {
      const snapshots = snapshotsOf(join(fleet, "truth", `sled-${sled.sled}.csv`));
      sleds.push({ maker: new SledSamples(sled), snapshots, next: await snapshots.next(), sledTs: 0 });
    }
    for (let untilTs = meta.start + SPAN_SECONDS; sleds.some(({ next }) => !next.done); untilTs += SPAN_SECONDS) {
      const samples = [];
      for (const sled of sleds) {
        for (; !sled.next.done && sled.next.value[0].ts <= untilTs; sled.next = await sled.snapshots.next()) {
          const rows = sled.next.value;
          zoneIntervals += rows.length;
          sled.maker.ofZones(rows, samples);
          if (rows[0].ts < sled.sledTs + SLED_SECONDS) continue;
          sled.sledTs = rows[0].ts;
          sled.maker.ofSled(rows[0].ts, samples);
        }
      }
      const report = await store.insert(samples, `fleet ${meta.seed} ${untilTs}`);
      if (report.stored !== samples.length) throw new Error(`refused: ${report.messages.join(" ")}`);
      stored += report.stored;
      if ((untilTs - meta.start) % 21_600 === 0) note(`${(untilTs - meta.start) / 3600} h, ${zoneIntervals} zone-intervals`);
    }
  } finally {
    await store.close();
  }
  const { user, system } = process.cpuUsage(cpu);
  return { zoneIntervals, samples: stored, wallSeconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}
