import { once } from "node:events";
import { createServer } from "node:net";
import { formatSocketAddress, ZonemeterError, type SocketAddress } from "../core/index.ts";

/** What `zonemeter up` puts on a port. */
export interface WantedPort {
  readonly name: string;
  readonly address: SocketAddress;
}

/**
 * Throws `conflict` where a port is taken, before anything has been touched. The parts say the same when they bind, should another program come
 * in between. Port 0 and sockets with a path are not looked at.
 */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  for (const { name, address } of wanted) {
    const server = createServer();
    try {
      server.listen({ host: address.host, port: address.port, exclusive: true });
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") continue;
      throw new ZonemeterError(
        "conflict",
        `${name} cannot listen on ${formatSocketAddress(address)}: the port is in use; stop the program that holds it, or give --port-base another number.`,
        { cause: error },
      );
    } finally {
      server.close();
    }
  }
}
