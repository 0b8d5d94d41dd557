import { formatSocketAddress } from "../../src/core/index.ts";
import { startServer, type Handler, type OpenApiDocument, type Server, type ServerLimits } from "../../src/http/index.ts";
import { recordingLogger, type LogLine } from "./logs.ts";

/** A document with one operation, `GET /`, for tests of what happens around a handler. */
export const ONE_OPERATION: OpenApiDocument = {
  info: { title: "one operation", version: "1.0.0" },
  paths: { "/": { get: { operationId: "only", responses: { "200": {} } } } },
  components: { schemas: {} },
};

export interface TestServer {
  readonly server: Server;
  readonly url: string;
  readonly lines: LogLine[];
}

/** Serves `handler` at `GET /` on a free port of 127.0.0.1. The caller closes the server. */
export async function serveOne(handler: Handler, limits: Partial<ServerLimits> = {}): Promise<TestServer> {
  const { logger, lines } = recordingLogger();
  const server = await startServer({
    document: ONE_OPERATION,
    handlers: { only: handler },
    host: "127.0.0.1",
    port: 0,
    name: "the test server",
    logger,
    apiVersion: "ignored",
    limits,
  });
  return { server, lines, url: `http://${formatSocketAddress(server.address)}` };
}
