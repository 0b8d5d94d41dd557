import { mkdtemp, copyFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectPlain } from "node:net";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Agent, request } from "undici";
import { Admission, Authenticator, readTls, startListener, type HandlerRequest, type Listener } from "../../src/http/index.ts";
import { AUTHORITY, AUTHORITY_FILE, certificate, certificateFiles } from "../support/certificates.ts";
import { ONE_OPERATION } from "../support/http-server.ts";
import { recordingLogger } from "../support/logs.ts";
import { PEOPLE, tokensForAll } from "../support/people.ts";

const { list, tokens } = tokensForAll();
let folder: string;
const agents: Agent[] = [];
const listeners: Listener[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tls-"));
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
  await rm(folder, { recursive: true, force: true });
});

async function start(clientCa: string | null = AUTHORITY_FILE) {
  const { logger, lines } = recordingLogger();
  const seen: HandlerRequest[] = [];
  const listener = await startListener({
    document: ONE_OPERATION,
    handlers: {
      only: async (given) => {
        seen.push(given);
        return { status: 200, body: "{}" };
      },
    },
    listen: { host: "127.0.0.1", port: 0 },
    tls: await readTls({ ...certificateFiles("server"), clientCa }),
    admission: new Admission({ who: new Authenticator(list), admits: () => true, openPaths: [], rate: null }),
    name: "the test server",
    logger,
    apiVersion: "ignored",
  });
  listeners.push(listener);
  return { listener, seen, lines, port: (listener.listen as { port: number }).port };
}

async function get(url: string, connectOptions: object, headers: Record<string, string> = {}): Promise<number> {
  const agent = new Agent({ connect: { ca: AUTHORITY, ...connectOptions } });
  agents.push(agent);
  const { statusCode, body } = await request(url, { dispatcher: agent, headers });
  await body.text();
  return statusCode;
}

/** The certificate that the server shows to a new connection. */
async function shown(port: number): Promise<PeerCertificate> {
  const socket = connect({ host: "127.0.0.1", port, ca: AUTHORITY });
  await once(socket, "secureConnect");
  const peer = socket.getPeerCertificate();
  socket.destroy();
  return peer;
}

describe("over TLS", () => {
  it("a token says who asks", async () => {
    const { listener, seen } = await start();
    expect(listener.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await get(listener.url, {}, { authorization: `Bearer ${tokens.silo}` })).toBe(200);
    expect(seen.map(({ principal }) => principal)).toEqual([PEOPLE.silo]);
  });

  it("a client's certificate does, where the authority and the name are known", async () => {
    const { listener, seen } = await start();
    expect(await get(listener.url, certificate("client-dashboard"))).toBe(200);
    expect(seen.map(({ principal }) => principal?.name)).toEqual(["dashboard"]);
    expect(await get(listener.url, certificate("client-nobody"))).toBe(401);
    expect(await get(listener.url, certificate("client-stranger"))).toBe(401);
    expect(await get(listener.url, {})).toBe(401);
    expect(seen).toHaveLength(1);
  });

  it("a token counts more than a certificate, also one that is wrong", async () => {
    const { listener, seen } = await start();
    expect(await get(listener.url, certificate("client-dashboard"), { authorization: `Bearer ${tokens.fleet}` })).toBe(200);
    expect(seen[0]!.principal).toEqual(PEOPLE.fleet);
    expect(await get(listener.url, certificate("client-dashboard"), { authorization: "Bearer x" })).toBe(401);
  });

  it("no certificate counts where no authority is named", async () => {
    const { listener } = await start(null);
    expect(await get(listener.url, certificate("client-dashboard"))).toBe(401);
    expect(await get(listener.url, {}, { authorization: `Bearer ${tokens.fleet}` })).toBe(200);
  });

  it("another certificate is shown once it was replaced, and connections that are open go on", async () => {
    const { listener, port } = await start();
    const agent = new Agent({ connect: { ca: AUTHORITY }, connections: 1 });
    agents.push(agent);
    const ask = async () =>
      (await request(listener.url, { dispatcher: agent, headers: { authorization: `Bearer ${tokens.fleet}` } })).statusCode;
    expect(await ask()).toBe(200);
    expect((await shown(port)).subject.CN).toBe("test server");
    listener.replaceTls(await readTls({ ...certificateFiles("renewed-server"), clientCa: AUTHORITY_FILE }));
    expect((await shown(port)).subject.CN).toBe("renewed test server");
    expect(await ask()).toBe(200);
    expect(await get(listener.url, certificate("client-dashboard"))).toBe(200);
  });

  it("old versions of TLS and plain HTTP are cut off, and the server goes on", async () => {
    const { listener, port, seen } = await start();
    await expect(get(listener.url, { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" })).rejects.toThrow();
    await expect(request(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    expect(await get(listener.url, {}, { authorization: `Bearer ${tokens.fleet}` })).toBe(200);
    expect(seen).toHaveLength(1);
  });

  it("a server that ends does not wait for idle connections or handshakes that never come", async () => {
    const { listener, port, lines } = await start();
    const idle: TLSSocket = connect({ host: "127.0.0.1", port, ca: AUTHORITY });
    await once(idle, "secureConnect");
    const silent = connectPlain({ host: "127.0.0.1", port });
    await once(silent, "connect");
    const ended = Promise.all([idle, silent].map(async (socket) => (socket.resume(), once(socket, "close"))));
    await listener.close(30_000);
    await ended;
    expect(lines.filter(({ level }) => level === "warn")).toEqual([]);
  });
});

describe("files that do not go together", () => {
  const server = certificateFiles("server");
  it.each([
    [
      "no certificate",
      { cert: server.key, key: server.key, clientCa: null },
      /^The TLS certificate ".*server\.key" holds no PEM certificate/,
    ],
    [
      "no such file",
      { cert: "/nowhere/cert.pem", key: server.key, clientCa: null },
      /^The TLS certificate "\/nowhere\/cert\.pem" cannot be read: ENOENT/,
    ],
    [
      "the key of another",
      { ...server, key: certificateFiles("renewed-server").key, clientCa: null },
      /^The TLS key ".*renewed-server\.key" cannot be used with the certificate ".*server\.pem" \(.*key values mismatch\)/,
    ],
    ["no authority", { ...server, clientCa: server.key }, /^The TLS client authority ".*server\.key" holds no PEM certificate/],
  ])("%s", async (_what, files, message) => {
    await expect(readTls(files)).rejects.toMatchObject({ code: "config", exitCode: 2, message: expect.stringMatching(message) as string });
  });

  it("show nothing of a key", async () => {
    const key = join(folder, "broken.key");
    await copyFile(server.key, key);
    await writeFile(key, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0c2VjcmV0\n-----END PRIVATE KEY-----\n");
    const failure = await readTls({ ...server, key, clientCa: null }).catch((error: unknown) => error);
    expect((failure as Error).message).not.toContain("c2VjcmV0");
    expect((failure as Error).message).not.toContain("\n");
  });
});
