import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compileRooms } from "../support/compile-sources.ts";

/** Samples zones as fast as it can; tells a sample once `save` said that it is kept. Zone 0 to 4 go on, zone 5 begins anew each time. */
const SAMPLER = `
import { systemClock } from "./core/index.js";
import { openIdentityBook } from "./sources/identity.js";
const book = await openIdentityBook({ stateDir: process.argv[2], clock: systemClock });
if (book.diagnostics.length > 0) console.log("damaged " + book.diagnostics[0].text);
for (let i = 0; ; i++) {
  const lines = [];
  for (let zone = 0; zone <= 5; zone++) {
    const incarnation = zone < 5 ? "1" : process.pid + "/" + i;
    const timestampNs = book.stampFor("zone" + zone, "cgroup", systemClock.wallNs());
    const start = book.startTimeOf({ subjectKey: "zone" + zone, incarnation, bootTimeNs: null, createdMonotonicNs: null, timestampNs });
    lines.push(["zone" + zone, incarnation, start, timestampNs].join(" "));
  }
  if ((await book.save()).some(({ code }) => code !== "stamps-ahead")) console.log("not saved");
  process.stdout.write(lines.join("\\n") + "\\n");
}
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-identity-kill-"));
  await compileRooms(folder, ["core", "sources", "runtime"]);
  await writeFile(join(folder, "sampler.js"), SAMPLER);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

it("keeps start times and the order of stamps over SIGKILL at any moment, in the middle of a write too", async () => {
  const starts = new Map<string, bigint>();
  const lastStamps = new Map<string, bigint>();
  let samples = 0;
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, [join(folder, "sampler.js"), join(folder, "state")], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    const enough = 2_000 + 613 * round;
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > enough) child.kill("SIGKILL");
    });
    await once(child, "close");
    for (const line of text.split("\n").slice(0, -1)) {
      const [zone, incarnation, start, stamp] = line.split(" ") as [string, string, string, string];
      expect(line).toMatch(/^zone\d [\d/]+ \d+ \d+$/);
      const key = `${zone} ${incarnation}`;
      const startNs = BigInt(start);
      const lastNs = lastStamps.get(zone) ?? 0n;
      expect(BigInt(stamp)).toBeGreaterThan(lastNs);
      if (starts.has(key)) expect(startNs).toBe(starts.get(key));
      else expect(startNs).toBeGreaterThan(lastNs);
      starts.set(key, startNs);
      lastStamps.set(zone, BigInt(stamp));
      samples += 1;
    }
  }
  expect(samples).toBeGreaterThan(100);
});
