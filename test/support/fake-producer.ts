import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Sample, SocketAddress } from "../../src/core/index.ts";
import { producerBody } from "./producer-body.ts";

export type Answer = (request: IncomingMessage, response: ServerResponse, poll: number) => void | Promise<void>;

/** A producer whose every answer a test makes up. */
export interface FakeProducer {
  readonly address: SocketAddress;
  /** Requests that have come, in order. */
  readonly requests: { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1; `poll` counts requests from 0. */
export async function startFakeProducer(answer: Answer): Promise<FakeProducer> {
  const requests: FakeProducer["requests"] = [];
  const server: Server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    response.on("error", () => undefined);
    void answer(request, response, requests.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: "127.0.0.1", port },
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A whole answer with samples, as a stock producer gives it. */
export function sendSamples(response: ServerResponse, samples: readonly Sample[], headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(producerBody([{ status: "ok", samples }]));
}
