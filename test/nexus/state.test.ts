import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addCollector, endpoint, list, post, startTestNexus, uuid, type TestNexus } from "../support/nexus.ts";

const COLLECTOR = uuid(0xc);
const OTHER = uuid(0xd);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nexus-state-"));
});
const running: TestNexus[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await rm(directory, { recursive: true, force: true });
});
async function start(file = "deep/nexus.json", endedProducerId?: string): Promise<TestNexus> {
  const ended = endedProducerId === undefined ? {} : { endedProducerId };
  const started = await startTestNexus({ stateFile: join(directory, file), random: () => 0.99, ...ended });
  running.push(started);
  return started;
}

describe("the state file", () => {
  it("lets a restarted Nexus hand out the same lists, with leases that begin anew", async () => {
    const first = await start();
    await addCollector(first, COLLECTOR);
    await addCollector(first, OTHER);
    const long = endpoint(1, { interval: { secs: 18446744073709551615n, nanos: 7 } });
    await post(first, long);
    await post(first, endpoint(2));
    await post(first, endpoint(2, { address: "[::1]:99" }));
    await first.stop();
    const second = await start();
    expect((await list(second, OTHER)).items).toEqual([long, endpoint(2, { address: "[::1]:99" })]);
    expect((await list(second, COLLECTOR)).items).toEqual([]);
    second.clock.pass(599n * 1_000_000_000n);
    // Collectors are known as well, so a producer can register at once.
    expect((await post(second, endpoint(3))).status).toBe(201);
  });

  it("is taken over without a producer that is known to have ended, which registers anew", async () => {
    const first = await start();
    await addCollector(first, COLLECTOR);
    await post(first, endpoint(1));
    await post(first, endpoint(2));
    await first.stop();
    const second = await start("deep/nexus.json", uuid(1));
    expect((await list(second, COLLECTOR)).items).toEqual([endpoint(2)]);
    expect((await post(second, endpoint(1, { address: "[::1]:99" }))).status).toBe(201);
    expect((await list(second, COLLECTOR)).items).toEqual([endpoint(1, { address: "[::1]:99" }), endpoint(2)]);
  });

  it("has been written when a registration is answered, and is whole however many come at once", async () => {
    const nexus = await start("nexus.json");
    await addCollector(nexus, COLLECTOR);
    await Promise.all(
      Array.from({ length: 40 }, async (_item, number) => {
        await post(nexus, endpoint(number));
        const kept = JSON.parse(await readFile(join(directory, "nexus.json"), "utf8")) as { producers: { id: string }[] };
        expect(kept.producers.map((producer) => producer.id)).toContain(uuid(number));
      }),
    );
    expect(await readdir(directory)).toEqual(["nexus.json"]);
  });

  it("is left alone by a renewal that changes nothing", async () => {
    const nexus = await start("nexus.json");
    await addCollector(nexus, COLLECTOR);
    await post(nexus, endpoint(1));
    await rm(join(directory, "nexus.json"));
    await post(nexus, endpoint(1));
    expect(await readdir(directory)).toEqual([]);
  });

  it.each([
    ["cut short", '{"version":1,"collectors":[', "Unexpected end of JSON input"],
    ["empty", "", "Unexpected end of JSON input"],
    ["of another version", '{"version":2,"collectors":[],"producers":[]}', "Invalid input: expected 1"],
    ["of another shape", '{"version":1,"collectors":{},"producers":[]}', "Invalid input: expected array, received object"],
  ])("that is %s is kept aside, told of in one sentence, and Nexus starts empty", async (_name, text, reason) => {
    const path = join(directory, "nexus.json");
    await writeFile(path, text);
    const nexus = await start("nexus.json");
    const [aside] = await readdir(directory);
    expect(aside).toMatch(/^nexus\.json\.damaged-\d+$/);
    expect(await readFile(join(directory, aside!), "utf8")).toBe(text);
    expect(nexus.lines.filter((line) => line.level === "warn").map((line) => line.message)).toEqual([
      `The Nexus state file "${path}" is damaged (${reason}); it was kept as "${join(directory, aside!)}", and Nexus starts without producers until they register again.`,
    ]);
    await addCollector(nexus, COLLECTOR);
    await post(nexus, endpoint(1));
    expect((await list(nexus, COLLECTOR)).items).toEqual([endpoint(1)]);
  });

  it("that cannot be read at all keeps Nexus from starting", async () => {
    await mkdir(join(directory, "nexus.json"));
    await expect(start("nexus.json")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("cannot be read") as string,
    });
  });

  it("that cannot be written is logged, and registrations go on", async () => {
    const nexus = await start("nexus.json");
    await mkdir(join(directory, "nexus.json.new"));
    await addCollector(nexus, COLLECTOR);
    expect((await post(nexus, endpoint(1))).status).toBe(201);
    expect(nexus.lines.some((line) => line.level === "error" && line.message === "the Nexus state could not be written")).toBe(true);
    await rm(join(directory, "nexus.json.new"), { recursive: true });
    await post(nexus, endpoint(2));
    expect(await readFile(join(directory, "nexus.json"), "utf8")).toContain(uuid(1));
  });
});
