import { connect, type Socket } from "node:net";
import { once } from "node:events";
import type { SocketAddress } from "../../src/core/index.ts";

/** Opens a connection, writes `text` and resolves with everything that comes back until the other side closes. */
export async function rawExchange(address: SocketAddress, text: string | Uint8Array): Promise<string> {
  const socket = await openSocket(address);
  socket.write(text);
  return readAll(socket);
}

export async function openSocket({ host, port }: SocketAddress): Promise<Socket> {
  const socket = connect({ host, port });
  await once(socket, "connect");
  // A peer that cuts the connection is what these tests are about.
  socket.on("error", () => undefined);
  return socket;
}

export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}
