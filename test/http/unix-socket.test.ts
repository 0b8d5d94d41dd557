import { mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Agent, request } from "undici";
import { startListener, type Listener } from "../../src/http/index.ts";
import { ONE_OPERATION } from "../support/http-server.ts";
import { recordingLogger } from "../support/logs.ts";

let folder: string;
let path: string;
const listeners: Listener[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "socket-"));
  path = join(folder, "api.sock");
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
  await rm(folder, { recursive: true, force: true });
});

async function start(socketMode?: number): Promise<Listener> {
  const listener = await startListener({
    document: ONE_OPERATION,
    handlers: { only: async () => ({ status: 200, body: '"served"' }) },
    listen: { path },
    ...(socketMode === undefined ? {} : { socketMode }),
    name: "the test server",
    logger: recordingLogger().logger,
    apiVersion: "ignored",
  });
  listeners.push(listener);
  return listener;
}

async function get(): Promise<string> {
  const agent = new Agent({ connect: { socketPath: path } });
  try {
    return await (await request("http://localhost/", { dispatcher: agent })).body.text();
  } finally {
    await agent.destroy();
  }
}

const modeOf = async (): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

it("is its owner's alone", async () => {
  const umask = process.umask();
  const { url } = await start();
  expect(url).toBe(`unix:${path}`);
  expect(await modeOf()).toBe("600");
  expect(await get()).toBe('"served"');
  expect(process.umask()).toBe(umask);
});

it("has the mode that is asked for", async () => {
  await start(0o660);
  expect(await modeOf()).toBe("660");
});

it("goes when the server ends", async () => {
  await (await start()).close(0);
  await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
});

it("takes over what a killed process left behind", async () => {
  const dead = createServer().listen(path);
  await once(dead, "listening");
  // Closing removes a socket, being killed does not: so it is kept aside.
  await rename(path, `${path}.kept`);
  dead.close();
  await once(dead, "close");
  await rename(`${path}.kept`, path);
  await start();
  expect(await get()).toBe('"served"');
});

it("is left to another process that listens there", async () => {
  await start();
  await expect(start()).rejects.toMatchObject({
    code: "conflict",
    message: `the test server cannot listen on unix:${path}: another process listens there; stop it or name another path.`,
  });
  expect(await get()).toBe('"served"');
});

it("does not replace a file, nor appear where nothing can be", async () => {
  await writeFile(path, "precious");
  await expect(start()).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("something else than a socket") as string,
  });
  path = join(folder, "no", "folder", "api.sock");
  await expect(start()).rejects.toMatchObject({ code: "config", exitCode: 2 });
});
