import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { request } from "undici";
import {
  Admission,
  Authenticator,
  isToken,
  loadDocument,
  newToken,
  RateLimiter,
  startListener,
  type AdmissionOptions,
  type HandlerRequest,
  type Listener,
} from "../../src/http/index.ts";
import { recordingLogger } from "../support/logs.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PEOPLE, tokensForAll } from "../support/people.ts";
import { rawExchange } from "../support/raw-http.ts";

const { list, tokens } = tokensForAll();
const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
});

async function start(options: Partial<AdmissionOptions> = {}) {
  const { logger, lines } = recordingLogger();
  const seen: HandlerRequest[] = [];
  const handler = async (given: HandlerRequest) => {
    seen.push(given);
    return { status: 200, body: "{}" };
  };
  const document = loadDocument("operator-api");
  const ids = ["timeseries_query", "timeseries_schema_list", "zones_latest", "healthz", "readyz", "metrics"];
  const admission = new Admission({
    who: new Authenticator(list),
    admits: ({ kind }) => kind === "operator",
    openPaths: ["/healthz"],
    rate: null,
    ...options,
  });
  const listener = await startListener({
    document,
    handlers: Object.fromEntries(ids.map((id) => [id, handler])),
    listen: { host: "127.0.0.1", port: 0 },
    admission,
    name: "the test server",
    logger,
    apiVersion: "ignored",
  });
  listeners.push(listener);
  return { listener, url: listener.url, seen, lines, admission };
}

/** The whole answer but for what differs from request to request. */
async function answer(url: string, path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  const response = await request(`${url}${path}`, {
    method: (options.method ?? "GET") as "GET",
    headers: options.headers ?? {},
    body: options.body ?? null,
  });
  const { date: _date, "x-request-id": id, ...headers } = response.headers;
  const text = (await response.body.text()).replace(String(id), "ID");
  return { status: response.statusCode, headers, text };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Everything that might tell what there is: what exists, what does not, what cannot be read. */
const REQUESTS: readonly (readonly [path: string, method?: string, body?: string])[] = [
  ["/metrics"],
  ["/v1/zones/latest"],
  ["/v1/zones/latest/"],
  ["/v1/system/timeseries/schemas?limit=0"],
  ["/v1/system/timeseries/query", "POST", '{"query":"get zone_resource:cpu_nsec | last 1"}'],
  ["/v1/system/timeseries/query", "POST", "{"],
  ["/v1/system/timeseries/query", "GET"],
  ["/no/such/path"],
  ["/%zz"],
  [`/${"x".repeat(2_000)}`],
  ["/healthz", "POST"],
  ["/healthz/"],
  ["//healthz"],
  ["/%68ealthz"],
  ["/", "OPTIONS"],
  ["/metrics", "DELETE"],
  ["/metrics", "PROPFIND"],
];

describe("whoever does not say who he is", () => {
  it("gets one answer, whatever he asks for", async () => {
    const { url, seen, admission } = await start();
    for (const [path, method, body] of REQUESTS) {
      expect(
        await answer(url, path, { ...(method === undefined ? {} : { method }), ...(body === undefined ? {} : { body }) }),
        path,
      ).toEqual({
        status: 401,
        headers: {
          "content-type": "application/json",
          "www-authenticate": 'Bearer realm="zonemeter"',
          "content-length": "124",
          connection: "keep-alive",
          "keep-alive": "timeout=75",
        },
        text: '{"request_id":"ID","error_code":"Unauthorized","message":"credentials missing or invalid"}',
      });
    }
    expect(seen).toEqual([]);
    expect(admission.denied.get("no_credentials")).toBe(BigInt(REQUESTS.length));
  });

  it("may ask whether the server lives", async () => {
    const { url, seen } = await start();
    expect((await answer(url, "/healthz?x=1")).status).toBe(200);
    expect(seen[0]!.principal).toBeNull();
    expect((await answer(url, "/readyz")).status).toBe(401);
  });
});

describe("whoever may not use this server", () => {
  it("gets one answer, whatever he asks for", async () => {
    const { url, seen } = await start();
    const first = await answer(url, "/no/such/path", { headers: bearer(tokens.fleet) });
    expect(first).toMatchObject({ status: 403, text: '{"request_id":"ID","error_code":"Forbidden","message":"Forbidden"}' });
    for (const token of [tokens.fleet, tokens.silo, tokens.project]) {
      for (const [path, method, body] of REQUESTS) {
        const options = { headers: bearer(token), ...(method === undefined ? {} : { method }), ...(body === undefined ? {} : { body }) };
        expect(await answer(url, path, options), path).toEqual(first);
      }
    }
    expect(seen).toEqual([]);
  });
});

describe("a token", () => {
  it("says who asks", async () => {
    const { url, seen } = await start();
    for (const headers of [bearer(tokens.operator), { authorization: `bearer   ${tokens.operator}` }]) {
      expect((await answer(url, "/metrics", { headers })).status).toBe(200);
    }
    expect(seen.map(({ principal }) => principal)).toEqual([PEOPLE.operator, PEOPLE.operator]);
  });

  const short = "correct horse battery staple";
  it.each([
    ["unknown", `Bearer ${newToken().token}`],
    ["cut", `Bearer ${tokens.operator.slice(0, -1)}`],
    ["longer", `Bearer ${tokens.operator}A`],
    ["of other case", `Bearer ${tokens.operator.toUpperCase()}`],
    ["twice", `Bearer ${tokens.operator} ${tokens.operator}`],
    ["of another scheme", `Basic ${Buffer.from(`operator:${tokens.operator}`).toString("base64")}`],
    ["without scheme", tokens.operator],
    ["its own hash", `Bearer ${Buffer.from(list.tokens[0]!.sha256).toString("hex")}`],
    ["empty", "Bearer "],
    ["nothing", ""],
    ["a word whose hash is in the file", `Bearer ${short.replaceAll(" ", "-")}`],
  ])("that is %s lets nobody in", async (_what, authorization) => {
    const guessable = { sha256: createHash("sha256").update(short.replaceAll(" ", "-")).digest(), principal: PEOPLE.operator };
    const { url, seen } = await start({ who: new Authenticator({ ...list, tokens: [...list.tokens, guessable] }) });
    const got = await answer(url, "/metrics", { headers: { authorization } });
    expect(got).toMatchObject({ status: 401, headers: { "www-authenticate": 'Bearer realm="zonemeter", error="invalid_token"' } });
    expect(seen).toEqual([]);
  });

  it("counts from the moment on that the list has it, and no longer", async () => {
    const who = new Authenticator(list);
    const { url } = await start({ who });
    const fresh = newToken();
    const ask = async (token: string) => (await answer(url, "/metrics", { headers: bearer(token) })).status;
    expect([await ask(tokens.operator), await ask(fresh.token)]).toEqual([200, 401]);
    who.replace({ ...list, tokens: [{ sha256: Buffer.from(fresh.sha256, "hex"), principal: PEOPLE.operator }] });
    expect([await ask(tokens.operator), await ask(fresh.token)]).toEqual([401, 200]);
  });

  it("is never the same again, and has the form that is looked up", () => {
    const made = Array.from({ length: 50 }, () => newToken());
    expect(new Set(made.map(({ token }) => token)).size).toBe(50);
    for (const { token, sha256 } of made) {
      expect(isToken(token)).toBe(true);
      expect(createHash("sha256").update(token).digest("hex")).toBe(sha256);
    }
  });
});

describe("a rate", () => {
  it("refuses with 429 and the time to wait, each principal apart", async () => {
    const clock = new ManualClock(0n);
    const { url, admission } = await start({ rate: new RateLimiter(1, clock), admits: () => true });
    const ask = (token: string) => answer(url, "/metrics", { headers: bearer(token) });
    expect([(await ask(tokens.silo)).status, (await ask(tokens.silo)).status]).toEqual([200, 200]);
    expect(await ask(tokens.silo)).toMatchObject({
      status: 429,
      headers: { "retry-after": "1" },
      text: '{"request_id":"ID","message":"More than 1 requests per second came from one principal: ask again in 1 s."}',
    });
    expect((await ask(tokens.fleet)).status).toBe(200);
    clock.pass(1_000_000_000n);
    expect((await ask(tokens.silo)).status).toBe(200);
    expect(admission.denied.get("rate_limit")).toBe(1n);
  });
});

describe("a server of this machine alone", () => {
  it.each(["localhost", "LOCALHOST:80", "127.0.0.1:12281", "[::1]:4", "[::1]", "10.0.0.7", "sled.localhost:1"])(
    "answers to %s",
    async (host) => {
      const { listener, seen } = await start({ who: PEOPLE.operator });
      const text = await rawExchange(
        listener.listen as { host: string; port: number },
        `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(seen[0]!.principal).toBe(PEOPLE.operator);
    },
  );

  it.each(["evil.example", "127.0.0.1.evil.example:12281", "localhost.evil.example", "zonemeter"])(
    "does not to a page of %s",
    async (host) => {
      const { listener, seen } = await start({ who: PEOPLE.operator });
      const text = await rawExchange(
        listener.listen as { host: string; port: number },
        `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 403 /);
      expect(seen).toEqual([]);
    },
  );
});

it("cuts off headers that are too long", async () => {
  const { listener } = await start();
  const text = await rawExchange(
    listener.listen as { host: string; port: number },
    `GET /metrics HTTP/1.1\r\nAuthorization: Bearer ${"x".repeat(17_000)}\r\n\r\n`,
  );
  expect(text).toMatch(/^HTTP\/1\.1 431 /);
});

it("puts no token into the log", async () => {
  const { url, lines } = await start();
  const wrong = newToken().token;
  for (const token of [wrong, tokens.operator, tokens.fleet]) await answer(url, "/metrics", { headers: bearer(token) });
  expect(lines.length).toBeGreaterThan(0);
  for (const token of [wrong, tokens.operator, tokens.fleet]) expect(JSON.stringify(lines)).not.toContain(token.slice(15, 30));
});
