import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApiAccess, type ApiAccess } from "../../src/cli/api-access.ts";
import { DEFAULTS, type Config } from "../../src/config/index.ts";
import { newToken, startListener, type Listener } from "../../src/http/index.ts";
import { Agent, request } from "undici";
import { AUTHORITY, AUTHORITY_FILE, certificate, certificateFiles } from "../support/certificates.ts";
import { ONE_OPERATION } from "../support/http-server.ts";
import { recordingLogger } from "../support/logs.ts";

let folder: string;
let tokenFile: string;
const opened: ApiAccess[] = [];
const listeners: Listener[] = [];
const agents: Agent[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-"));
  tokenFile = join(folder, "tokens.toml");
});
afterEach(async () => {
  for (const access of opened.splice(0)) access.close();
  await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
  await rm(folder, { recursive: true, force: true });
});

const { logger, lines } = recordingLogger();

async function open(api: Partial<Config["api"]>): Promise<ApiAccess> {
  const access = await openApiAccess({ config: { api: { ...DEFAULTS.api, ...api }, up: DEFAULTS.up }, named: (name) => name, logger });
  opened.push(access);
  return access;
}

const tokenLines = (sha256: string, principal = "operator"): string =>
  `[[token]]\nname = "one"\nprincipal = "${principal}"\nsha256 = "${sha256}"\n`;

describe("where nothing is set", () => {
  it("both APIs are this machine's alone, and everyone on it is an operator", async () => {
    const access = await open({});
    expect(access.listen).toEqual({ operator: { host: "127.0.0.1", port: 12281 }, customer: { host: "127.0.0.1", port: 12282 } });
    expect(access.tls).toBeNull();
    const from = { method: "GET", url: "/", headers: {}, socket: { remoteAddress: "127.0.0.1" } } as never;
    expect(access.admission.operator.admit(from)).toMatchObject({ kind: "operator" });
    expect(access.admission.customer.admit(from)).toMatchObject({ kind: "fleet_viewer" });
  });

  it("SIGHUP ends the process as ever", async () => {
    const before = process.listenerCount("SIGHUP");
    await open({});
    expect(process.listenerCount("SIGHUP")).toBe(before);
  });
});

describe("a door that would stand open", () => {
  const tls = { tlsCert: certificateFiles("server").cert, tlsKey: certificateFiles("server").key };
  const anywhere = { host: "0.0.0.0", port: 12281 };
  it.each<readonly [string, Partial<Config["api"]>, string]>([
    [
      "to the network, bare",
      { operatorListen: anywhere },
      "api.operator_listen is 0.0.0.0:12281, which other machines can reach, without TLS and tokens: set api.tls_cert, api.tls_key, api.token_file, or listen on 127.0.0.1.",
    ],
    [
      "to the network, without tokens",
      { customerListen: { host: "::", port: 1 }, ...tls },
      "api.customer_listen is [::]:1, which other machines can reach, without TLS and tokens: set api.token_file, or",
    ],
    [
      "to the network, without TLS",
      { customerListen: { host: "10.0.0.1", port: 1 }, tokenFile: "t" },
      "without TLS and tokens: set api.tls_cert, api.tls_key, or listen on 127.0.0.1.",
    ],
    [
      "to every user",
      { operatorListen: { path: "/run/a.sock" }, socketMode: 0o666 },
      "api.operator_listen is unix:/run/a.sock with api.socket_mode 0666, which lets every user of this machine in",
    ],
    ["half of TLS", { tlsCert: "c" }, "api.tls_cert is set alone: set api.tls_cert and api.tls_key, or neither."],
    ["an authority without TLS", { clientCa: "c" }, "api.client_ca is set, and clients show certificates over TLS only"],
    [
      "an authority without names",
      { clientCa: AUTHORITY_FILE, ...tls },
      "api.client_ca is set, and nothing says whom its certificates stand for",
    ],
  ])("%s is refused in one sentence", async (_what, api, message) => {
    const failure = (await open(api).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ code: "config", exitCode: 2 });
    expect(failure.message).toContain(message);
    expect(failure.message).not.toContain("\n");
  });

  it.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])("is none at %s, nor at a socket of one user or group", async (host) => {
    await open({ operatorListen: { host, port: 1 } });
    await open({ operatorListen: { path: "/run/a.sock" }, customerListen: { path: "/run/b.sock" }, socketMode: 0o660 });
  });
});

describe("SIGHUP", () => {
  const hangUp = async (): Promise<void> => {
    const before = lines.length;
    process.kill(process.pid, "SIGHUP");
    while (!lines.slice(before).some(({ message }) => /read again/.test(message))) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it("reads tokens and certificates again; a file that is broken keeps what holds and logs one sentence", async () => {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const put = async (name: "server" | "renewed-server") => {
      await copyFile(certificateFiles(name).cert, cert);
      await copyFile(certificateFiles(name).key, key);
    };
    const [first, second] = [newToken(), newToken()];
    await put("server");
    await writeFile(tokenFile, tokenLines(first.sha256));
    const access = await open({
      operatorListen: { host: "127.0.0.1", port: 0 },
      tlsCert: cert,
      tlsKey: key,
      clientCa: AUTHORITY_FILE,
      tokenFile,
    });
    const listener = await startListener({
      document: ONE_OPERATION,
      handlers: { only: async () => ({ status: 200, body: "{}" }) },
      listen: access.listen.operator,
      tls: access.tls,
      admission: access.admission.operator,
      name: "the operator API",
      logger,
      apiVersion: "ignored",
    });
    access.follow(listener);
    listeners.push(listener);
    /** Status and the name of the server's certificate, on a new connection. */
    const ask = async (token: string | null, connect: object = {}): Promise<string> => {
      let name = "";
      const checkServerIdentity = (_host: string, peer: { subject: { CN: string } }): undefined => void (name = peer.subject.CN);
      const agent = new Agent({ connect: { ca: AUTHORITY, checkServerIdentity, ...connect } as object });
      agents.push(agent);
      const { statusCode, body } = await request(listener.url, {
        dispatcher: agent,
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
      });
      await body.dump();
      return `${statusCode} ${name}`;
    };
    expect([await ask(first.token), await ask(second.token), await ask(null, certificate("client-dashboard"))]).toEqual([
      "200 test server",
      "401 test server",
      "401 test server",
    ]);

    await writeFile(tokenFile, `${tokenLines(second.sha256)}[[certificate]]\ncommon_name = "dashboard"\nprincipal = "operator"\n`);
    await put("renewed-server");
    await hangUp();
    expect([await ask(first.token), await ask(second.token), await ask(null, certificate("client-dashboard"))]).toEqual([
      "401 renewed test server",
      "200 renewed test server",
      "200 renewed test server",
    ]);

    // One of the two files is wrong: neither counts.
    await put("server");
    await writeFile(tokenFile, tokenLines("no hash"));
    const before = lines.length;
    await hangUp();
    expect(await ask(second.token)).toBe("200 renewed test server");
    const told = lines.slice(before).filter(({ level }) => level === "error");
    expect(told).toHaveLength(1);
    expect(told[0]!.fields["error"]).toBe(
      `${tokenFile}: token 1 ("one"): sha256 must be 64 hexadecimal digits: the hash that \`zonemeter token new\` prints.`,
    );
  });

  it("changes the projects there are", async () => {
    const { sha256 } = newToken();
    await writeFile(tokenFile, tokenLines(sha256));
    const access = await open({ tokenFile });
    expect(access.projects()).toEqual([]);
    const id = "00000001-aaaa-4bbb-8ccc-dddddddddddd";
    await writeFile(
      tokenFile,
      `${tokenLines(sha256)}[[silo]]\nname = "s"\nid = "${id}"\n[[project]]\nname = "p"\nid = "${id}"\nsilo = "s"\n`,
    );
    await hangUp();
    expect(access.projects()).toEqual([{ name: "p", id, siloId: id }]);
    access.close();
    expect(process.listenerCount("SIGHUP")).toBe(0);
  });
});
