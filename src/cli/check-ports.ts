import { once } from "node:events";
import { createServer } from "node:net";
import { formatSocketAddress, ZonemeterError } from "../core/index.ts";
import type { Listening } from "./listeners.ts";

/**
 * Throws `conflict` where a port is taken, before anything has been touched. The parts say the same when they bind, should another program come
 * in between. Port 0 and sockets with a path are not looked at.
 */
export async function checkPorts(listeners: readonly Listening[]): Promise<void> {
  for (const { address, name, setting } of listeners) {
    if ("path" in address) continue;
    const server = createServer();
    try {
      server.listen({ host: address.host, port: address.port, exclusive: true });
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") continue;
      throw new ZonemeterError(
        "conflict",
        `The port of ${name}, ${formatSocketAddress(address)}, is in use: stop the program that holds it, or change ${setting}.`,
        { cause: error },
      );
    } finally {
      server.close();
    }
  }
}
