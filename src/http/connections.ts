import type { Server as NodeServer } from "node:http";
import type { Socket } from "node:net";

/**
 * The connections of one server, and how many responses each still owes. Node's own closeIdleConnections leaves those open on which no
 * request has come yet, and would let a server wait for them.
 */
export class Connections {
  readonly #owed = new Map<Socket, number>();

  constructor(server: NodeServer) {
    server.on("connection", (socket: Socket) => this.#open(socket));
    // From here on the encrypted socket is the connection; it closes the bare one, which nothing but the other end's address links it to.
    server.on("secureConnection", (secure: Socket) => {
      for (const bare of this.#owed.keys()) {
        if (bare !== secure && bare.remotePort === secure.remotePort && bare.remoteAddress === secure.remoteAddress)
          this.#owed.delete(bare);
      }
      this.#open(secure);
    });
    server.on("request", ({ socket }, response) => {
      this.#add(socket, 1);
      response.once("close", () => this.#add(socket, -1));
    });
  }

  closeIdle(): void {
    for (const [socket, owed] of this.#owed) if (owed === 0) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.#owed.keys()) socket.destroy();
  }

  #open(socket: Socket): void {
    this.#owed.set(socket, 0);
    socket.once("close", () => this.#owed.delete(socket));
  }

  #add(socket: Socket, change: number): void {
    const owed = this.#owed.get(socket);
    if (owed !== undefined) this.#owed.set(socket, owed + change);
  }
}
