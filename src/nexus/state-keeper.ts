import { messageOf } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { RegistryState } from "./registry.ts";
import { writeState } from "./state-file.ts";

/**
 * Writes the state after changes, one write at a time: changes that come during a write share the next one. A write that fails is logged and
 * made good by the next change; registrations go on meanwhile, as metrics matter more than surviving a restart.
 */
export class StateKeeper {
  readonly #path: string;
  readonly #state: () => RegistryState;
  readonly #logger: Logger;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(path: string, state: () => RegistryState, logger: Logger) {
    this.#path = path;
    this.#state = state;
    this.#logger = logger;
  }

  /** Resolves when the state as it is now, or a later one, has been written or could not be. Never rejects. */
  keep(): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      this.#writing = this.#write();
      return this.#writing;
    });
    return this.#next;
  }

  async #write(): Promise<void> {
    try {
      await writeState(this.#path, this.#state());
    } catch (error) {
      this.#logger.error({ path: this.#path, error: messageOf(error) }, "the Nexus state could not be written");
    }
  }
}
