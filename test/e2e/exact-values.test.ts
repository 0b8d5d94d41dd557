import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePortBase } from "../support/free-port-base.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";

/** Values at which doubles, signed and unsigned integers end. */
const VALUES = [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];
const FIRST_UNIX_S = 1_795_000_000;

let folder: string;
let url: string;
let up: ZonemeterProcess;

/** One snapshot of one zone for each value, which its resident size and its user time both have. */
function recording(): string {
  const lines = [String(FIRST_UNIX_S)];
  VALUES.forEach((value, i) => {
    const [name, id] = [`edge-${i}`, i + 1];
    const common = [`crtime\t100.000000000`, `snaptime\t500.000000000`, `zonename\t${name}`];
    for (const line of [...common, "class\tzone_memory_cap", `rss\t${value}`]) lines.push(`memory_cap:${id}:${name}:${line}`);
    for (const line of [...common, "class\tzone_misc", `boot_time\t${FIRST_UNIX_S - 400}`, `nsec_user\t${value}`])
      lines.push(`zones:${id}:${name}:${line}`);
  });
  return `${lines.join("\n")}\n`;
}

async function ask(format: string, metric: string): Promise<string> {
  const filter = metric === "cpu_nsec" ? ` | filter state == "user"` : "";
  const done = await runZonemeter(["query", "--url", url, "--format", format, `get zone_resource:${metric}${filter} | last 1`]);
  expect(done.stderr).toBe("");
  return done.stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-exact-"));
  const file = join(folder, "edges.txt");
  await writeFile(file, recording());
  const base = await freePortBase();
  url = `http://127.0.0.1:${base + 60}`;
  up = new ZonemeterProcess(["up", "--data-dir", join(folder, "data"), "--replay", file, "--port-base", String(base)]);
  await up.line("replayed ");
}, 60_000);

afterAll(async () => {
  up.kill("SIGKILL");
  await up.finished;
  await rm(folder, { recursive: true, force: true });
});

describe.each(["memory_resident", "cpu_nsec"])("64-bit values of %s from a kstat recording to the terminal", (metric) => {
  it("are exact in a table", async () => {
    const text = await ask("table", metric);
    VALUES.forEach((value, i) => expect(text).toMatch(new RegExp(`^edge-${i} .* ${value}$`, "m")));
  });

  it("are exact in JSON", async () => {
    const text = await ask("json", metric);
    VALUES.forEach((value, i) =>
      expect(text).toMatch(
        new RegExp(
          `"value":"edge-${i}"(?:(?!"timestamps").)*"timestamps":\\[[^\\]]*\\],"values":\\[\\{"values":\\{"type":"integer","values":\\[${value}\\]`,
        ),
      ),
    );
  });

  it("are exact in NDJSON", async () => {
    const lines = (await ask("ndjson", metric)).trim().split("\n");
    expect(lines).toHaveLength(VALUES.length);
    VALUES.forEach((value, i) => {
      const line = lines.find((each) => each.includes(`"zone_name":"edge-${i}"`))!;
      expect(line).toContain(`"values":{"${metric}":${value}}`);
    });
  });

  it("are exact in CSV", async () => {
    const [header, ...rows] = (await ask("csv", metric)).trim().split(/\r?\n/);
    expect(header!.endsWith(`,timestamp,${metric}`)).toBe(true);
    VALUES.forEach((value, i) => expect(rows.find((row) => row.includes(`,edge-${i},`))!.endsWith(`,${value}`)).toBe(true));
  });
});
