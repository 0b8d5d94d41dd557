import { messageOf, ZonemeterError, type ErrorCode } from "../core/index.ts";

/** How a request that was not done is answered. */
export interface Failure {
  readonly status: number;
  /** Upstream's name for the kind of error, where it has one. */
  readonly errorCode: string | null;
  readonly message: string;
  /** The real reason, for the log, where the message does not tell. */
  readonly reason: string | null;
  /** When it may go better, where that can be said; the answer has it as `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** Kinds of a ZonemeterError `unavailable` whose own words go to the client: they tell of a limit, and nothing of the inside. */
export const TOO_MANY = "too_many";
export const TOO_LONG = "too_long";

/** Time after which one of too many requests may find room. */
const ROOM_AFTER_SECONDS = 1;

/** Upstream's error codes for what handlers throw. A thing that is not there has none. */
const ERROR_CODE_NAMES: Readonly<Partial<Record<ErrorCode, string>>> = {
  usage: "InvalidRequest",
  invalid_input: "InvalidRequest",
  query: "InvalidRequest",
  limit: "InvalidRequest",
  unauthorized: "Unauthorized",
  forbidden: "Forbidden",
  conflict: "Conflict",
  unavailable: "ServiceNotAvailable",
  config: "Internal",
  internal: "Internal",
};

/** Statuses whose message is only the standard phrase, so that nothing about the inside leaves the process. */
const STANDARD_PHRASES: Readonly<Record<number, string>> = {
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** A request that is wrong in itself: 400 with the real reason and no error code, as Dropshot answers. */
export function badRequest(message: string): Failure {
  return { status: 400, errorCode: null, message, reason: null };
}

/** A failure that is told by its status alone. */
export function standardFailure(status: number, reason: string | null = null): Failure {
  const errorCode = status === 500 ? "Internal" : status === 503 ? "ServiceNotAvailable" : null;
  return { status, errorCode, message: STANDARD_PHRASES[status] ?? "Bad Request", reason };
}

/** A request that one limit on their number keeps out. */
export function tooMany(message: string, status = 503): Failure {
  return { ...standardFailure(status), message, retryAfterSeconds: ROOM_AFTER_SECONDS };
}

/** The failure that an error thrown by a handler leads to. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ZonemeterError)) return standardFailure(500, messageOf(error));
  if (error.kind === TOO_MANY) return tooMany(error.message);
  if (error.kind === TOO_LONG) return { ...standardFailure(503), message: error.message };
  const errorCode = ERROR_CODE_NAMES[error.code] ?? null;
  const phrase = STANDARD_PHRASES[error.status];
  return phrase === undefined
    ? { status: error.status, errorCode, message: error.message, reason: null }
    : { status: error.status, errorCode, message: phrase, reason: error.message };
}

/** The body of a failed request: Dropshot's shape, in which a missing code is absent. */
export function failureBody(failure: Failure, requestId: string): string {
  return JSON.stringify({
    request_id: requestId,
    ...(failure.errorCode === null ? {} : { error_code: failure.errorCode }),
    message: failure.message,
  });
}
