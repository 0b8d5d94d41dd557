import type { Sample } from "../../src/core/index.ts";
import type { InsertReport, RefusalReason } from "../../src/store/index.ts";

/** Called before and after samples are stored; may wait or throw. */
export interface SinkFaults {
  readonly before?: (insert: number) => Promise<void> | void;
  readonly after?: (insert: number) => Promise<void> | void;
}

/** Keeps the samples that it is given, as the contract of a store says: with the same token again nothing is added. */
export class MemorySink {
  readonly samples: Sample[] = [];
  /** Tokens of all calls, in order. */
  readonly tokens: string[] = [];
  faults: SinkFaults = {};
  refuse: (sample: Sample) => RefusalReason | null = () => null;
  readonly #byToken = new Map<string, string>();

  async insert(samples: readonly Sample[], token: string): Promise<InsertReport> {
    const insert = this.tokens.push(token) - 1;
    await this.faults.before?.(insert);
    const content = samples.map((sample) => `${sample.timeseriesName}@${sample.timestampNs}`).join();
    const known = this.#byToken.get(token);
    if (known !== undefined && known !== content) throw new Error(`token ${token} came with other samples`);
    const refused = new Map<RefusalReason, number>();
    for (const sample of samples) {
      const reason = this.refuse(sample);
      if (reason !== null) refused.set(reason, (refused.get(reason) ?? 0) + 1);
      else if (known === undefined) this.samples.push(sample);
    }
    this.#byToken.set(token, content);
    await this.faults.after?.(insert);
    return { stored: samples.length - [...refused.values()].reduce((a, b) => a + b, 0), refused, messages: [] };
  }
}
