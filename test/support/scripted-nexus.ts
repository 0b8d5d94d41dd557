import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SocketAddress } from "../../src/core/index.ts";
import { compileOperations, loadDocument } from "../../src/http/index.ts";
import { parseExactJson } from "../../src/wire/index.ts";

/** Answers one request; the last of a script answers all that follow. */
export type Step = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedNexus {
  readonly address: SocketAddress;
  /** Bodies of the requests so far, each checked against our document; undefined for a GET. */
  readonly bodies: unknown[];
  /** Most requests that were open at once. */
  mostAtOnce(): number;
  stop(): Promise<void>;
}

const operations = compileOperations(loadDocument("nexus-producers"));

/** A Nexus that does what a test tells it, on a free port of 127.0.0.1. A request that is not as documented is recorded as what is wrong with it. */
export async function scriptedNexus(...steps: Step[]): Promise<ScriptedNexus> {
  const bodies: unknown[] = [];
  let open = 0;
  let most = 0;
  const server = createServer(async (request, response) => {
    most = Math.max(most, (open += 1));
    response.on("close", () => (open -= 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(checked(request, Buffer.concat(chunks).toString()));
    (steps.length > 1 ? steps.shift()! : steps[0]!)(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    bodies,
    mostAtOnce: () => most,
    async stop() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}

function checked(request: IncomingMessage, text: string): unknown {
  if (request.headers["api-version"] !== "1.0.0") return "no api-version";
  if (request.method === "GET") return undefined;
  const operation = operations.find((each) => each.path === request.url);
  if (operation === undefined) return `no operation ${request.url}`;
  const result = operation.checkBody(parseExactJson(text));
  return "wrong" in result ? result.wrong : result.value;
}

export const answer =
  (status: number, body?: unknown): Step =>
  (_request, response) =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(typeof body === "string" || body === undefined ? body : JSON.stringify(body));

export const failure = (status: number, message: string): Step => answer(status, { request_id: "r", message });
export const lease = (secs: number, nanos = 0): Step => answer(201, { lease_duration: { secs, nanos } });
export const hang: Step = () => undefined;
export const cut: Step = (request) => void request.socket.destroy();
