import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startClickHouseShim, type ClickHouseShim } from "../support/clickhouse-shim.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";

describe("zonemeter with a ClickHouse server", () => {
  let folder: string;
  let shim: ClickHouseShim;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "zonemeter-server-"));
    shim = await startClickHouseShim(join(folder, "engine"));
  });

  afterAll(async () => {
    await shim.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("sets it up as far as the shim's engine can, and says in one sentence what it refused", async () => {
    // Roles of the embedded engine come from files, so the first statement about them is where it ends here.
    const done = await runZonemeter(["store", "init", "--store", shim.url]);
    expect(done.code).not.toBe(0);
    expect(done.stderr).toMatch(/^zonemeter: store\.url \(--store\): The engine of ClickHouse server http:\/\/127\.0\.0\.1:\d+ /);
    expect(shim.statements.filter((text) => text.startsWith("CREATE TABLE")).length).toBeGreaterThan(82);
    expect(shim.statements.at(-1)).toMatch(/^CREATE ROLE IF NOT EXISTS zonemeter_writer/);
  });

  it("checks its grants", async () => {
    const done = await runZonemeter(["store", "grants", "--check", "--store", shim.url]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(/ attempts, 0 leaks; /);
  });

  it("runs everything over it, and what it stored is on the server alone", async () => {
    const portBase = await freePortBase();
    const dataDir = join(folder, "data");
    const up = new ZonemeterProcess(["up", "--store", shim.url, "--data-dir", dataDir, "--port-base", String(portBase)]);
    const url = (await up.line("ready ")).slice("ready ".length);
    const done = await runZonemeter(["query", "--url", url, "--format", "json", "get sled_resource:cpus_online | last 1"]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toContain('"sled_resource:cpus_online"');
    up.kill("SIGTERM");
    expect((await up.finished).code).toBe(0);
    expect(shim.statements.some((text) => /^INSERT INTO `oximeter_internal`.`sled_resource_[0-9a-f]+` /.test(text))).toBe(true);
    expect(existsSync(join(dataDir, "store"))).toBe(false);
  });

  it("answers as documented while the server is away, and is ready before", async () => {
    const portBase = await freePortBase();
    const sockets = new Set<Socket>();
    const way = createServer((socket) => {
      const onward = connect(Number(new URL(shim.url).port), "127.0.0.1");
      for (const each of [socket, onward]) sockets.add(each.on("error", () => undefined));
      socket.pipe(onward).pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(way, "listening");
    const env = { ZONEMETER_UP_DATA_DIR: join(folder, "other data"), ZONEMETER_UP_PORT_BASE: String(portBase) };
    const up = new ZonemeterProcess(["up", "--store", `http://127.0.0.1:${(way.address() as AddressInfo).port}`], env);
    const url = (await up.line("ready ")).slice("ready ".length);
    const get = async (path: string): Promise<unknown[]> => {
      const answer = await fetch(`${url}${path}`);
      return [answer.status, answer.headers.get("content-type"), (await answer.text()).replace(/"request_id":"[^"]*"/, "ID")];
    };
    const text = "text/plain; charset=utf-8";
    expect(await get("/readyz")).toEqual([200, text, "ready\n"]);
    way.close();
    for (const socket of sockets) socket.destroy();
    expect(await get("/readyz")).toEqual([503, text, "the store does not answer\n"]);
    expect(await get("/healthz")).toEqual([200, text, "ok\n"]);
    expect((await get("/metrics")).slice(0, 2)).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(await get("/v1/zones/latest")).toEqual([
      503,
      "application/json",
      '{ID,"error_code":"ServiceNotAvailable","message":"Service Unavailable"}',
    ]);
    up.kill("SIGTERM");
    await up.finished;
  });

  it("refuses a server that does not answer with 3", async () => {
    const done = await runZonemeter(["store", "grants", "--check", "--store", "http://127.0.0.1:1"]);
    expect(done).toMatchObject({ code: 3, stdout: "" });
  });
});
