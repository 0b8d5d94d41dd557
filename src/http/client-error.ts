import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { failureBody, badRequest, standardFailure, type Failure } from "./failure.ts";
import { REQUEST_ID_HEADER } from "./exchange.ts";

/** Answers what is not even an HTTP request, or did not arrive in time, and cuts the connection. Works on the bare socket, as Node gives no more. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // A handshake that failed leaves nothing to answer on.
  if (!socket.writable || error.code === "ECONNRESET" || /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/.test(error.code ?? "")) {
    socket.destroy();
    return;
  }
  const failure = clientFailure(error);
  const requestId = randomUUID();
  const body = failureBody(failure, requestId);
  socket.end(
    `HTTP/1.1 ${failure.status} ${REASONS[failure.status] ?? "Bad Request"}\r\ncontent-type: application/json\r\n` +
      `${REQUEST_ID_HEADER}: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

const REASONS: Readonly<Record<number, string>> = { 408: "Request Timeout", 431: "Request Header Fields Too Large" };

function clientFailure({ code, message }: Error & { code?: string }): Failure {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return standardFailure(408);
  if (code === "HPE_HEADER_OVERFLOW") return standardFailure(431);
  return badRequest(`error processing request: ${message}`);
}
