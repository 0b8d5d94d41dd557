import { afterEach, describe, expect, it } from "vitest";
import { request } from "undici";
import { formatSocketAddress, ZonemeterError } from "../../src/core/index.ts";
import {
  compileOperations,
  loadDocument,
  startServer,
  type Handler,
  type HandlerRequest,
  type Server,
  type ServerOptions,
  TOO_LONG,
  TOO_MANY,
} from "../../src/http/index.ts";
import { recordingLogger } from "../support/logs.ts";

const document = loadDocument("nexus-producers");
const operations = compileOperations(document);
const UUID = "0f9f3a3e-54a5-4ac6-a1fb-6d0ba0a07a11";
const ENDPOINT = { id: UUID, kind: "service", address: "[::1]:4000", interval: { secs: 10, nanos: 0 } };
const VERSION = { "api-version": "1.0.0" };

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

const idle: Handler = async () => ({ status: 204 });

async function start(
  options: Partial<ServerOptions> & { post?: Handler } = {},
): Promise<{ url: string; server: Server; lines: ReturnType<typeof recordingLogger>["lines"] }> {
  const { logger, lines } = recordingLogger();
  const { post = idle, ...rest } = options;
  const server = await startServer({
    document,
    handlers: { cpapi_producers_post: post, cpapi_collectors_post: idle, cpapi_assigned_producers_list: idle },
    host: "127.0.0.1",
    port: 0,
    name: "the test server",
    logger,
    apiVersion: "required",
    ...rest,
  });
  servers.push(server);
  return { url: `http://${formatSocketAddress(server.address)}`, server, lines };
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: { request_id: string; error_code?: string; message: string };
}

async function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  const { method = options.body === undefined ? "GET" : "POST", headers = VERSION, body } = options;
  const response = await request(url, { method: method as "GET", headers, body: body ?? null });
  const text = await response.body.text();
  const answer = {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: (text.startsWith("{") ? JSON.parse(text) : {}) as Answer["json"],
  };
  expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  if (answer.status >= 400 && method !== "HEAD") {
    expect(answer.json.request_id).toBe(answer.headers["x-request-id"]);
    expect(operations[0]!.checkResponse(answer.status, answer.json)).toHaveProperty("value");
    expect(text).not.toMatch(/node_modules|\.ts:|\.js:|at \w+ \(/);
  }
  return answer;
}

const register = (url: string, body: unknown, headers: Record<string, string> = { ...VERSION, "content-type": "application/json" }) =>
  send(`${url}/metrics/producers`, { headers, body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body) });

describe("requests that are as documented", () => {
  it("reach the handler with checked values, and its answer goes out as JSON with every digit", async () => {
    let seen: HandlerRequest | undefined;
    const { url } = await start({
      post: async (given) => {
        seen = given;
        return { status: 201, body: { lease_duration: { secs: 18446744073709551615n, nanos: 0 } }, headers: { "x-extra": "1" } };
      },
    });
    const body = JSON.stringify({ ...ENDPOINT, id: UUID.toUpperCase(), more: 1 }).replace('"secs":10', '"secs":9007199254740993');
    const answer = await register(url, body);
    expect(answer.status).toBe(201);
    expect(answer.text).toBe('{"lease_duration":{"secs":18446744073709551615,"nanos":0}}');
    expect(answer.headers).toMatchObject({ "content-type": "application/json", "x-extra": "1" });
    expect(seen?.body).toEqual({ ...ENDPOINT, interval: { secs: 9007199254740993n, nanos: 0 }, more: 1 });
    expect(seen?.requestId).toBe(answer.headers["x-request-id"]);
  });

  it("may leave out the content type, or give it with a charset", async () => {
    const { url } = await start();
    expect((await register(url, ENDPOINT, VERSION)).status).toBe(204);
    expect((await register(url, ENDPOINT, { ...VERSION, "content-type": "Application/JSON ; charset=utf-8" })).status).toBe(204);
  });

  it("get parameters of their declared types", async () => {
    const seen: HandlerRequest[] = [];
    const list: Handler = async (given) => {
      seen.push(given);
      return { status: 200, body: { items: [] } };
    };
    const { url } = await start({
      handlers: { cpapi_producers_post: idle, cpapi_collectors_post: idle, cpapi_assigned_producers_list: list },
    });
    const path = `${url}/metrics/collectors/${UUID.toUpperCase()}/producers`;
    expect((await send(`${path}?limit=007&page_token=&other=1`)).status).toBe(200);
    expect((await send(`${url}//metrics/collectors/{${UUID}}/producers/`)).status).toBe(200);
    expect(seen.map(({ params, query, body }) => ({ params, query, body }))).toEqual([
      { params: { collector_id: UUID }, query: { limit: 7, page_token: "" }, body: undefined },
      { params: { collector_id: UUID }, query: {}, body: undefined },
    ]);
  });

  it("get bytes and text as the handler gives them, and pages outside the document", async () => {
    const { url } = await start({
      apiVersion: "ignored",
      pages: {
        "/": async () => ({ status: 200, contentType: "text/html", body: "<p>é" }),
        "/assets/:name": async ({ params }) => ({ status: 200, contentType: "text/plain", body: Buffer.from(params["name"]!) }),
      },
    });
    expect(await send(`${url}/`, { headers: {} })).toMatchObject({
      status: 200,
      text: "<p>é",
      headers: { "content-type": "text/html", "content-length": "5" },
    });
    expect(await send(`${url}/assets/a.js`, { headers: {} })).toMatchObject({ status: 200, text: "a.js" });
    expect(await send(`${url}/`, { method: "POST", headers: {}, body: "{}" })).toMatchObject({ status: 405, headers: { allow: "GET" } });
  });

  it("are served on IPv6 too", async () => {
    const { url, server } = await start({ host: "::1" });
    expect(server.address.host).toBe("::1");
    expect((await register(url, ENDPOINT)).status).toBe(204);
  });
});

describe("the api-version header", () => {
  it.each([
    [{}, 'missing expected header "api-version"'],
    [{ "api-version": "one" }, 'bad value for header "api-version": it must be a semantic version such as 1.0.0: one'],
    [{ "api-version": "1.0" }, 'bad value for header "api-version": it must be a semantic version such as 1.0.0: 1.0'],
    [{ "api-version": "1.0.1" }, "server does not support this API version: 1.0.1"],
    [{ "api-version": "99999999999999999999.0.0" }, "server does not support this API version: 99999999999999999999.0.0"],
    [{ "api-version": "1.1.0-rc.1" }, "server does not support this API version: 1.1.0-rc.1"],
  ])("%j is refused", async (headers, message) => {
    const { url } = await start();
    const answer = await register(url, ENDPOINT, headers as Record<string, string>);
    expect(answer).toMatchObject({ status: 400, json: { message } });
    expect(answer.json).not.toHaveProperty("error_code");
  });

  it.each(["1.0.0", "0.9.12", "1.0.0-rc.1", "1.0.0+build"])("%s is taken", async (version) => {
    const { url } = await start();
    expect((await register(url, ENDPOINT, { "api-version": version })).status).toBe(204);
  });

  it("is looked at before the path, and not at all where the API has no versions", async () => {
    const { url } = await start();
    expect((await send(`${url}/nowhere`, { headers: {} })).status).toBe(400);
    const unversioned = await start({ apiVersion: "ignored" });
    expect((await register(unversioned.url, ENDPOINT, {})).status).toBe(204);
    expect((await register(unversioned.url, ENDPOINT, { "api-version": "9.0.0" })).status).toBe(204);
  });
});

describe("requests that are wrong", () => {
  it.each([
    ["", "unable to parse JSON body: Unexpected end of JSON input"],
    ["{", "unable to parse JSON body: "],
    [Buffer.from([0x22, 0xff, 0x22]), "unable to parse JSON body: "],
    ["[]", "unable to parse JSON body: an array must be object"],
    ["null", "unable to parse JSON body: null must be object"],
    [{ ...ENDPOINT, id: undefined }, "unable to parse JSON body: missing field `id`"],
    [{ ...ENDPOINT, id: "0f9f3a3e" }, 'unable to parse JSON body: id: "0f9f3a3e" is not a UUID'],
    [{ ...ENDPOINT, id: 7 }, "unable to parse JSON body: id: 7 must be string"],
    [
      { ...ENDPOINT, kind: "Service" },
      'unable to parse JSON body: kind: unknown variant "Service", expected one of `sled_agent`, `service`, `instance`, `management_gateway`',
    ],
    [{ ...ENDPOINT, interval: 10 }, "unable to parse JSON body: interval: 10 must be object"],
    [{ ...ENDPOINT, interval: { secs: 10 } }, "unable to parse JSON body: interval: missing field `nanos`"],
    [
      { ...ENDPOINT, interval: { secs: 1.5, nanos: 0 } },
      "unable to parse JSON body: interval.secs: 1.5 is not a whole number from 0 to 18446744073709551615",
    ],
    [
      { ...ENDPOINT, interval: { secs: -1, nanos: 0 } },
      "unable to parse JSON body: interval.secs: -1 is not a whole number from 0 to 18446744073709551615",
    ],
    [
      JSON.stringify(ENDPOINT).replace('"secs":10', '"secs":18446744073709551616'),
      "unable to parse JSON body: interval.secs: 18446744073709551616 is not a whole number from 0 to 18446744073709551615",
    ],
    [
      { ...ENDPOINT, interval: { secs: 1, nanos: 4294967296 } },
      "unable to parse JSON body: interval.nanos: 4294967296 is not from 0 to 999999999",
    ],
  ])("%j is 400 with the reason", async (body, message) => {
    const { url } = await start();
    const answer = await register(url, body);
    expect(answer.status).toBe(400);
    expect(answer.json.message.startsWith(message), answer.json.message).toBe(true);
    expect(answer.json).not.toHaveProperty("error_code");
  });

  it("name another content type", async () => {
    const { url } = await start();
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      expect(await register(url, ENDPOINT, { ...VERSION, "content-type": type })).toMatchObject({
        status: 400,
        json: { message: `expected content type "application/json", got "${type}"` },
      });
    }
    expect((await register(url, ENDPOINT, { ...VERSION, "content-type": "nonsense" })).status).toBe(400);
  });

  it("have a body over 1 MiB, with a length or without", async () => {
    const { url } = await start();
    const body = JSON.stringify({ ...ENDPOINT, padding: "x".repeat(1024 * 1024) });
    const expected = { status: 400, json: { message: "request body exceeded maximum size of 1048576 bytes" } };
    expect(await register(url, body)).toMatchObject(expected);
    const chunked = await fetch(`${url}/metrics/producers`, {
      method: "POST",
      headers: VERSION,
      body: new Blob([body]).stream(),
      duplex: "half",
    } as RequestInit);
    expect({ status: chunked.status, json: await chunked.json() }).toMatchObject(expected);
    expect((await register(url, { ...ENDPOINT, padding: "x".repeat(1024 * 1024 - 200) })).status).toBe(204);
  });

  it.each([
    ["not-a-uuid", 'bad parameter in URL path: collector_id: "not-a-uuid" is not a UUID'],
    ["%", "bad parameter in URL path: "],
    ["x".repeat(500), `bad parameter in URL path: collector_id: "${"x".repeat(79)}… is not a UUID`],
  ])("have path parameter %.20s", async (id, message) => {
    const { url } = await start();
    const answer = await send(`${url}/metrics/collectors/${id}/producers`);
    expect(answer.status).toBe(400);
    expect(answer.json.message.startsWith(message), answer.json.message).toBe(true);
  });

  it.each([
    ["limit=0", "limit: 0 is not from 1 to 4294967295"],
    ["limit=ten", 'limit: "ten" must be integer'],
    ["limit=4294967296", "limit: 4294967296 is not from 1 to 4294967295"],
    ["limit=1&limit=2", "limit: an array must be integer"],
    ["sort_by=id_descending", 'sort_by: unknown variant "id_descending", expected one of `id_ascending`'],
  ])("have query %s", async (query, message) => {
    const { url } = await start();
    expect(await send(`${url}/metrics/collectors/${UUID}/producers?${query}`)).toMatchObject({
      status: 400,
      json: { message: `unable to parse query string: ${message}` },
    });
  });

  it("name no resource, or another method on one", async () => {
    const { url } = await start();
    const missing = await send(`${url}/metrics/unknown`);
    expect(missing).toMatchObject({ status: 404, json: { message: "Not Found" } });
    expect(missing.json).not.toHaveProperty("error_code");
    expect(await send(`${url}/metrics/producers`)).toMatchObject({
      status: 405,
      json: { message: "Method Not Allowed" },
      headers: { allow: "POST" },
    });
    expect(await send(`${url}/metrics/producers`, { method: "HEAD" })).toMatchObject({ status: 405 });
  });
});

describe("what handlers throw", () => {
  it.each([
    [new ZonemeterError("usage", "interval 0 s is not positive."), 400, "InvalidRequest", "interval 0 s is not positive."],
    [new ZonemeterError("query", "no such timeseries"), 400, "InvalidRequest", "no such timeseries"],
    [new ZonemeterError("forbidden", "you may not"), 403, "Forbidden", "you may not"],
    [new ZonemeterError("not_found", "producer 7 is unknown"), 404, undefined, "Not Found"],
    [new ZonemeterError("unavailable", "clickhouse at 10.0.0.1 is down"), 503, "ServiceNotAvailable", "Service Unavailable"],
    [new ZonemeterError("unavailable", "9 queries run", { kind: TOO_MANY }), 503, "ServiceNotAvailable", "9 queries run"],
    [new ZonemeterError("unavailable", "it took 30 s", { kind: TOO_LONG }), 503, "ServiceNotAvailable", "it took 30 s"],
    [new ZonemeterError("internal", "the secret path /data"), 500, "Internal", "Internal Server Error"],
    [new TypeError("cannot read 'x' of undefined"), 500, "Internal", "Internal Server Error"],
  ])("%s", async (error, status, errorCode, message) => {
    const { url, lines } = await start({ post: async () => Promise.reject(error) });
    const answer = await register(url, ENDPOINT);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      request_id: answer.headers["x-request-id"],
      message,
      ...(errorCode === undefined ? {} : { error_code: errorCode }),
    });
    expect(answer.headers["retry-after"]).toBe(error instanceof ZonemeterError && error.kind === TOO_MANY ? "1" : undefined);
    const line = lines.find((entry) => entry.fields["requestId"] === answer.json.request_id);
    expect(line?.fields["reason"]).toBe(error.message);
    expect(line?.level).toBe(status >= 500 ? "warn" : "debug");
  });

  it("is no way to leak a handler that throws at once or an answer that is no JSON", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const told: boolean[] = [];
    const { url } = await start({ post: async () => ({ status: 200, body: cyclic, sent: (ok) => told.push(ok) }) });
    expect(await register(url, ENDPOINT)).toMatchObject({ status: 500, json: { message: "Internal Server Error" } });
    expect(told).toEqual([false]);
    const sync = await start({
      post: () => {
        throw new Error("at once");
      },
    });
    expect((await register(sync.url, ENDPOINT)).status).toBe(500);
  });
});

describe("binding", () => {
  it("tells which port is in use and what to do", async () => {
    const { server } = await start();
    const attempt = start({ port: server.address.port });
    await expect(attempt).rejects.toMatchObject({
      code: "conflict",
      exitCode: 1,
      message: `the test server cannot listen on 127.0.0.1:${server.address.port}: port ${server.address.port} is in use; stop the program that holds it or choose another port.`,
    });
  });

  it("tells that the machine does not have the address", async () => {
    await expect(start({ host: "192.0.2.1" })).rejects.toMatchObject({ code: "config", exitCode: 2 });
  });

  it("insists on a handler for every operation and on no other", async () => {
    await expect(start({ handlers: {} })).rejects.toThrow("operation cpapi_producers_post");
    await expect(
      start({ handlers: { cpapi_producers_post: idle, cpapi_collectors_post: idle, cpapi_assigned_producers_list: idle, more: idle } }),
    ).rejects.toThrow("has no operation more");
  });
});
