import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import {
  createSources,
  defaultSourceName,
  localSledIdentity,
  openIdentityBook,
  parseSourceNames,
  SOURCE_NAMES,
  SOURCES,
  type IdentityBook,
  type OpenedSource,
  type SourceOptions,
} from "../../src/sources/index.ts";
import { CgroupFixture } from "../support/cgroup-fixture.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { childProcesses } from "../support/open-descriptors.ts";

let tools: FakeTools;
let book: IdentityBook;
let opened: OpenedSource[];

beforeEach(async () => {
  tools = new FakeTools();
  book = await openIdentityBook({ stateDir: null, clock: systemClock });
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map(({ source }) => source.close()));
  tools.remove();
});

async function create(names: readonly string[], more: Partial<SourceOptions> = {}): Promise<OpenedSource[]> {
  opened = await createSources(names, { book, clock: systemClock, logger: silentLogger, ...more });
  return opened;
}

describe("the table of sources", () => {
  it("has a row for each name, in the order of precedence", () => {
    expect(SOURCES.map(({ name }) => name)).toEqual([...SOURCE_NAMES]);
    for (const { gives, needs, costs } of SOURCES) for (const text of [gives, needs, costs]) expect(text).not.toBe("");
  });

  it("knows each platform's own source", () => {
    expect(defaultSourceName("sunos")).toBe("kstat");
    expect(defaultSourceName("linux")).toBe("cgroup");
    expect(defaultSourceName("darwin")).toBeNull();
  });

  it("refuses names that it does not have, with the list of those it has", async () => {
    await expect(create(["kstats"])).rejects.toMatchObject({
      code: "usage",
      message: 'There is no source "kstats"; the sources are kstat, zonestat, vmusage, cgroup, replay.',
    });
    expect(() => parseSourceNames(["cgroup", "cgroup"])).toThrow('The source "cgroup" is named twice; once is enough.');
    expect(() => parseSourceNames([])).toThrow("No source is named");
    expect(() => parseSourceNames(["toString"])).toThrow("There is no source");
    expect(parseSourceNames(["zonestat", "kstat"])).toEqual(["zonestat", "kstat"]);
  });

  it("says which command is missing, and what to do on this platform", async () => {
    const commands = { kstat: "zonemeter-no-kstat", prstat: "zonemeter-no-prstat" };
    await expect(create(["kstat"], { platform: "linux", commands })).rejects.toMatchObject({
      code: "unavailable",
      message:
        "The source kstat needs the command zonemeter-no-kstat, which was not found; it is a tool of illumos, and this is linux: use the source cgroup.",
    });
    await expect(create(["vmusage"], { platform: "sunos", commands })).rejects.toMatchObject({
      code: "unavailable",
      message: "The source vmusage needs the command zonemeter-no-prstat, which was not found; install it, or add its folder to PATH.",
    });
    await expect(create(["cgroup"], { platform: "sunos" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("use the source kstat"),
    });
    await expect(create(["cgroup"], { platform: "win32" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("use replay"),
    });
  });

  it("takes a tool that is on PATH on any platform, and another command where one is given", async () => {
    tools.script("kstat", "exit 1");
    tools.script("other-prstat", "exit 1");
    const sources = await create(["kstat", "vmusage"], {
      platform: "linux",
      commands: { prstat: join(tools.folder, "other-prstat") },
      intervalsMs: { kstat: 2_500 },
    });
    expect(sources.map(({ source, intervalMs, finite }) => [source.name, intervalMs, finite])).toEqual([
      ["kstat", 2_500, false],
      ["vmusage", 60_000, false],
    ]);
    for (const { source } of sources)
      await expect(source.read(new AbortController().signal)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("makes sources in the order in which they are named", async () => {
    const fixture = new CgroupFixture({ unified: { "cgroup.controllers": "\n" } });
    const file = join(tools.folder, "recording");
    await writeFile(file, "");
    const sources = await create(["replay", "cgroup"], { platform: "linux", hostRoot: fixture.root, replay: { files: [file] } });
    expect(sources.map(({ source, finite }) => [source.name, finite])).toEqual([
      ["replay", true],
      ["cgroup", false],
    ]);
    expect((await sources[1]!.source.read(new AbortController().signal)).snapshots.length).toBe(2);
    fixture.remove();
  });

  it("closes those made before one that cannot work", async () => {
    tools.script("zonestat", "exec sleep 1000");
    const before = childProcesses();
    await expect(create(["zonestat", "replay"], { replay: { files: [] } })).rejects.toMatchObject({ code: "usage" });
    expect(childProcesses()).toEqual(before);
  });
});

describe("the sled's identity", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "zonemeter-sled-"));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const withMachineId = async (text: string): Promise<string> => {
    await mkdir(join(root, "etc"), { recursive: true });
    await writeFile(join(root, "etc/machine-id"), text);
    return (await localSledIdentity({ hostRoot: root, hostName: "sled-a" })).sledId;
  };

  it("comes from the machine id, which it does not show, whatever the host is called", async () => {
    const id = await withMachineId("0123456789abcdef0123456789abcdef\n");
    expect(id).toMatch(UUID);
    expect(id.replaceAll("-", "")).not.toContain("0123456789abcdef");
    expect((await localSledIdentity({ hostRoot: root, hostName: "sled-b" })).sledId).toBe(id);
    expect(await withMachineId("0123456789abcdef0123456789abcdee\n")).not.toBe(id);
  });

  it.each(["", "uninitialized\n", "00000000000000000000000000000000\n"])(
    "comes from the host name where the machine id is %j",
    async (text) => {
      const byName = (await localSledIdentity({ hostRoot: join(root, "nothing"), hostName: "sled-a" })).sledId;
      expect(byName).toMatch(UUID);
      expect(await withMachineId(text)).toBe(byName);
      expect((await localSledIdentity({ hostRoot: root, hostName: "sled-b" })).sledId).not.toBe(byName);
    },
  );

  it("is what the configuration says, as far as that goes", async () => {
    const configured = {
      rackId: "a0a0a0a0-0000-4000-8000-000000000001",
      sledId: "b0b0b0b0-0000-4000-8000-000000000002",
      sledModel: "913-0000019",
      sledRevision: 6,
    };
    expect(await localSledIdentity({ configured, hostName: "BRM42220014" })).toEqual({ ...configured, sledSerial: "BRM42220014" });
    expect(await localSledIdentity({ hostName: "x" })).toMatchObject({
      rackId: "00000000-0000-0000-0000-000000000000",
      sledModel: "",
      sledRevision: 0,
      sledSerial: "x",
    });
  });
});
