import type { Dispatcher } from "undici";
import { formatSocketAddress, messageOf, type SocketAddress } from "../core/index.ts";
import { withDeadline } from "../runtime/index.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { CollectionFailure } from "./collection-failure.ts";

export interface FetchOptions {
  readonly dispatcher: Dispatcher;
  readonly address: SocketAddress;
  readonly producerId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** What all collections together may hold. */
  readonly budget: ByteBudget;
}

/** A whole answer. `release` gives its bytes back to the budget. */
export interface Fetched {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  release(): void;
}

/**
 * Asks a producer for its samples. Any 2xx is accepted and the content type is not looked at, as upstream does; the body is cut off as soon as it is
 * too large, so that a producer costs bounded memory whatever it sends. Rejects only where `signal` fires.
 */
export async function fetchCollection(options: FetchOptions, signal: AbortSignal): Promise<Fetched | CollectionFailure> {
  const { address, producerId, timeoutMs } = options;
  const url = `http://${formatSocketAddress(address)}/${producerId}`;
  let timedOut = false;
  try {
    const exchangeIt = (deadline: AbortSignal): Promise<Fetched | CollectionFailure> => {
      deadline.addEventListener("abort", () => (timedOut = !signal.aborted), { once: true });
      return exchange(url, options, deadline);
    };
    return await withDeadline(timeoutMs, `Collecting from ${url}`, exchangeIt, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (timedOut) return { reason: "timeout", detail: `${url} had not answered in full after ${timeoutMs} ms.` };
    return { reason: "unreachable", detail: `${url} gave no answer: ${messageOf(error) || String((error as NodeJS.ErrnoException).code)}` };
  }
}

async function exchange(url: string, options: FetchOptions, signal: AbortSignal): Promise<Fetched | CollectionFailure> {
  const { dispatcher, headers, maxBytes, budget } = options;
  const { origin, pathname } = new URL(url);
  const response = await dispatcher.request({
    origin,
    path: pathname,
    method: "GET",
    headers: { ...headers, accept: "application/json" },
    signal,
  });
  const { body, statusCode } = response;
  // A body that is not read to its end takes its connection with it, and says so with an error that nobody needs.
  body.on("error", () => undefined);
  if (statusCode < 200 || statusCode > 299) {
    body.destroy();
    return { reason: `${statusCode}`, detail: `${url} answered with status ${statusCode}.` };
  }
  const chunks: Buffer[] = [];
  let held = 0;
  let whole = false;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (held + chunk.length > maxBytes) return { reason: "too_large", detail: `${url} answered with more than ${maxBytes} bytes.` };
      if (!budget.hold(chunk.length))
        return { reason: "too_large", detail: `${url} answered with more bytes than there was room for at the time.` };
      held += chunk.length;
      chunks.push(chunk);
    }
    whole = true;
    return { body: Buffer.concat(chunks, held), headers: response.headers, release: () => budget.release(held) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { reason: "deserialization", detail: `The answer of ${url} broke off after ${held} bytes: ${messageOf(error)}` };
  } finally {
    if (!whole) budget.release(held);
    body.destroy();
  }
}
