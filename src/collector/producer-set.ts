import type { CollectionContext } from "./collection-context.ts";
import { ProducerTask, type Endpoint } from "./producer-task.ts";

/** The tasks of all producers that are collected from, by id. */
export class ProducerSet {
  readonly #context: CollectionContext;
  readonly #firstPollAtOnce: boolean;
  readonly #tasks = new Map<string, ProducerTask>();

  constructor(context: CollectionContext, firstPollAtOnce: boolean) {
    this.#context = context;
    this.#firstPollAtOnce = firstPollAtOnce;
  }

  get size(): number {
    return this.#tasks.size;
  }

  get(id: string): ProducerTask | undefined {
    return this.#tasks.get(id);
  }

  /** In ascending order of ids. */
  all(): ProducerTask[] {
    return [...this.#tasks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, task]) => task);
  }

  /** Makes the set exactly what is listed. Tasks that stay are not disturbed. */
  async apply(endpoints: readonly Endpoint[]): Promise<void> {
    const listed = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    const gone = [...this.#tasks.keys()].filter((id) => !listed.has(id));
    for (const [id, endpoint] of listed) {
      const task = this.#tasks.get(id);
      if (task === undefined) this.#tasks.set(id, new ProducerTask(this.#context, endpoint, this.#firstPollAtOnce ? 0 : null));
      else task.update(endpoint);
    }
    await Promise.all(gone.map((id) => this.remove(id)));
  }

  /** Stops collecting from a producer, if it is collected from. */
  async remove(id: string): Promise<void> {
    const task = this.#tasks.get(id);
    this.#tasks.delete(id);
    await task?.stop();
  }

  async stop(): Promise<void> {
    await this.apply([]);
  }
}
