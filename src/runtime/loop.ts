import type { Logger } from "./logger.ts";
import { messageOf } from "../core/index.ts";
import { sleep } from "./deadline.ts";

export interface LoopOptions {
  readonly name: string;
  readonly intervalMs: number;
  /** Delay before the first run; 0 runs at once. */
  readonly firstDelayMs?: number;
  readonly logger: Logger;
  /** One round. It never overlaps with itself; a round that throws is logged and the loop goes on. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * A repeated task on a monotonic schedule: rounds start every `intervalMs`, and a round that took longer skips the starts it
 * missed. Its timer does not keep the process alive. `stop` lets the current round see its signal and resolves when it has ended.
 */
export class Loop {
  readonly #controller = new AbortController();
  readonly #options: LoopOptions;
  readonly #ended: Promise<void>;
  #missed = 0;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** Starts that were skipped because a round was still running. */
  get missed(): number {
    return this.#missed;
  }

  async stop(): Promise<void> {
    this.#controller.abort(new Error(`${this.#options.name} was stopped`));
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { intervalMs, firstDelayMs = 0, logger, name, run } = this.#options;
    const signal = this.#controller.signal;
    await sleep(firstDelayMs, signal);
    let due = performance.now();
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        if (!signal.aborted) logger.error({ loop: name, error: messageOf(error) }, "a round failed");
      }
      due += intervalMs;
      const late = performance.now() - due;
      if (late > 0) {
        const skipped = Math.floor(late / intervalMs) + 1;
        this.#missed += skipped;
        due += skipped * intervalMs;
      }
      await sleep(due - performance.now(), signal);
    }
  }
}
