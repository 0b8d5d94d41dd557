import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROBE = fileURLToPath(new URL("./probe.mjs", import.meta.url));
const START_MS = 60_000;
const STOP_MS = 10_000;

/** A node process of its own that can be asked what it costs. */
export class Child {
  #process;
  #answers = [];

  constructor(args, env = {}) {
    this.#process = spawn(process.execPath, ["--import", PROBE, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    this.#process.on("message", (message) => this.#answers.shift()?.(message));
  }

  /** The first line of its output that begins with `ready`. */
  async ready() {
    let text = "";
    const line = new Promise((resolve, reject) => {
      this.#process.stdout.on("data", (chunk) => {
        text += chunk;
        const found = /^ready (.*)$/m.exec(text);
        if (found !== null) resolve(found[1]);
      });
      this.#process.once("exit", (code) => reject(new Error(`the process ended with ${code} before it was ready`)));
      setTimeout(() => reject(new Error("the process was not ready in time")), START_MS).unref();
    });
    return line;
  }

  /** CPU ms since it began, resident bytes now and at their peak, the event loop's delay in ms since it was last asked with `reset`, and what it adds itself. */
  cost(reset = false) {
    return new Promise((resolve) => {
      this.#answers.push(resolve);
      this.#process.send({ cost: true, reset });
    });
  }

  async stop() {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  }
}
