import {
  HTTP_BODY_MAX_BYTES,
  HTTP_CONCURRENT_REQUESTS,
  HTTP_CONNECTION_CHECK_MS,
  HTTP_HANDLER_TIMEOUT_MS,
  HTTP_HEADERS_MAX_BYTES,
  HTTP_HEADERS_TIMEOUT_MS,
  HTTP_KEEP_ALIVE_MS,
  HTTP_MAX_CONNECTIONS,
  HTTP_REQUEST_TIMEOUT_MS,
  HTTP_RESPONSE_TIMEOUT_MS,
} from "../core/index.ts";

/** What one server allows; each is explained in core/limits.ts. */
export interface ServerLimits {
  readonly bodyMaxBytes: number;
  readonly headersMaxBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly handlerTimeoutMs: number;
  readonly responseTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly connectionCheckMs: number;
  readonly concurrentRequests: number;
  readonly maxConnections: number;
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = Object.freeze({
  bodyMaxBytes: HTTP_BODY_MAX_BYTES,
  headersMaxBytes: HTTP_HEADERS_MAX_BYTES,
  headersTimeoutMs: HTTP_HEADERS_TIMEOUT_MS,
  requestTimeoutMs: HTTP_REQUEST_TIMEOUT_MS,
  handlerTimeoutMs: HTTP_HANDLER_TIMEOUT_MS,
  responseTimeoutMs: HTTP_RESPONSE_TIMEOUT_MS,
  keepAliveMs: HTTP_KEEP_ALIVE_MS,
  connectionCheckMs: HTTP_CONNECTION_CHECK_MS,
  concurrentRequests: HTTP_CONCURRENT_REQUESTS,
  maxConnections: HTTP_MAX_CONNECTIONS,
});
