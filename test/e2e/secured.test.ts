import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Agent, request } from "undici";
import { AUTHORITY, AUTHORITY_FILE, certificateFiles } from "../support/certificates.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { recordKstats } from "../support/kstat-recording.ts";
import { until } from "../support/until.ts";
import { runZonemeter, ZonemeterProcess } from "../support/zonemeter-process.ts";

const PROJECT = "00000003-aaaa-4bbb-8ccc-dddddddddddd";
const SILO = "00000001-aaaa-4bbb-8ccc-dddddddddddd";

let folder: string;
let operatorUrl: string;
let customerUrl: string;
let socket: string;
let up: ZonemeterProcess;
let operatorToken: string;
let customerToken: string;
let wallToken: string;
/** Everything that any process of this test printed. */
const printed: string[] = [];
const agent = new Agent({ connect: { ca: AUTHORITY } });

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const done = await runZonemeter(args, env);
  printed.push(done.stdout, done.stderr);
  return done;
}

/** Makes a token with the command and puts its lines into the token file's text. */
async function makeToken(...args: string[]): Promise<{ token: string; lines: string }> {
  const { code, stdout, stderr } = await runZonemeter(["token", "new", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [token, empty, ...lines] = stdout.split("\n");
  expect(empty).toBe("");
  expect(lines.join("\n")).not.toContain(token);
  return { token: token!, lines: lines.join("\n") };
}

async function get(url: string, token: string | null): Promise<{ status: number; text: string }> {
  const { statusCode, body } = await request(url, {
    dispatcher: agent,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
  return { status: statusCode, text: await body.text() };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-secured-"));
  const file = (name: string): string => join(folder, name);
  const [operator, customer, wall] = [
    await makeToken("--name", "on call", "--principal", "operator"),
    await makeToken("--name", "till maker", "--principal", "project_viewer", "--project", "till"),
    await makeToken("--name", "wall", "--principal", "fleet_viewer"),
  ];
  [operatorToken, customerToken, wallToken] = [operator.token, customer.token, wall.token];
  await writeFile(file("operator.token"), `${operatorToken}\n`, { mode: 0o600 });
  await writeFile(file("customer.token"), `${customerToken}\n`, { mode: 0o600 });
  await writeFile(
    file("tokens.toml"),
    `[[silo]]\nname = "shop"\nid = "${SILO}"\n[[project]]\nname = "till"\nid = "${PROJECT}"\nsilo = "shop"\n${operator.lines}${customer.lines}${wall.lines}`,
  );
  await copyFile(certificateFiles("server").cert, file("cert.pem"));
  await copyFile(certificateFiles("server").key, file("key.pem"));
  await writeFile(file("replay.txt"), recordKstats([{ name: "global" }], 4, Math.floor(Date.now() / 1000) - 3_600).text);
  const base = await freePortBase();
  operatorUrl = `https://127.0.0.1:${base + 60}`;
  customerUrl = `https://127.0.0.1:${base + 61}`;
  socket = file("customer.sock");
  await writeFile(
    file("zonemeter.toml"),
    `[api]\noperator_listen = "0.0.0.0:${base + 60}"\ntls_cert = "${file("cert.pem")}"\ntls_key = "${file("key.pem")}"\ntoken_file = "${file("tokens.toml")}"\n`,
  );
  up = new ZonemeterProcess([
    "up",
    "--config",
    file("zonemeter.toml"),
    "--data-dir",
    file("data"),
    "--replay",
    file("replay.txt"),
    "--port-base",
    String(base),
  ]);
  await up.line("replayed ");
}, 60_000);

afterAll(async () => {
  up.kill("SIGKILL");
  await up.finished;
  await agent.destroy();
  await rm(folder, { recursive: true, force: true });
});

describe("zonemeter up with TLS and tokens", () => {
  const query = "get zone_resource:cpu_nsec | last 1";

  it("answers operators who show a token, from a file or the environment", async () => {
    const args = ["query", "--url", operatorUrl, "--ca", AUTHORITY_FILE, "--format", "json", query];
    expect(await run([...args, "--token-file", join(folder, "operator.token")])).toMatchObject({ code: 0, stderr: "" });
    expect(await run(args, { ZONEMETER_TOKEN: operatorToken })).toMatchObject({ code: 0, stderr: "" });
  });

  it("refuses others with one sentence and exit code 1", async () => {
    const args = ["query", "--url", operatorUrl, "--ca", AUTHORITY_FILE, query];
    const nobody = await run(args);
    expect(nobody).toMatchObject({ code: 1, stdout: "" });
    expect(nobody.stderr).toMatch(/^zonemeter: https:\/\/127\.0\.0\.1:\d+ does not know who asks .*\n$/);
    const customer = await run([...args, "--token-file", join(folder, "customer.token")]);
    expect(customer).toMatchObject({ code: 1, stdout: "" });
    expect(customer.stderr).toMatch(/^zonemeter: .* refuses \(Forbidden\).*\n$/);
  });

  it("trusts only who signed the server's certificate, and sends no token in the clear", async () => {
    const stranger = await run(["query", "--url", operatorUrl, query], { ZONEMETER_TOKEN: operatorToken });
    expect(stranger).toMatchObject({ code: 3, stdout: "" });
    const clear = await run(["query", "--url", "http://192.0.2.1:80", query], { ZONEMETER_TOKEN: operatorToken });
    expect(clear).toMatchObject({
      code: 2,
      stderr: 'zonemeter: --url "http://192.0.2.1" would carry the token unencrypted over the network: use https.\n',
    });
  });

  it("shows a customer his projects, and nothing of what is hidden", async () => {
    const args = [
      "query",
      "--as",
      "customer",
      "--url",
      customerUrl,
      "--ca",
      AUTHORITY_FILE,
      "--token-file",
      join(folder, "customer.token"),
    ];
    // One that only operators see, and one that nobody has: the same answer, but for the name that was asked for.
    const answers: string[] = [];
    for (const name of ["zone_resource:cpu_nsec", "zone_resource:cpu_nsex"]) {
      const done = await run([...args, "--project", "till", `get ${name} | last 1`]);
      expect(done.code).toBe(1);
      answers.push(done.stderr.replaceAll(name, "NAME"));
    }
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).toMatch(/^zonemeter: There is no timeseries "NAME"\.\n/);
    expect(await run([...args, "--project", "web", query])).toMatchObject({ code: 1, stderr: 'zonemeter: There is no project "web".\n' });
    expect((await run([...args, query])).stderr).toContain("Only viewers of the fleet may ask for this");
    expect(JSON.parse((await get(`${customerUrl}/v1/system/timeseries/schemas`, wallToken)).text)).toEqual({ items: [], next_page: null });
  });

  it("tells monitors that it lives, and operators alone how it does", async () => {
    expect(await get(`${operatorUrl}/healthz`, null)).toMatchObject({ status: 200 });
    expect(await get(`${operatorUrl}/readyz`, null)).toMatchObject({ status: 200 });
    expect((await get(`${operatorUrl}/metrics`, null)).status).toBe(401);
    expect((await get(`${operatorUrl}/metrics`, wallToken)).status).toBe(403);
    const { status, text } = await get(`${operatorUrl}/metrics`, operatorToken);
    expect(status).toBe(200);
    expect(text).toMatch(/zonemeter_api_requests_denied_total\{api="operator",reason="forbidden"\} [1-9]/);
    printed.push(text);
  });

  it("reads tokens again on SIGHUP", async () => {
    const file = join(folder, "tokens.toml");
    const without = readFileSync(file, "utf8").replace(/\[\[token\]\]\nname = "wall"[^[]*/, "");
    await writeFile(file, without);
    up.kill("SIGHUP");
    await until("forgetting a token", 10_000, async () =>
      (await get(`${customerUrl}/v1/system/timeseries/schemas`, wallToken)).status === 401 ? true : undefined,
    );
    await writeFile(file, "[[token]]\nbroken");
    up.kill("SIGHUP");
    await until("telling of a broken file", 10_000, async () => (up.stderr.includes("everything stays as it was") ? true : undefined));
    expect((await get(`${operatorUrl}/metrics`, operatorToken)).status).toBe(200);
  });

  it("lets no secret out: not in output, logs, metrics, arguments, or files but those that it must be in", async () => {
    const wrong = `${operatorToken.slice(0, -4)}AAAA`;
    expect((await get(`${operatorUrl}/metrics`, wrong)).status).toBe(401);
    const arguments_ = readFileSync(`/proc/${up.child.pid}/cmdline`, "utf8");
    const key = readFileSync(join(folder, "key.pem"), "utf8").split("\n")[1]!;
    const data = readdirSync(join(folder, "data", "state"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    const all = [up.stdout, up.stderr, arguments_, ...printed, ...data].join("\n");
    expect(up.stderr).toContain('"principal":"on call"');
    for (const secret of [operatorToken, customerToken, wallToken, wrong]) {
      // Also no part of one that would spare somebody the guessing.
      expect(all).not.toContain(secret.slice("zonemeter_".length, "zonemeter_".length + 12));
      expect(all).not.toContain(secret.slice(-16));
    }
    expect(all).not.toContain(key.slice(0, 24));
    expect(all).not.toMatch(/authorization/i);
  });

  it("ends with 0 on SIGTERM", async () => {
    up.kill("SIGTERM");
    const { code } = await up.finished;
    expect(code).toBe(0);
  });
});

describe("a configuration that would let everyone in", () => {
  it("is refused at once with exit code 2, and nothing is left behind", async () => {
    const done = await run(["up", "--data-dir", join(folder, "other")], { ZONEMETER_API_OPERATOR_LISTEN: "0.0.0.0:0" });
    expect(done).toMatchObject({ code: 2, stdout: "" });
    expect(done.stderr).toMatch(
      /^zonemeter: api\.operator_listen \(ZONEMETER_API_OPERATOR_LISTEN\) is 0\.0\.0\.0:0, which other machines can reach, without TLS and tokens: .*\n$/,
    );
    expect(readdirSync(folder)).not.toContain("other");
  });

  it("is none with a Unix socket, which `query` can ask", async () => {
    const base = await freePortBase();
    const other = new ZonemeterProcess(
      ["up", "--data-dir", join(folder, "socket-data"), "--replay", join(folder, "replay.txt"), "--port-base", String(base)],
      {
        ZONEMETER_API_OPERATOR_LISTEN: `unix:${socket}`,
      },
    );
    try {
      expect(await other.line("ready ")).toBe(`ready unix:${socket}`);
      await other.line("replayed ");
      const done = await run(["query", "--url", `unix:${socket}`, "--format", "csv", "get zone_resource:cpu_nsec | last 1"]);
      expect(done).toMatchObject({ code: 0, stderr: "" });
      expect(done.stdout).toContain("global");
    } finally {
      other.kill("SIGTERM");
      await other.finished;
    }
  });
});
