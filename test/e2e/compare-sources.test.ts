import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readResultJson, type Table } from "../../src/oxql/index.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { until } from "../support/until.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";

const MIB = 1_048_576n;
const KSTAT = [
  "memory_cap:4:web:crtime\t5.000000000",
  `memory_cap:4:web:rss\t${100n * MIB}`,
  "memory_cap:4:web:snaptime\t100.000000000",
  "memory_cap:4:web:zonename\tweb",
  "zones:4:web:crtime\t5.000000000",
  "zones:4:web:nsec_user\t7",
  "zones:4:web:snaptime\t100.000000000",
  "zones:4:web:zonename\tweb",
  "",
].join("\n");
const PRSTAT = `ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE
     4       20  812M   96M   2.3%   0:12:34 0.7% ${"web".padEnd(28)}
Total: 20 processes, 320 lwps, load averages: 0.53, 0.61, 0.60
`;

const tools = new FakeTools();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-compare-live-"));
  tools.text("kstat.txt", KSTAT);
  tools.text("prstat.txt", PRSTAT);
  tools.script("kstat", 'cat "$HERE/kstat.txt"');
  tools.script("prstat", 'cat "$HERE/prstat.txt"');
});
afterAll(async () => {
  tools.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `up` with both sources, and calls `work` once the store has samples of each. */
async function withBoth(compareSources: boolean, work: (url: string) => Promise<void>): Promise<void> {
  const config = join(folder, `${compareSources}.toml`);
  const slow = 'sources = ["kstat", "vmusage"]\nsample_interval = "1s"\nslow_sample_interval = "1s"\ncollect_interval = "1s"';
  await writeFile(config, `[producer]\n${slow}\ncompare_sources = ${compareSources}\n`);
  const base = await freePortBase();
  const url = `http://127.0.0.1:${base + 60}`;
  const up = new ZonemeterProcess(["up", "--config", config, "--data-dir", join(folder, `${compareSources}`), "--port-base", String(base)]);
  try {
    await up.line("ready ");
    // What only vmusage has comes in either case.
    await until("samples of vmusage", 20_000, async () => ((await seriesOf(url, "processes")).includes("vmusage") ? true : undefined));
    await work(url);
  } finally {
    up.kill("SIGKILL");
    await up.finished;
  }
}

async function ask(url: string, query: string): Promise<Table> {
  const done = await runZonemeter(["query", "--url", url, "--format", "json", query]);
  expect(done.stderr).toBe("");
  return (readResultJson(done.stdout) as Table[])[0]!;
}

async function seriesOf(url: string, metric: string): Promise<unknown[]> {
  const { timeseries } = await ask(url, `get zone_resource:${metric} | last 1`);
  return timeseries.map(({ fields }) => fields.find(({ name }) => name === "source")!.value.value).sort();
}

describe("producer.compare_sources", () => {
  it("off: each metric has one source, and there is nothing to compare", async () => {
    await withBoth(false, async (url) => {
      expect(await seriesOf(url, "memory_resident")).toEqual(["kstat"]);
      const compared = await runZonemeter(["compare", "--url", url]);
      expect(compared.stderr).toMatch(/No zone was measured by two sources .*set producer\.compare_sources/);
      expect(compared.code).toBe(1);
    });
  });

  it("on: both stand side by side, a sum over sources counts twice, and compare shows them", async () => {
    await withBoth(true, async (url) => {
      expect(await seriesOf(url, "memory_resident")).toEqual(["kstat", "vmusage"]);
      const { timeseries } = await ask(
        url,
        "get zone_resource:memory_resident | filter timestamp > @now() - 5m | align mean_within(5m) | group_by [zone_name], sum",
      );
      expect(Array.from(timeseries[0]!.points.dimensions[0]!.values.values as ArrayLike<number>).at(-1)).toBe(Number(196n * MIB));
      const compared = await runZonemeter(["compare", "--url", url, "--period", "10m", "--format", "csv"]);
      expect(compared.stderr).toBe("");
      const rows = compared.stdout.split("\r\n").filter((line) => line.startsWith("resident memory,"));
      expect(
        rows.map((row) =>
          row
            .split(",")
            .filter((_field, i) => i !== 2 && i !== 4)
            .join(),
        ),
      ).toEqual(["resident memory,MiB,web,kstat,100", "resident memory,MiB,web,vmusage,96"]);
    });
  });
});
