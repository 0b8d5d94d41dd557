import { formatSocketAddress, ZonemeterError, type SocketAddress } from "../core/index.ts";
import type { Answer, Client } from "../generated/index.ts";
import { createApiClient, type ApiClientOptions } from "./api-client.ts";

/** Where a server is: a fixed address, or a way to ask for its addresses, which is gone again each time. */
export type ServerLocation = SocketAddress | ((signal: AbortSignal) => Promise<readonly SocketAddress[]>);

/**
 * Makes a call to the first of a server's addresses that answers, on a connection of its own. Rejects with ZonemeterError: what the last address
 * came to, or `unavailable` where there are none.
 */
export async function callServer<Responses>(
  location: ServerLocation,
  options: Omit<ApiClientOptions, "baseUrl">,
  signal: AbortSignal,
  call: (client: Client) => Promise<Answer<Responses>>,
): Promise<Answer<Responses>> {
  const addresses = typeof location === "function" ? await location(signal) : [location];
  let failure: unknown = new ZonemeterError(
    "unavailable",
    `No address of ${options.name} is known: nothing was found where it should be announced.`,
  );
  for (const address of addresses) {
    const client = createApiClient({ ...options, baseUrl: `http://${formatSocketAddress(address)}` });
    try {
      return await call(client);
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error;
    } finally {
      await client.close();
    }
  }
  throw failure;
}
