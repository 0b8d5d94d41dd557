import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePortBase } from "../support/free-port-base.ts";
import { ZonemeterProcess } from "../support/zonemeter-process.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-signals-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("signals", () => {
  it("SIGHUP ends `up` in order where there is nothing to read again", async () => {
    const up = new ZonemeterProcess(["up", "--data-dir", join(folder, "data"), "--port-base", String(await freePortBase())]);
    await up.line("ready ");
    up.kill("SIGHUP");
    expect((await up.finished).code).toBe(0);
  });

  it("a second signal ends `up` by itself, without a crash", async () => {
    const up = new ZonemeterProcess(["up", "--data-dir", join(folder, "data"), "--port-base", String(await freePortBase())]);
    await up.line("ready ");
    // Two of one kind could arrive as one.
    up.kill("SIGTERM");
    up.kill("SIGINT");
    await up.finished;
    expect(["SIGTERM", "SIGINT"]).toContain(up.child.signalCode);
  });

  it("SIGINT ends a query that waits, with 130", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const connected = once(silent, "connection");
    const query = new ZonemeterProcess([
      "query",
      "--url",
      `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      "get a:b | last 1",
    ]);
    await connected;
    query.kill("SIGINT");
    expect((await query.finished).code).toBe(130);
    silent.close();
  });
});
