import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { request } from "undici";
import type { Handler } from "../../src/http/index.ts";
import { gate } from "../support/gate.ts";
import { serveOne, type TestServer } from "../support/http-server.ts";
import { openSocket, rawExchange } from "../support/raw-http.ts";

const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/** More than the kernel takes for a reader that does not read. */
const BIG = Buffer.alloc(32 * 1024 * 1024, 0x20);

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ server }) => server.close(0)));
});
async function serve(...args: Parameters<typeof serveOne>): Promise<TestServer> {
  const started = await serveOne(...args);
  running.push(started);
  return started;
}

describe("a handler learns whether its response was sent", () => {
  it("when all of it was, on a connection that stays open and on one that does not", async () => {
    for (const extra of ["", "connection: close\r\n"]) {
      const told = gate<boolean>();
      const { server } = await serve(async () => ({ status: 200, body: BIG, sent: told.open }));
      const socket = await openSocket(server.address);
      socket.resume();
      socket.write(GET.replace("\r\n\r\n", `\r\n${extra}\r\n`));
      expect(await told.opened).toBe(true);
      socket.destroy();
    }
  });

  it("when the client went away while it was being sent", async () => {
    const told = gate<boolean>();
    const { server } = await serve(async () => ({ status: 200, body: BIG, sent: told.open }));
    const socket = await openSocket(server.address);
    socket.write(GET);
    await once(socket, "readable");
    socket.destroy();
    expect(await told.opened).toBe(false);
  });

  it("when the client reset the connection while it was being sent", async () => {
    const told = gate<boolean>();
    const { server } = await serve(async () => ({ status: 200, body: BIG, sent: told.open }));
    const socket = await openSocket(server.address);
    socket.write(GET);
    await once(socket, "readable");
    socket.resetAndDestroy();
    expect(await told.opened).toBe(false);
  });

  it("when the client went away before there was one, which its signal tells too", async () => {
    const told = gate<boolean>();
    const entered = gate();
    const { server } = await serve(async ({ signal }) => {
      entered.open();
      await once(signal, "abort");
      return { status: 200, body: "late", sent: told.open };
    });
    const socket = await openSocket(server.address);
    socket.write(GET);
    await entered.opened;
    socket.destroy();
    expect(await told.opened).toBe(false);
  });

  it("when the server cut it off", async () => {
    const told = gate<boolean>();
    const { server } = await serve(async () => ({ status: 200, body: BIG, sent: told.open }));
    const socket = await openSocket(server.address);
    socket.write(GET);
    await once(socket, "readable");
    await server.close(0);
    expect(await told.opened).toBe(false);
  });

  it("when the client does not read it in time", async () => {
    const told = gate<boolean>();
    const { server } = await serve(async () => ({ status: 200, body: BIG, sent: told.open }), { responseTimeoutMs: 50 });
    const socket = await openSocket(server.address);
    socket.write(GET);
    expect(await told.opened).toBe(false);
    await once(socket.resume(), "close");
  });

  it("when it came after the time for handlers, and the client was answered with 503", async () => {
    const told = gate<boolean>();
    const { url } = await serve(
      async ({ signal }) => {
        await once(signal, "abort");
        return { status: 200, sent: told.open };
      },
      { handlerTimeoutMs: 20 },
    );
    const response = await request(url);
    expect(response.statusCode).toBe(503);
    expect(await response.body.json()).toMatchObject({ error_code: "ServiceNotAvailable", message: "Service Unavailable" });
    expect(await told.opened).toBe(false);
  });

  it("when it came in pieces, each made only when there is room for it", async () => {
    const told = gate<boolean>();
    const warnings = vi.spyOn(process, "emitWarning");
    let made = 0;
    function* pieces(): Generator<Buffer> {
      for (; made < 32; made++) yield BIG.subarray(0, 1024 * 1024);
    }
    const { server } = await serve(async () => ({ status: 200, body: pieces(), sent: told.open }));
    const socket = await openSocket(server.address);
    socket.write(GET);
    await once(socket, "readable");
    expect(made).toBeLessThan(32);
    socket.resume();
    expect(await told.opened).toBe(true);
    expect(made).toBe(32);
    expect(warnings).not.toHaveBeenCalled();
    warnings.mockRestore();
    socket.destroy();
  });

  it("when the client went away between two pieces", async () => {
    const told = gate<boolean>();
    const ended = gate();
    function* pieces(): Generator<Buffer> {
      try {
        for (;;) yield BIG.subarray(0, 1024 * 1024);
      } finally {
        ended.open();
      }
    }
    const { server } = await serve(async () => ({ status: 200, body: pieces(), sent: told.open }));
    const socket = await openSocket(server.address);
    socket.write(GET);
    await once(socket, "readable");
    socket.destroy();
    expect(await told.opened).toBe(false);
    await ended.opened;
  });

  it.each([0, 1])("when a piece could not be made, after %i", async (whole) => {
    const told = gate<boolean>();
    function* pieces(): Generator<Buffer> {
      for (let made = 0; made < whole; made++) yield Buffer.from("[");
      throw new Error("the piece is broken");
    }
    const { server } = await serve(async () => ({ status: 200, body: pieces(), sent: told.open }));
    const socket = await openSocket(server.address);
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    socket.write(GET.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
    await once(socket, "close");
    expect(await told.opened).toBe(false);
    if (whole === 0) expect(text).toMatch(/^HTTP\/1\.1 500 [^]*"message":"Internal Server Error"/);
    else expect(text).not.toContain("0\r\n\r\n");
  });

  it("once for each request of a connection, in order", async () => {
    const told: string[] = [];
    let count = 0;
    const { server } = await serve(async () => {
      const number = (count += 1);
      return { status: 200, body: `body ${number}`, sent: (ok) => told.push(`${number} ${ok}`) };
    });
    const last = GET.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    const answer = await rawExchange(server.address, GET + GET + last);
    expect(answer.match(/body \d/g)).toEqual(["body 1", "body 2", "body 3"]);
    expect(told).toEqual(["1 true", "2 true", "3 true"]);
  });

  it("even where the telling fails", async () => {
    const { url, lines } = await serve(async () => ({
      status: 200,
      body: "x",
      sent: () => {
        throw new Error("no room");
      },
    }));
    await (await request(url)).body.text();
    await expect.poll(() => lines.find((line) => line.level === "error")?.fields["error"]).toBe("no room");
  });
});

describe("limits", () => {
  it("refuse more requests at once than are allowed, and serve again when there is room", async () => {
    const entered = gate();
    const leave = gate();
    const waiting: Handler = async () => {
      entered.open();
      await leave.opened;
      return { status: 200, body: "done" };
    };
    const { url } = await serve(waiting, { concurrentRequests: 1 });
    const first = request(url);
    await entered.opened;
    const second = await request(url);
    expect({ status: second.statusCode, retryAfter: second.headers["retry-after"], body: await second.body.json() }).toMatchObject({
      status: 503,
      retryAfter: "1",
      body: { error_code: "ServiceNotAvailable", message: "This server has 1 requests in hand, its most: ask again later." },
    });
    expect(second.headers["x-request-id"]).toBeTypeOf("string");
    leave.open();
    expect(await (await first).body.text()).toBe("done");
    const third = await request(url);
    expect(third.statusCode).toBe(200);
    await third.body.dump();
  });

  it("cut a client that is slow to send its headers", async () => {
    const { server } = await serve(async () => ({ status: 200 }), { headersTimeoutMs: 100, requestTimeoutMs: 200, connectionCheckMs: 20 });
    const socket = await openSocket(server.address);
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    // A byte at a time keeps the connection busy, which must not help.
    const drip = setInterval(() => socket.write("G"), 10);
    await once(socket, "close");
    clearInterval(drip);
    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 (408 Request Timeout|400 Bad Request)\r\n/);
  });

  it("cut a client that is slow to send its body", async () => {
    const { server } = await serve(async () => ({ status: 200 }), { headersTimeoutMs: 100, requestTimeoutMs: 200, connectionCheckMs: 20 });
    const text = await rawExchange(server.address, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nonly some");
    expect(text).toMatch(/^HTTP\/1\.1 (405|408)/);
  });

  it("answer what is not HTTP with an error body and a request id", async () => {
    const { server } = await serve(async () => ({ status: 200 }));
    const text = await rawExchange(server.address, "\u0016\u0003\u0001 hello\r\n\r\n");
    const [head, body] = text.split("\r\n\r\n") as [string, string];
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const json = JSON.parse(body) as { request_id: string; message: string };
    expect(head).toContain(`x-request-id: ${json.request_id}`);
    expect(json.message).toMatch(/^error processing request: /);
  });

  it("do not mind a request that names no host", async () => {
    const { server } = await serve(async () => ({ status: 200, body: "fine" }));
    const text = await rawExchange(server.address, "GET / HTTP/1.1\r\nconnection: close\r\n\r\n");
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  });

  it("answer headers that are too large", async () => {
    const { server } = await serve(async () => ({ status: 200 }));
    const text = await rawExchange(server.address, `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(20_000)}\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("close connections beyond those allowed", async () => {
    const { server } = await serve(async () => ({ status: 200 }), { maxConnections: 1 });
    const first = await openSocket(server.address);
    const second = await openSocket(server.address);
    await once(second.resume(), "close");
    expect(first.destroyed).toBe(false);
    first.destroy();
  });
});

describe("closing", () => {
  it("lets a request in hand finish, takes no new one and closes idle connections", async () => {
    const entered = gate();
    const leave = gate();
    const { server } = await serve(async () => {
      entered.open();
      await leave.opened;
      return { status: 200, body: "done" };
    });
    const idle = await openSocket(server.address);
    const busy = await openSocket(server.address);
    const received: Buffer[] = [];
    busy.on("data", (chunk: Buffer) => received.push(chunk));
    busy.write(GET);
    await entered.opened;
    const closed = server.close(60_000);
    await once(idle.resume(), "close");
    busy.write(GET);
    leave.open();
    await once(busy, "close");
    await closed;
    const text = Buffer.concat(received).toString();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain("connection: close");
    expect(text.endsWith("done")).toBe(true);
    await expect(openSocket(server.address)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("cuts what is still open when the time is up, and is the same when called twice", async () => {
    const entered = gate();
    const stopped = gate();
    const { server, lines } = await serve(async ({ signal }) => {
      entered.open();
      await once(signal, "abort");
      stopped.open();
      throw new Error("stopped");
    });
    const socket = await openSocket(server.address);
    socket.write(GET);
    await entered.opened;
    const closed = server.close(30);
    expect(server.close(60_000)).toBe(closed);
    await once(socket.resume(), "close");
    await closed;
    await stopped.opened;
    expect(lines.some((line) => line.level === "warn" && line.fields["inHand"] === 1)).toBe(true);
  });
});
