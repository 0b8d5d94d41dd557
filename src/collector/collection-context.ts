import type { Dispatcher } from "undici";
import type { Clock } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { RefusalReason } from "../store/index.ts";
import type { ProducerResultsReader } from "../wire/index.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { SampleCheck } from "./sample-check.ts";
import type { SampleQueue } from "./sample-queue.ts";
import type { Tally } from "./tally.ts";

/** What the collections of all producers share. */
export interface CollectionContext {
  readonly collectorId: string;
  /** Tells the runs of this collector apart in the names of deliveries. */
  readonly runId: string;
  readonly dispatcher: Dispatcher;
  readonly reader: ProducerResultsReader;
  readonly check: SampleCheck;
  readonly refused: Tally<RefusalReason>;
  readonly queue: SampleQueue;
  readonly budget: ByteBudget;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For one collection, from the connection to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** 0 to 1, for the spread of first collections. */
  readonly random: () => number;
}
