import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { formatListenAddress, HTTP_TLS_HANDSHAKE_MS, type ListenAddress, type Principal, type SocketAddress } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { Admission, Denial } from "./admission.ts";
import { API_VERSION_HEADER, apiVersionFault } from "./api-version.ts";
import { answerClientError } from "./client-error.ts";
import { Connections } from "./connections.ts";
import { REQUEST_ID_HEADER, sendFailure } from "./exchange.ts";
import { badRequest, failureOf, standardFailure, tooMany, type Failure } from "./failure.ts";
import type { Handler } from "./handler.ts";
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from "./limits.ts";
import { listen } from "./listen.ts";
import type { OpenApiDocument } from "./openapi-document.ts";
import { addRoutes, type Refuse } from "./routes.ts";
import { secureOptions, type TlsMaterial } from "./tls-material.ts";

/** A server wherever it listens. */
export interface ListenerOptions {
  readonly document: OpenApiDocument;
  /** One for each operationId of the document, no more and no fewer. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** What is served by GET outside the document, by path: the page and its files. */
  readonly pages?: Readonly<Record<string, Handler>>;
  /** Port 0 takes any free one. */
  readonly listen: ListenAddress;
  /** Permissions of a Unix socket; its owner's alone unless given. */
  readonly socketMode?: number;
  /** Null speaks plain HTTP. A Unix socket always does: what it carries never leaves the machine. */
  readonly tls?: TlsMaterial | null;
  /** Who may ask. Without it everyone who can connect may. */
  readonly admission?: Admission;
  /** Names the server in errors and the log. */
  readonly name: string;
  readonly logger: Logger;
  /** Whether requests must name the version of the API they are made for (see api-version.ts). */
  readonly apiVersion: "required" | "ignored";
  readonly limits?: Partial<ServerLimits>;
}

export interface Listener {
  /** Where it really listens. */
  readonly listen: ListenAddress;
  /** `http://…`, `https://…` or `unix:/PATH`. */
  readonly url: string;
  /** Takes another certificate for connections to come. Without effect on a server without TLS. */
  replaceTls(material: TlsMaterial): void;
  /** Takes no more requests, lets those in hand finish for up to `deadlineMs`, then cuts what is still open. Safe to call twice. */
  close(deadlineMs: number): Promise<void>;
}

/** A server at an IP address. */
export interface ServerOptions extends Omit<ListenerOptions, "listen" | "socketMode"> {
  /** An IP address. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface Server extends Listener {
  /** Where it really listens. */
  readonly address: SocketAddress;
}

/** How often connections that have become idle are closed while the server ends. */
const CLOSE_IDLE_EVERY_MS = 20;

const OWNER_ONLY = 0o600;

/** Like `startListener`, at an IP address. */
export async function startServer({ host, port, ...options }: ServerOptions): Promise<Server> {
  const listener = await startListener({ ...options, listen: { host, port } });
  return { ...listener, address: listener.listen as SocketAddress };
}

/**
 * Serves an OpenAPI document: checks requests against it, gives them to handlers, and answers what is wrong as Dropshot does. Throws
 * ZonemeterError `conflict` where the address is in use and `config` where this process cannot have it.
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const limits = { ...DEFAULT_SERVER_LIMITS, ...options.limits };
  const { logger, admission } = options;
  const tls = "path" in options.listen ? null : (options.tls ?? null);
  const principals = new WeakMap<IncomingMessage, Principal>();
  let inHand = 0;
  let closing: Promise<void> | null = null;

  const refuse: Refuse = (failure, request, reply) => sendFailure(failure, request, reply, logger);
  const deny = ({ failure, headers }: Denial, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    refuse(failure, request, reply.headers(headers));
  /** A URL that cannot be read passes no hook; who asks decides there too. */
  const refuseUrl: Refuse = (failure, request, reply) => {
    const admitted = admission?.admit(request.raw) ?? null;
    return admitted !== null && "failure" in admitted ? deny(admitted, request, reply) : refuse(failure, request, reply);
  };
  const app = createApp(limits, tls, refuse, refuseUrl);
  const connections = new Connections(app.server);
  app.setNotFoundHandler((request, reply) => refuse(standardFailure(404), request, reply));
  app.addHook("onRequest", async (request, reply) => {
    void reply.header(REQUEST_ID_HEADER, request.id);
    inHand += 1;
    reply.raw.once("close", () => (inHand -= 1));
    if (closing !== null) return refuse(standardFailure(503, "the server is ending"), request, reply.header("connection", "close"));
    if (inHand > limits.concurrentRequests) {
      return refuse(tooMany(`This server has ${limits.concurrentRequests} requests in hand, its most: ask again later.`), request, reply);
    }
    const admitted = admission?.admit(request.raw) ?? null;
    if (admitted !== null) {
      if ("failure" in admitted) return deny(admitted, request, reply);
      principals.set(request.raw, admitted);
    }
    if (options.apiVersion === "ignored") return undefined;
    const fault = apiVersionFault(request.headers[API_VERSION_HEADER], options.document.info.version);
    return fault === null ? undefined : refuse(badRequest(fault), request, reply);
  });
  app.addHook("onSend", async (_request, reply) => {
    if (closing !== null) void reply.header("connection", "close");
  });
  addRoutes(app, options, limits, refuse, (request) => principals.get(request.raw) ?? null);
  const bound = await listen(app, options.listen, options.socketMode ?? OWNER_ONLY, options.name);
  app.server.maxConnections = limits.maxConnections;

  const close = async (deadlineMs: number): Promise<void> => {
    // A response whose last bytes are still on their way keeps its connection busy; it is looked at again until all are closed.
    const closeIdle = setInterval(() => connections.closeIdle(), CLOSE_IDLE_EVERY_MS);
    const cut = setTimeout(() => {
      logger.warn({ server: options.name, inHand }, "requests were cut off because the server ends");
      connections.closeAll();
    }, deadlineMs);
    await app.close();
    clearInterval(closeIdle);
    clearTimeout(cut);
  };
  return {
    listen: bound,
    url: "path" in bound ? formatListenAddress(bound) : `${tls === null ? "http" : "https"}://${formatListenAddress(bound)}`,
    replaceTls: (material) => {
      if (tls !== null) (app.server as unknown as HttpsServer).setSecureContext(secureOptions(material));
    },
    close: (deadlineMs) => (closing ??= close(deadlineMs)),
  };
}

function createApp(limits: ServerLimits, tls: TlsMaterial | null, refuse: Refuse, refuseUrl: Refuse): FastifyInstance {
  // Without requireHostHeader off, Node answers a request that names no host by itself, with an empty body.
  const http = {
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.connectionCheckMs,
    maxHeaderSize: limits.headersMaxBytes,
    requireHostHeader: false,
  };
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    bodyLimit: limits.bodyMaxBytes,
    keepAliveTimeout: limits.keepAliveMs,
    requestTimeout: limits.requestTimeoutMs,
    // Of a socket on which nothing moves; every legitimate wait is shorter.
    connectionTimeout: limits.requestTimeoutMs + limits.handlerTimeoutMs + limits.responseTimeoutMs,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 1_000 },
    ...(tls === null ? { http } : { https: { ...http, ...secureOptions(tls), handshakeTimeout: HTTP_TLS_HANDSHAKE_MS } }),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      const failure = error.code === "FST_ERR_BAD_URL" ? badRequest(`bad parameter in URL path: ${error.message}`) : standardFailure(404);
      refuseUrl(failure, request, reply.header(REQUEST_ID_HEADER, request.id));
    },
  });
  app.setErrorHandler((error: FastifyError, request, reply) => refuse(frameworkFailure(error, limits), request, reply));
  // Bodies are checked later, against the document; here they are only bytes of a bounded number.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  return app as unknown as FastifyInstance;
}

/** What goes wrong before a handler is reached. */
function frameworkFailure(error: FastifyError, limits: ServerLimits): Failure {
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") return badRequest(`request body exceeded maximum size of ${limits.bodyMaxBytes} bytes`);
  const status = error.statusCode ?? 500;
  return status >= 400 && status < 500 ? badRequest(error.message) : failureOf(error);
}
