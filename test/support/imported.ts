import { join } from "node:path";
import { systemClock } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import { openEmbeddedStore } from "../../src/store/index.ts";
import { selectRows } from "./store-at.ts";

/** Everything that a data directory has of zones and sleds, as one line for each sample, opened as a plain `zonemeter up` opens it. */
export async function samplesIn(dataDir: string, retentionDays: number | null = 30): Promise<string[]> {
  const schemas = loadCatalogue();
  const store = await openEmbeddedStore({
    dataDir: join(dataDir, "store"),
    schemas,
    logger: silentLogger,
    clock: systemClock,
    retentionDays,
  });
  try {
    const lines: string[] = [];
    for (const { timeseriesName } of schemas) {
      if (!/^(zone|sled)_resource:/.test(timeseriesName)) continue;
      const rows = await selectRows(store, timeseriesName, { schemas: [...schemas], maxRows: 10_000_000 });
      for (const { series, startTimeNs, timestampNs, value } of rows)
        lines.push(`${timeseriesName} ${series} ${startTimeNs} ${timestampNs} ${String(value)}`);
    }
    return lines.sort();
  } finally {
    await store.close();
  }
}

/** Samples of one metric as `zone unixSeconds value`. */
export function ofMetric(samples: readonly string[], metric: string): string[] {
  return samples
    .filter((line) => line.startsWith(`zone_resource:${metric} `))
    .map((line) => {
      const [timestampNs, value] = line.split(" ").slice(-2);
      return `${/ zone_name=(\S+)/.exec(line)![1]!} ${BigInt(timestampNs!) / 1_000_000_000n} ${value!}`;
    });
}

/** The number behind a label of the report. */
export function reported(stdout: string, label: string): number {
  const line = stdout.split("\n").find((each) => each.trimStart().startsWith(label));
  if (line === undefined) throw new Error(`no line "${label}" in\n${stdout}`);
  return Number(line.trim().slice(label.length).trim().split(/\s/)[0]!.replaceAll(",", ""));
}
