/**
 * What the generated clients go over. openapi-ts would bring a copy of its own for each document, which rounds 64-bit integers, has no
 * deadline and reads bodies of any size; so the generated calls get theirs from outside (http/api-client.ts).
 */
export interface Client {
  get: Send;
  post: Send;
  put: Send;
  delete: Send;
}

/** Errors and whether to throw are told by the answer here, so the generated code's types for them go unused. */
export type Send = <Responses, _Errors, _ThrowOnError extends boolean>(call: Call) => Promise<Answer<Responses>>;

/** One call as the generated code makes it. Parameters in braces of `url` are filled from `path`; null and undefined in `query` are left out. */
export interface Call {
  readonly url: string;
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What a server said: the checked body of a success, or the message of an error. No answer at all is an exception. */
export type Answer<Responses> =
  | { readonly ok: true; readonly status: number; readonly data: Responses[keyof Responses] }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** Names that the generated code uses. */
export interface TDataShape {
  body?: unknown;
  path?: unknown;
  query?: unknown;
  url: string;
}

export type Options<Data extends TDataShape, _ThrowOnError extends boolean, _Response> = Omit<Data, "url"> & {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
};
