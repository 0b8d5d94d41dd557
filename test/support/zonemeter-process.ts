import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../dist/bin/zonemeter.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the built CLI to its end. */
export async function runZonemeter(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const child = new ZonemeterProcess(args, env);
  return child.finished;
}

/** What this process was given, without settings of the product that a developer happens to have, or of tests. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ZONEMETER_")));
}

/** A running CLI command, with what it has printed so far. */
export class ZonemeterProcess {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  #stdout = "";
  #stderr = "";

  /** `stdout`: a descriptor that the command writes to instead of being read here. */
  constructor(args: readonly string[], env: Record<string, string> = {}, stdout: "pipe" | number = "pipe") {
    this.child = spawn(process.execPath, [CLI, ...args], { env: { ...foreignEnvironment(), ...env }, stdio: ["ignore", stdout, "pipe"] });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    this.finished = once(this.child, "close").then(([code]) => ({
      code: code as number | null,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }));
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The first line of stdout that begins with `start`. Rejects with all output when the process ends or `deadlineMs` passes before. */
  line(start: string, deadlineMs = 45_000): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.#stdout.split("\n").find((each, i, all) => i < all.length - 1 && each.startsWith(start));
        if (found === undefined) return;
        settle();
        resolve(found);
      };
      const fail = (why: string): void => {
        settle();
        reject(new Error(`${why} without a line "${start}"\nstdout: ${this.#stdout}\nstderr: ${this.#stderr}`));
      };
      const timer = setTimeout(() => fail(`${deadlineMs} ms passed`), deadlineMs);
      const onClose = (): void => fail("the process ended");
      const settle = (): void => {
        clearTimeout(timer);
        this.child.stdout!.off("data", look);
        this.child.off("close", onClose);
      };
      this.child.stdout!.on("data", look);
      this.child.on("close", onClose);
      look();
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}
