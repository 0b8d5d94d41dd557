import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePortBase } from "../support/free-port-base.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-signals-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("what runs until it is asked to end", () => {
  /** Every part on ports and folders of its own, as parts of one machine could be. */
  async function environment(): Promise<Record<string, string>> {
    const base = await freePortBase();
    return {
      ZONEMETER_UP_PORT_BASE: String(base),
      ZONEMETER_UP_DATA_DIR: join(folder, "up"),
      ZONEMETER_NEXUS_LISTEN: `127.0.0.1:${base}`,
      ZONEMETER_NEXUS_STATE_FILE: join(folder, "nexus.json"),
      ZONEMETER_COLLECTOR_LISTEN: "127.0.0.1:0",
      ZONEMETER_COLLECTOR_STATE_DIR: join(folder, "collector"),
      ZONEMETER_STORE_DATA_DIR: join(folder, "store"),
      ZONEMETER_PRODUCER_STATE_DIR: join(folder, "producer"),
      ZONEMETER_PRODUCER_CLOCK_GATE: "none",
    };
  }

  it.each(
    ["up", "producer", "collector", "nexus", "api"].flatMap((command) => [
      [command, "SIGTERM", 0] as const,
      [command, "SIGINT", 130] as const,
    ]),
  )("`%s` ends in order by %s, with %d", async (command, signal, code) => {
    const service = new ZonemeterProcess([command], await environment());
    await service.line("ready ");
    service.kill(signal);
    const done = await service.finished;
    expect(done.stderr).not.toContain("cleanly");
    expect(done.code).toBe(code);
    expect(service.child.signalCode).toBeNull();
  });

  it("says so in its help", async () => {
    for (const command of ["up", "producer", "collector", "nexus", "api"])
      expect((await runZonemeter([command, "--help"])).stdout).toContain("SIGTERM (exit code 0) and Ctrl-C (130) end it in order");
  });
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

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends a `sample` between two of its readings, with %d", async (signal, code) => {
    const sample = new ZonemeterProcess(["sample", "--source", "cgroup", "--count", "1000", "--sample-interval", "10m"]);
    await sample.line("{");
    sample.kill(signal);
    expect((await sample.finished).code).toBe(code);
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
