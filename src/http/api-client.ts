import { request, type IncomingMessage } from "node:http";
import { CLIENT_RESPONSE_MAX_BYTES, CLIENT_TIMEOUT_MS, messageOf, ZonemeterError } from "../core/index.ts";
import type { Answer, Call, Client } from "../generated/index.ts";
import { withDeadline } from "../runtime/index.ts";
import { parseExactJson, stringifyExact, type ExactJson } from "../wire/index.ts";
import { API_VERSION_HEADER } from "./api-version.ts";
import type { HttpMethod, OpenApiDocument } from "./openapi-document.ts";
import { compileOperations, type CompiledOperation } from "./operations.ts";

export interface ApiClientOptions {
  /** The API's own document: responses are checked against it. */
  readonly document: OpenApiDocument;
  /** What the server is called in errors. */
  readonly name: string;
  /** `http://host:port`. */
  readonly baseUrl: string;
  /** Time for one call, from the connection to the last byte. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** A transport for generated calls. `close` ends the calls that are under way. */
export interface ApiClient extends Client {
  close(): Promise<void>;
}

/**
 * Carries generated calls to one server. Success bodies come checked, with 64-bit integers as bigint. A call rejects with ZonemeterError
 * `unavailable` where no whole answer came in time, and `invalid_input` where a success is not as documented or a text instead of JSON. Node's
 * own client carries them: undici, with its parser in WebAssembly, would be a fifth of the memory of a producer that makes one call in minutes.
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { name, timeoutMs = CLIENT_TIMEOUT_MS } = options;
  const operations = compileOperations(options.document);
  const closing = new AbortController();
  const send = async <Responses>(method: HttpMethod, call: Call): Promise<Answer<Responses>> => {
    const operation = operations.find((candidate) => candidate.method === method && candidate.path === call.url);
    if (operation === undefined) throw new Error(`"${options.document.info.title}" has no ${method} ${call.url}`);
    const url = urlOf(options.baseUrl, call);
    let received: Received;
    try {
      received = await withDeadline(
        timeoutMs,
        `The call to ${url}`,
        (signal) => exchange(method, url, call, options, AbortSignal.any([signal, closing.signal])),
        call.signal,
      );
    } catch (error) {
      throw new ZonemeterError("unavailable", `${name} at ${options.baseUrl} gave no answer: ${reasonOf(error)}`, { cause: error });
    }
    return readAnswer(operation, received, name);
  };
  const carrier = (method: HttpMethod) => (call: Call) => send<never>(method, call);
  return {
    get: carrier("get"),
    post: carrier("post"),
    put: carrier("put"),
    delete: carrier("delete"),
    close: async () => closing.abort(new Error("the client is closed")),
  };
}

interface Received {
  readonly status: number;
  readonly text: string;
}

async function exchange(method: HttpMethod, url: string, call: Call, options: ApiClientOptions, signal: AbortSignal): Promise<Received> {
  const headers = { ...call.headers, [API_VERSION_HEADER]: options.document.info.version };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A connection of its own for each call: they are minutes apart, and a kept one may be closed by the server at the very moment of the next call.
    request(url, { method: method.toUpperCase(), headers, agent: false, signal })
      .once("response", resolve)
      .on("error", reject)
      .end(call.body === undefined ? undefined : stringifyExact(call.body as ExactJson));
  });
  const status = response.statusCode!;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new ZonemeterError("unavailable", `it points elsewhere, with status ${status}`);
  }
  const maxBytes = options.maxBytes ?? CLIENT_RESPONSE_MAX_BYTES;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ZonemeterError("limit", `the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { status, text: Buffer.concat(chunks).toString() };
}

function readAnswer<Responses>(operation: CompiledOperation, { status, text }: Received, name: string): Answer<Responses> {
  let body: unknown;
  try {
    body = text === "" ? undefined : parseExactJson(text);
  } catch {
    body = text;
  }
  if (status >= 400) {
    const checked = operation.checkResponse(status, body);
    const message = "value" in checked ? (checked.value as { message: string }).message : text.slice(0, 200);
    return { ok: false, status, message };
  }
  const checked = operation.checkResponse(status, body);
  if ("wrong" in checked)
    throw new ZonemeterError(
      "invalid_input",
      `${name} answered ${operation.operationId} with something else than documented: ${checked.wrong}.`,
    );
  return { ok: true, status, data: checked.value as Responses[keyof Responses] };
}

function urlOf(baseUrl: string, call: Call): string {
  const path = call.url.replaceAll(/\{(\w+)\}/g, (_braced, parameter: string) => encodeURIComponent(String(call.path?.[parameter])));
  const url = new URL(path, baseUrl);
  for (const [key, value] of Object.entries(call.query ?? {}))
    if (value !== undefined && value !== null) url.searchParams.set(key, String(value));
  return url.href;
}

/** What went wrong at each address that was tried. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return messageOf(error) || String((error as NodeJS.ErrnoException).code);
}
