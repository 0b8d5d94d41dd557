import { lstat, chmod, unlink } from "node:fs/promises";
import { connect, type AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { formatListenAddress, messageOf, ZonemeterError, type ListenAddress, type SocketAddress, type UnixAddress } from "../core/index.ts";

/**
 * Binds the server and returns the address it really got. A socket that a process left behind is taken over; the new one has
 * `socketMode` as its permissions and never had wider ones. Throws `conflict` where the address is taken, `config` where it cannot be had.
 */
export async function listen(app: FastifyInstance, wanted: ListenAddress, socketMode: number, name: string): Promise<ListenAddress> {
  return "path" in wanted ? listenOnPath(app, wanted, socketMode, name) : listenOnPort(app, wanted, name);
}

async function listenOnPort(app: FastifyInstance, { host, port }: SocketAddress, name: string): Promise<SocketAddress> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw bindFault(error, name, { host, port });
  }
  const bound = app.server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

async function listenOnPath(app: FastifyInstance, wanted: UnixAddress, socketMode: number, name: string): Promise<UnixAddress> {
  const { path } = wanted;
  await removeLeftOver(path, name);
  // Whatever the process makes meanwhile is its owner's alone too, which harms nothing.
  const before = process.umask(0o077);
  try {
    await app.listen({ path });
    await chmod(path, socketMode);
  } catch (error) {
    throw bindFault(error, name, wanted);
  } finally {
    process.umask(before);
  }
  return wanted;
}

async function removeLeftOver(path: string, name: string): Promise<void> {
  const at = `${name} cannot listen on unix:${path}`;
  try {
    if (!(await lstat(path)).isSocket())
      throw new ZonemeterError("config", `${at}: something else than a socket has that path; name another.`);
    if (await isAnswered(path)) {
      throw new ZonemeterError("conflict", `${at}: another process listens there; stop it or name another path.`);
    }
    await unlink(path);
  } catch (error) {
    if (error instanceof ZonemeterError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new ZonemeterError("config", `${at}: ${messageOf(error)}; name a path that this user may make a socket at.`, { cause: error });
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const settle = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", () => settle(true));
    // Only a refusal says that nobody is there: a socket of another user, or one that is busy, is left alone.
    socket.once("error", (error: NodeJS.ErrnoException) => settle(error.code !== "ECONNREFUSED"));
  });
}

function bindFault(error: unknown, name: string, wanted: ListenAddress): ZonemeterError {
  const at = `${name} cannot listen on ${formatListenAddress(wanted)}`;
  if ("path" in wanted) {
    return new ZonemeterError("config", `${at}: ${messageOf(error)}; name a path that this user may make a socket at.`, { cause: error });
  }
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
