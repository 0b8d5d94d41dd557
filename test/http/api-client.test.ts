import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { nexusProducers, oximeterCollector } from "../../src/generated/index.ts";
import { createApiClient, loadDocument, type ApiClient, type ApiClientOptions, type DocumentName } from "../../src/http/index.ts";
import { gate } from "../support/gate.ts";
import { endpoint, uuid } from "../support/nexus.ts";

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(baseUrl: string, name: DocumentName, options: Partial<ApiClientOptions> = {}): ApiClient {
  const client = createApiClient({ document: loadDocument(name), name: "Nexus", baseUrl, ...options });
  closers.push(client.close);
  return client;
}
/** A client of a Nexus that answers everything with this status and text. */
const answering = async (status: number, text: string, headers: Record<string, string> = {}): Promise<ApiClient> =>
  clientOf(await serve((_request, response) => response.writeHead(status, headers).end(text)), "nexus-producers");

const register = (client: ApiClient, signal?: AbortSignal) =>
  nexusProducers.cpapiProducersPost({
    client,
    body: endpoint(1, { interval: { secs: 18446744073709551615n, nanos: 5 } }),
    ...(signal === undefined ? {} : { signal }),
  });

describe("a call", () => {
  it("carries the version, the path, the query and every digit", async () => {
    const seen: { url: string; version: unknown; type: unknown; body: string }[] = [];
    const url = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        seen.push({
          url: request.url!,
          version: request.headers["api-version"],
          type: request.headers["content-type"],
          body: Buffer.concat(chunks).toString(),
        });
        response
          .writeHead(request.method === "POST" ? 201 : 200)
          .end(request.method === "POST" ? '{"lease_duration":{"secs":1,"nanos":0}}' : '{"items":[]}');
      });
    });
    const client = clientOf(url, "nexus-producers");
    await register(client);
    await nexusProducers.cpapiAssignedProducersList({ client, path: { collector_id: "a b/c" }, query: { limit: 7, page_token: null } });
    expect(seen).toEqual([
      {
        url: "/metrics/producers",
        version: "1.0.0",
        type: "application/json",
        body: `{"id":"${uuid(1)}","kind":"service","address":"127.0.0.1:1001","interval":{"secs":18446744073709551615,"nanos":5}}`,
      },
      { url: "/metrics/collectors/a%20b%2Fc/producers?limit=7", version: "1.0.0", type: undefined, body: "" },
    ]);
  });

  it("gives 64-bit integers as bigint, whatever their size", async () => {
    const url = await serve((_request, response) =>
      response.end(
        `{"id":"${uuid(1).toUpperCase()}","address":"a","interval":{"secs":10,"nanos":0},"n_collections":9007199254740993,"n_failures":18446744073709551615,"registered":"2026-03-01T00:00:00Z","updated":"2026-03-01T00:00:00Z","last_failure":null}`,
      ),
    );
    const answer = await oximeterCollector.producerDetails({ client: clientOf(url, "oximeter-collector"), path: { producer_id: uuid(1) } });
    expect(answer).toMatchObject({
      ok: true,
      data: {
        id: uuid(1),
        interval: { secs: 10n },
        n_collections: 9007199254740993n,
        n_failures: 18446744073709551615n,
        last_failure: null,
      },
    });
  });

  it.each([
    [400, '{"request_id":"r","message":"bad interval"}', "bad interval"],
    [503, '{"request_id":"r","error_code":"ServiceNotAvailable","message":"Service Unavailable"}', "Service Unavailable"],
    [502, "<html>proxy</html>", "<html>proxy</html>"],
    [500, "", ""],
    [404, '{"message":"no id"}', '{"message":"no id"}'],
  ])("tells of an error with status %d and body %s", async (status, text, message) => {
    expect(await register(await answering(status, text))).toEqual({ ok: false, status, message });
  });

  it.each([
    ["garbage", 201, "<<<"],
    ["no body", 201, ""],
    ["another shape", 201, '{"lease":600}'],
    ["a lease that is no number", 201, '{"lease_duration":{"secs":"600","nanos":0}}'],
    ["a lease that is too long for 64 bits", 201, '{"lease_duration":{"secs":18446744073709551616,"nanos":0}}'],
    ["a status that is not documented", 200, '{"lease_duration":{"secs":600,"nanos":0}}'],
  ])("rejects where a success is %s", async (_name, status, text) => {
    await expect(register(await answering(status, text))).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^Nexus answered cpapi_producers_post with something else/) as string,
    });
  });
});

describe("no answer", () => {
  it("where nobody listens", async () => {
    const url = await serve(() => undefined);
    await closers.pop()!();
    await expect(register(clientOf(url, "nexus-producers"))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`Nexus at ${url} gave no answer: connect ECONNREFUSED`) as string,
    });
  });

  it("where the connection is cut before or in the middle of it", async () => {
    for (const text of ["", "HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"]) {
      const url = await serve((request) => {
        request.socket.write(text);
        request.socket.destroySoon();
      });
      await expect(register(clientOf(url, "nexus-producers"))).rejects.toMatchObject({ code: "unavailable" });
    }
  });

  it("where it does not come in time, or not all of it", async () => {
    for (const begin of [false, true]) {
      const url = await serve((_request, response) => void (begin && response.writeHead(201).write("{")));
      await expect(register(clientOf(url, "nexus-producers", { timeoutMs: 40 }))).rejects.toMatchObject({
        code: "unavailable",
        message: `Nexus at ${url} gave no answer: The call to ${url}/metrics/producers did not finish within 40 ms.`,
      });
    }
  });

  it("where it has no end", async () => {
    const url = await serve((_request, response) => {
      const more = (): void => void response.write("x".repeat(10_000), () => setImmediate(more));
      response.on("error", () => undefined);
      more();
    });
    await expect(register(clientOf(url, "nexus-producers", { maxBytes: 50_000 }))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("more than 50000 bytes") as string,
    });
  });

  it("where it points elsewhere", async () => {
    await expect(register(await answering(307, "", { location: "http://127.0.0.1:1/" }))).rejects.toMatchObject({ code: "unavailable" });
  });

  it("once the caller has given up", async () => {
    const asked = gate();
    const url = await serve(() => asked.open());
    const controller = new AbortController();
    const call = register(clientOf(url, "nexus-producers"), controller.signal);
    await asked.opened;
    controller.abort(new Error("stopped"));
    await expect(call).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("stopped") as string });
  });
});
