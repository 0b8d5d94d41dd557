import {
  COLLECTOR_FIRST_REFRESH_MS,
  COLLECTOR_REFRESH_MS,
  COLLECTOR_REFRESH_TIMEOUT_MS,
  COLLECTOR_YOUNG_MS,
  messageOf,
  parseSocketAddress,
  type Clock,
} from "../core/index.ts";
import { sleep, withDeadline, type Logger } from "../runtime/index.ts";
import type { ProducerList } from "./producer-list.ts";
import type { ProducerSet } from "./producer-set.ts";
import type { Endpoint } from "./producer-task.ts";

export interface RefresherOptions {
  /** Reads the whole list, or rejects. */
  readonly fetch: (signal: AbortSignal) => Promise<ProducerList>;
  readonly producers: ProducerSet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly refreshMs?: number;
  readonly firstRefreshMs?: number;
}

/**
 * Keeps the set of producers equal to Nexus's list: at once, then on an interval, and sooner while a young collector has none. Any error keeps
 * the set as it is.
 */
export class Refresher {
  readonly #options: RefresherOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #lastRefreshNs: bigint | null = null;
  #lastFailure: string | null = null;
  #lastUnusable = "";

  constructor(options: RefresherOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** When the list was last read, by the wall clock; null before the first time. */
  get lastRefreshNs(): bigint | null {
    return this.#lastRefreshNs;
  }

  /** Why the last reading failed; null where it did not. */
  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the collector is stopping"));
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { producers, refreshMs = COLLECTOR_REFRESH_MS, firstRefreshMs = COLLECTOR_FIRST_REFRESH_MS } = this.#options;
    const bornMs = performance.now();
    let hadProducers = false;
    while (!this.#stopping.signal.aborted) {
      await this.#refresh();
      hadProducers ||= producers.size > 0;
      const isYoung = !hadProducers && performance.now() - bornMs < COLLECTOR_YOUNG_MS;
      await sleep(isYoung ? Math.min(firstRefreshMs, refreshMs) : refreshMs, this.#stopping.signal);
    }
  }

  async #refresh(): Promise<void> {
    const { fetch, producers, clock, logger } = this.#options;
    try {
      const list = await withDeadline(COLLECTOR_REFRESH_TIMEOUT_MS, "Reading the list of producers", fetch, this.#stopping.signal);
      this.#tell(list);
      await producers.apply(list.producers.map(endpointOf));
      this.#lastRefreshNs = clock.wallNs();
      this.#lastFailure = null;
    } catch (error) {
      const failure = messageOf(error);
      // The same failure again and again is told once.
      if (!this.#stopping.signal.aborted && failure !== this.#lastFailure)
        logger.warn({ error: failure, producers: producers.size }, "the list of producers could not be read; the last one is kept");
      this.#lastFailure = failure;
    }
  }

  #tell({ unusable, truncated, producers }: ProducerList): void {
    const { logger } = this.#options;
    const told = `${unusable.join(" ")}${truncated}`;
    if (told === this.#lastUnusable) return;
    this.#lastUnusable = told;
    for (const sentence of unusable) logger.warn({}, sentence);
    if (truncated)
      logger.error(
        { producers: producers.length },
        "there are more producers than one collector takes; the rest are left alone: start another collector",
      );
  }
}

function endpointOf({ id, kind, address, interval }: ProducerList["producers"][number]): Endpoint {
  // Nexus keeps intervals as 32-bit floats, whose noise below a millisecond is no change.
  const intervalMs = Math.max(1, Math.round(Number(interval.secs) * 1_000 + interval.nanos / 1e6));
  return { id, kind, address: parseSocketAddress(address)!, intervalMs };
}
