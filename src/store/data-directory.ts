import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { messageOf, ZonemeterError } from "../core/index.ts";

/** A data directory that this process holds. */
export interface DataDirectory {
  readonly path: string;
  /** The engine's own files. */
  readonly enginePath: string;
  /** Rows on their way into the engine. Empty at start. */
  readonly inboxPath: string;
  release(): Promise<void>;
}

/**
 * Makes the directory where it is missing, only readable by its owner, and takes hold of it. Throws ZonemeterError `unavailable` where it
 * can't be used, `conflict` where another process (or this one) holds it.
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const enginePath = join(path, "engine");
  const inboxPath = join(path, "inbox");
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    mkdirSync(enginePath, { recursive: true, mode: 0o700 });
    mkdirSync(inboxPath, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(path, error);
  }
  const hold = await takeHold(path);
  // Rows that a killed process had on their way were not acknowledged: their sender sends them again.
  for (const name of readdirSync(inboxPath)) rmSync(join(inboxPath, name), { force: true, recursive: true });
  return {
    path,
    enginePath,
    inboxPath,
    release: () => new Promise((resolve) => (hold === null ? resolve() : hold.close(() => resolve()))),
  };
}

/** ZonemeterError `unavailable` with one sentence for a file error on the directory. */
export function unusable(path: string, error: unknown): ZonemeterError {
  const code = (error as NodeJS.ErrnoException).code;
  const because = (what: string): ZonemeterError => new ZonemeterError("unavailable", `Data directory "${path}" ${what}`, { cause: error });
  switch (code) {
    case "EEXIST":
    case "ENOTDIR":
      return because("is not a directory, or lies below a file: choose another path.");
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return because("cannot be written: give its owner and mode to the user that runs this, or choose another path.");
    case "ENOSPC":
    case "EDQUOT":
      return because("has no space left: free some, or choose another path.");
    default:
      return because(`cannot be used (${messageOf(error)}): choose another path.`);
  }
}

/** The sentence for a directory that is held elsewhere. */
export function inUse(path: string): ZonemeterError {
  return new ZonemeterError("conflict", `Data directory "${path}" is in use by another zonemeter: stop that one, or choose another path.`);
}

/**
 * The engine locks its directory too, but then prints to stderr by itself. An abstract socket named after the directory's inode is free of
 * races and of left-overs: it goes with the process, however that ends. Only Linux has them; elsewhere the engine's lock decides alone.
 */
async function takeHold(path: string): Promise<Server | null> {
  if (process.platform !== "linux") return null;
  const { dev, ino } = statSync(path, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? reject(inUse(path)) : resolve(null)));
    server.listen(`\0zonemeter-store-${dev}-${ino}`, () => resolve(server.unref()));
  });
}

/** True where the engine's own lock file names another process that lives. */
export function isHeldElsewhere(enginePath: string): boolean {
  try {
    const pid = Number(/PID: (\d+)/.exec(readFileSync(join(enginePath, "status"), "utf8"))?.[1]);
    if (!Number.isInteger(pid) || pid === process.pid) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
