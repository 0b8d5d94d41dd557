import { createServer } from "node:net";
import { once } from "node:events";

/** A port base whose Nexus, collector and API ports are free right now. */
export async function freePortBase(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const base = 20_000 + Math.floor(Math.random() * 30_000);
    if ((await Promise.all([0, 2, 60, 61].map((offset) => isFree(base + offset)))).every(Boolean)) return base;
  }
  throw new Error("no free port base was found");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
