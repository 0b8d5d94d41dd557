import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { formatSocketAddress, messageOf, ZonemeterError, type SocketAddress } from "../core/index.ts";

/** Binds the server and returns the address it really got. Throws `conflict` where the port is taken, `config` where the address cannot be had. */
export async function listen(app: FastifyInstance, { host, port }: SocketAddress, name: string): Promise<SocketAddress> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw bindFault(error, name, { host, port });
  }
  const bound = app.server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

function bindFault(error: unknown, name: string, wanted: SocketAddress): ZonemeterError {
  const at = `${name} cannot listen on ${formatSocketAddress(wanted)}`;
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new ZonemeterError(
        "conflict",
        `${at}: port ${wanted.port} is in use; stop the program that holds it or choose another port.`,
        {
          cause: error,
        },
      );
    case "EACCES":
      return new ZonemeterError("config", `${at}: this user may not open port ${wanted.port}; choose one above 1023.`, { cause: error });
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "EINVAL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ZonemeterError("config", `${at}: this machine does not have the address ${wanted.host}; name one of its own.`, {
        cause: error,
      });
    default:
      return new ZonemeterError("unavailable", `${at}: ${messageOf(error)}.`, { cause: error });
  }
}
