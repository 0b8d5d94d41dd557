import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { freshDirectory, NOW_NS, openStoreAt, selectRows } from "../support/store-at.ts";
import { compiledStore, StoreProcess } from "../support/store-process.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

describe("the data directory", () => {
  const directory = freshDirectory();
  let rooms: Awaited<ReturnType<typeof compiledStore>>;

  beforeAll(async () => {
    rooms = await compiledStore();
  });

  afterAll(async () => {
    directory.remove();
    await rooms.remove();
  });

  it("is made for its owner alone, with any characters in its name", async () => {
    const path = join(directory.path, "it's a \\ `new` directory", "store");
    const store = await openStoreAt(path);
    await store.insert(zoneSnapshot({ timestampNs: NOW_NS, values: { memory_resident: 1n } }), "it's \\ a token");
    expect(await selectRows(store, "zone_resource:memory_resident")).toHaveLength(1);
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "engine")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(path, "inbox"))).toEqual([]);
  });

  it("belongs to one process, until that ends", async () => {
    const path = join(directory.path, "held");
    const holder = new StoreProcess(rooms.path, path, 0);
    await holder.told("open");
    const other = await new StoreProcess(rooms.path, path, 1).ended();
    const told = JSON.parse(other.lines[0]!.replace("error ", "")) as unknown;
    expect(told).toEqual({
      name: "ZonemeterError",
      code: "conflict",
      exitCode: 1,
      message: `Data directory "${path}" is in use by another zonemeter: stop that one, or choose another path.`,
    });
    expect(other.stderr).toBe("");
    await holder.kill();
    const next = await new StoreProcess(rooms.path, path, 1).ended();
    expect(next.lines).toEqual(["open", "stored 0", "samples 50", "closed"]);
  });

  it("belongs to one store of this process", async () => {
    const path = join(directory.path, "twice");
    const store = await openStoreAt(path);
    await expect(openStoreAt(path)).rejects.toMatchObject({ code: "conflict" });
    await expect(openStoreAt(join(directory.path, "another"))).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("this process has another one open") as string,
    });
    await store.close();
    await (await openStoreAt(join(directory.path, "another"))).close();
  });

  it("keeps every acknowledged sample through a SIGKILL", async () => {
    const path = join(directory.path, "killed");
    let acknowledged = 0;
    for (let round = 0; round < 3; round++) {
      const child = new StoreProcess(rooms.path, path, -1);
      await child.told(`stored ${acknowledged + 2}`);
      await child.kill();
      acknowledged = Math.max(acknowledged, child.lines.filter((line) => line.startsWith("stored ")).length);
    }
    // The same batches come again from the first on: tokens keep them from being stored twice.
    const last = await new StoreProcess(rooms.path, path, acknowledged).ended();
    const samples = Number(/^samples (\d+)$/.exec(last.lines.at(-2)!)![1]);
    // A batch that was being stored when the process ended may be there as a whole.
    expect([50 * acknowledged, 50 * (acknowledged + 1)]).toContain(samples);
    expect(readdirSync(join(path, "inbox"))).toEqual([]);
  });

  it("must be a directory", async () => {
    const file = join(directory.path, "file");
    writeFileSync(file, "");
    for (const path of [file, join(file, "below")]) {
      const error = await openStoreAt(path).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ZonemeterError);
      expect(error).toMatchObject({
        code: "unavailable",
        message: `Data directory "${path}" is not a directory, or lies below a file: choose another path.`,
      });
    }
  });

  it.skipIf(!isRoot)("must be writable", async () => {
    chmodSync(directory.path, 0o755);
    chmodSync(rooms.path, 0o755);
    const path = join(directory.path, "of root");
    mkdirSync(path, { mode: 0o755 });
    for (const refused of [path, join(path, "below")]) {
      const { lines } = await new StoreProcess(rooms.path, refused, 1, NOBODY).ended();
      expect(lines[0]).toContain(
        `Data directory \\"${refused}\\" cannot be written: give its owner and mode to the user that runs this, or choose another path.`,
      );
      expect(lines[0]).toContain('"code":"unavailable","exitCode":3');
    }
    expect(existsSync(join(path, "below"))).toBe(false);
  });

  it.skipIf(!canMount())("may be on a disk that becomes full", async () => {
    const path = join(directory.path, "small disk");
    mkdirSync(path);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", path]);
    try {
      const { lines } = await new StoreProcess(rooms.path, path, -1).ended();
      const acknowledged = lines.filter((line) => line.startsWith("stored ")).length;
      expect(lines.at(-1)).toMatch(
        /"code":"unavailable","exitCode":3,"message":"(?:The disk of data directory|Data directory) [^.]*(?:full: free some space|has no space left: free some, or choose another path)\."/,
      );
      expect(acknowledged).toBeGreaterThan(0);
    } finally {
      execFileSync("umount", [path]);
    }
  });
});

function canMount(): boolean {
  const probe = freshDirectory();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", probe.path], { stdio: "ignore" });
    execFileSync("umount", [probe.path]);
    return true;
  } catch {
    return false;
  } finally {
    probe.remove();
  }
}
