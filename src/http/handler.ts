import type { Principal } from "../core/index.ts";

/** A request that has passed the checks of its document. */
export interface HandlerRequest {
  /** UUIDs are hyphenated and in lower case. */
  readonly params: Readonly<Record<string, string>>;
  /** Declared parameters only, each of its declared type; 64-bit integers are bigint. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The JSON body; 64-bit integers are bigint and UUIDs in lower case wherever the schema says so. Undefined where none is declared. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Fires when the client has gone, the time for handlers is up or the server is being cut off. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** Who asks; null where the server or the path wants no credentials. */
  readonly principal: Principal | null;
}

export interface HandlerResponse {
  readonly status: number;
  /**
   * A text or bytes go out as they are. So does a generator of bytes, each piece made when the one before it is on its way; where it throws, what was
   * begun is cut off. Anything else goes out as JSON, in which bigint is bare digits. Nothing: no body.
   */
  readonly body?: unknown;
  /** `application/json` unless given, also for text and bytes. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Called exactly once, also where the response was never begun: with true when every byte of it has been handed to the operating
   * system, with false when it has not and will not be.
   */
  readonly sent?: (ok: boolean) => void;
}

/**
 * Serves one operation. What it throws becomes the answer: a ZonemeterError with its status, anything else as 500. It may settle after its
 * signal has fired; the response is then dropped.
 */
export type Handler = (request: HandlerRequest) => Promise<HandlerResponse>;
