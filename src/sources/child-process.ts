import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { CHILD_KILL_GRACE_MS, CHILD_REAP_MS, CHILD_STDERR_MAX_BYTES, ZonemeterError, messageOf } from "../core/index.ts";

/** A started child with its pipes. It leads a process group of its own, so that whatever it forks can be ended with it. */
export interface StartedChild {
  readonly pid: number;
  readonly stdout: Readable;
  /** The first bytes of stderr, decoded; the rest is read and dropped. */
  stderr(): string;
  /** Settles once the child is reaped, its group is killed and its pipes are closed; in any case CHILD_REAP_MS after it was killed. */
  readonly ended: Promise<ChildEnd>;
  /** Asks the group to end, and kills it after the grace. May be called again. */
  stop(): void;
}

export interface ChildEnd {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts `command`, found on the agent's PATH, with LC_ALL=C (so that numbers have no decimal commas) and without stdin. Rejects with
 * `unavailable` where it cannot be started.
 */
export async function startChild(command: string, args: readonly string[]): Promise<StartedChild> {
  let child: ChildProcess;
  try {
    // The agent's environment is handed on, not read: PATH decides which command runs.
    child = spawn(command, args, {
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      windowsHide: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  } catch (error) {
    throw cannotStart(command, error);
  }
  return new Started(child);
}

function cannotStart(command: string, cause: unknown): ZonemeterError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT")
    return new ZonemeterError("unavailable", `${command} was not found; install it, add it to PATH, or choose another source.`, { cause });
  if (code === "EACCES")
    return new ZonemeterError("unavailable", `${command} may not be run by this user; make it executable, or choose another source.`, {
      cause,
    });
  return new ZonemeterError("unavailable", `${command} could not be started (${messageOf(cause)}).`, { cause });
}

class Started implements StartedChild {
  readonly pid: number;
  readonly stdout: Readable;
  readonly ended: Promise<ChildEnd>;
  readonly #child: ChildProcess;
  readonly #stderr: Buffer[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #end!: (end: ChildEnd) => void;
  #stderrBytes = 0;
  #stopping = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid!;
    this.stdout = child.stdout!;
    child.stderr!.on("data", (chunk: Buffer) => this.#keepStderr(chunk));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    // Something that the child forked may hold its pipes open for ever.
    child.once("exit", () => this.#after(CHILD_KILL_GRACE_MS, () => this.#closePipes()));
    child.once("close", (exitCode: number | null, signal: NodeJS.Signals | null) => {
      for (const timer of this.#timers) clearTimeout(timer);
      this.#signalGroup("SIGKILL");
      this.#end({ exitCode, signal });
    });
  }

  stderr(): string {
    return Buffer.concat(this.#stderr).toString("utf8").trim();
  }

  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    // Unread output would keep the child blocked in write and its pipes open.
    this.stdout.resume();
    this.#signalGroup("SIGTERM");
    this.#after(CHILD_KILL_GRACE_MS, () => {
      this.#signalGroup("SIGKILL");
      this.#closePipes();
      this.#after(CHILD_REAP_MS, () => this.#end({ exitCode: null, signal: "SIGKILL" }));
    });
  }

  #after(ms: number, run: () => void): void {
    this.#timers.push(setTimeout(run, ms));
  }

  #closePipes(): void {
    this.stdout.destroy();
    this.#child.stderr!.destroy();
  }

  /** The group outlives its leader as long as it has members, and its number is not given to another until then. */
  #signalGroup(signal: "SIGTERM" | "SIGKILL"): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // ESRCH: nothing is left of it.
    }
  }

  #keepStderr(chunk: Buffer): void {
    const room = CHILD_STDERR_MAX_BYTES - this.#stderrBytes;
    if (room <= 0) return;
    this.#stderr.push(chunk.subarray(0, room));
    this.#stderrBytes += Math.min(chunk.length, room);
  }
}
