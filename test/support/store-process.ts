import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compileRooms } from "./compile-sources.ts";

const CHILD = fileURLToPath(new URL("store-child.mjs", import.meta.url));

/** The store's room and what it imports, compiled for children. */
export async function compiledStore(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "zonemeter-rooms-"));
  await compileRooms(path, ["core", "runtime", "oxql", "oxql/operations", "store"]);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** A child with a store of its own. */
export class StoreProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly #closed: Promise<unknown>;
  #stderr = "";

  constructor(rooms: string, dataDir: string, batches: number, identity: Partial<Identity> = {}) {
    this.child = spawn(process.execPath, [CHILD, rooms, dataDir, String(batches)], { stdio: ["ignore", "pipe", "pipe"], ...identity });
    this.#closed = once(this.child, "close");
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    createInterface(this.child.stdout!).on("line", (line) => {
      this.lines.push(line);
      this.child.emit("told", line);
    });
  }

  /** Resolves with the first line that begins so, rejects when the child ends without one. */
  async told(start: string): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => line.startsWith(start));
      if (found !== undefined) return found;
      const ended = await Promise.race([once(this.child, "told").then(() => false), this.#closed.then(() => true)]);
      if (ended && !this.lines.some((line) => line.startsWith(start)))
        throw new Error(`no line "${start}" in ${JSON.stringify(this.lines)} ${this.#stderr}`);
    }
  }

  /** What it printed, when it has ended. */
  async ended(): Promise<{ readonly lines: readonly string[]; readonly stderr: string }> {
    await this.#closed;
    return { lines: this.lines, stderr: this.#stderr };
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#closed;
  }
}
