import { messageOf } from "../core/index.ts";
import { withDeadline } from "./deadline.ts";
import type { Logger } from "./logger.ts";

/** The running parts of a process, stopped in the reverse order of their start. */
export class Lifecycle {
  readonly #logger: Logger;
  readonly #parts: { readonly name: string; readonly stop: () => Promise<void> }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(name: string, stop: () => Promise<void>): void {
    this.#parts.push({ name, stop });
  }

  /** Stops every part, each within `partDeadlineMs`. A part that fails is logged, and the others are stopped all the same. True where all went well. */
  async stop(partDeadlineMs: number): Promise<boolean> {
    let clean = true;
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      try {
        await withDeadline(partDeadlineMs, `Stopping the ${part.name}`, part.stop);
      } catch (error) {
        clean = false;
        this.#logger.error({ part: part.name, error: messageOf(error) }, "a part did not stop cleanly");
      }
    }
    return clean;
  }
}
