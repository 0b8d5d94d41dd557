import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { isGeneratorObject } from "node:util/types";
import type { FastifyReply, FastifyRequest } from "fastify";
import { messageOf, ZonemeterError, type Principal } from "../core/index.ts";
import { withDeadline, type Logger } from "../runtime/index.ts";
import { parseExactJson, stringifyExact, type ExactJson } from "../wire/index.ts";
import { badRequest, failureBody, type Failure } from "./failure.ts";
import type { Handler, HandlerRequest, HandlerResponse } from "./handler.ts";
import type { ServerLimits } from "./limits.ts";
import type { CompiledOperation } from "./operations.ts";

export const REQUEST_ID_HEADER = "x-request-id";
const JSON_TYPE = "application/json";

/** Fastify watches an answer in pieces with seven listeners of its own, beside ours; Node takes more than ten for a leak. */
const LISTENERS_OF_PIECES = 20;

/** Runs a handler for a request that has been checked, within its time, and sends what it gives. Rejects with what the handler throws. */
export async function runHandler(
  handler: Handler,
  request: Omit<HandlerRequest, "signal">,
  reply: FastifyReply,
  limits: ServerLimits,
  logger: Logger,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished)
      gone.abort(new ZonemeterError("unavailable", "The client closed the connection before it was answered."));
  });
  const tell = tellOnce(logger);
  let work: Promise<HandlerResponse> | undefined;
  try {
    const response = await withDeadline(
      limits.handlerTimeoutMs,
      "The handler",
      (signal) => (work = handler({ ...request, signal })),
      gone.signal,
    );
    return deliver(reply, response, limits.responseTimeoutMs, tell);
  } catch (error) {
    // A handler that settles after all this must still learn that its response went nowhere.
    work?.then(
      (late) => tell(late, false),
      () => undefined,
    );
    throw error;
  }
}

/** Checks a request against its document; the first thing that is wrong decides. */
export function checkRequest(
  operation: CompiledOperation,
  request: FastifyRequest,
  principal: Principal | null,
): { readonly value: Omit<HandlerRequest, "signal"> } | Failure {
  const params = operation.checkParams(request.params as Record<string, unknown>);
  if ("wrong" in params) return badRequest(`bad parameter in URL path: ${params.wrong}`);
  const query = operation.checkQuery(request.query as Record<string, unknown>);
  if ("wrong" in query) return badRequest(`unable to parse query string: ${query.wrong}`);
  let body: unknown;
  if (operation.hasBody) {
    const mediaType = (request.headers["content-type"] ?? JSON_TYPE).split(";", 1)[0]!.trim().toLowerCase();
    if (mediaType !== JSON_TYPE) return badRequest(`expected content type "${JSON_TYPE}", got "${mediaType}"`);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(request.body instanceof Uint8Array ? request.body : new Uint8Array());
      body = parseExactJson(text);
    } catch (error) {
      return badRequest(`unable to parse JSON body: ${messageOf(error)}`);
    }
    const checked = operation.checkBody(body);
    if ("wrong" in checked) return badRequest(`unable to parse JSON body: ${checked.wrong}`);
    body = checked.value;
  }
  return { value: { params: params.value, query: query.value, body, headers: request.headers, requestId: request.id, principal } };
}

/** Answers with an error body. The reason that the client is not told goes to the log. */
export function sendFailure(failure: Failure, request: FastifyRequest, reply: FastifyReply, logger: Logger): FastifyReply {
  const entry = {
    requestId: request.id,
    method: request.method,
    path: request.url.slice(0, 200),
    status: failure.status,
    reason: failure.reason ?? failure.message,
  };
  if (failure.status >= 500) logger.warn(entry, "a request failed");
  else logger.debug(entry, "a request was refused");
  if (failure.retryAfterSeconds !== undefined) void reply.header("retry-after", String(failure.retryAfterSeconds));
  return reply
    .code(failure.status)
    .header("content-type", JSON_TYPE)
    .send(Buffer.from(failureBody(failure, request.id)));
}

type Tell = (response: HandlerResponse, ok: boolean) => void;

function deliver(reply: FastifyReply, response: HandlerResponse, timeoutMs: number, tell: Tell): FastifyReply {
  const { raw } = reply;
  const payload = encodeBody(response.body);
  if (raw.destroyed) {
    tell(response, false);
    return reply.hijack();
  }
  watchDelivery(raw, reply.request.raw.socket, timeoutMs, (ok) => tell(response, ok));
  if (response.headers !== undefined) void reply.headers(response.headers);
  // Once it has failed nothing is delivered, though an error may be answered in its place.
  if (payload instanceof Readable) {
    raw.setMaxListeners(LISTENERS_OF_PIECES);
    payload.once("error", () => tell(response, false));
  }
  if (payload !== undefined) void reply.header("content-type", response.contentType ?? JSON_TYPE);
  return reply.code(response.status).send(payload);
}

function encodeBody(body: unknown): Buffer | Readable | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  if (isGeneratorObject(body)) return Readable.from(body as Generator<Uint8Array>, { objectMode: false });
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.from(typeof body === "string" ? body : stringifyExact(body as ExactJson));
}

/** Calls `done` once: whether everything was handed to the operating system. A client that takes too long to read is cut off. */
function watchDelivery(raw: ServerResponse, socket: Socket, timeoutMs: number, done: (ok: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
  let whole = false;
  // Node also emits `finish` where the socket was destroyed under a response; only before its own listener has run can that be told.
  raw.prependOnceListener("finish", () => (whole = !socket.destroyed));
  raw.once("close", () => {
    clearTimeout(timer);
    done(whole);
  });
}

/** Tells a handler once whether its response was sent, whichever way that is found out first. */
function tellOnce(logger: Logger): Tell {
  let told = false;
  return (response, ok) => {
    if (told) return;
    told = true;
    try {
      response.sent?.(ok);
    } catch (error) {
      logger.error({ error: messageOf(error) }, "a handler could not take in whether its response was sent");
    }
  };
}
