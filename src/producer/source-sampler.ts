import { messageOf, ZonemeterError, type Clock } from "../core/index.ts";
import { Loop, sleep, withDeadline, type Logger } from "../runtime/index.ts";
import { PERIOD_CHANGED, type OpenedSource, type Snapshot, type SourceReport } from "../sources/index.ts";
import type { SourceCounters, SourceFailureReason } from "./self-metrics.ts";

export interface SourceSamplerOptions extends OpenedSource {
  readonly counters: SourceCounters;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Settles when the sources before this one have been read once, so that it is known for which metrics they speak. */
  readonly mayReport: Promise<void>;
  /** Takes the snapshots in; for a finite source it settles when there was room for all. */
  readonly take: (snapshots: readonly Snapshot[], signal: AbortSignal) => Promise<void>;
}

/** Pause before a recording that did not answer in time is asked again. */
const FINITE_RETRY_MS = 100;

/** What a failed read was, where it may be asked again at once. */
const PASSING = new Set<SourceFailureReason>(["timeout", "busy"]);

/**
 * Reads one source on a schedule of its own, so that a slow one holds up no other. The first read comes at once; reads never overlap, and a
 * source that ignores its deadline is left alone until it has settled. A finite source is a recording: it is read as fast as its snapshots find
 * room, until it has ended.
 */
export class SourceSampler {
  readonly #options: SourceSamplerOptions;
  readonly #loop: Loop;
  readonly #firstRead: Promise<void>;
  #onFirstRead = (): void => undefined;
  #reading: Promise<SourceReport> | null = null;
  #hasTakenIn = false;
  #ended = false;
  #lastFailure: string | null = null;
  #lastReason: SourceFailureReason = "unavailable";

  constructor(options: SourceSamplerOptions) {
    this.#options = options;
    this.#firstRead = new Promise((resolve) => (this.#onFirstRead = resolve));
    this.#loop = new Loop({
      name: `the source ${options.source.name}`,
      intervalMs: options.intervalMs,
      logger: options.logger,
      run: async (signal) => {
        await (options.finite ? this.#playAll(signal) : this.#round(signal));
        this.#hasTakenIn = true;
      },
    });
  }

  /** Settles after the first read, whatever came of it. */
  get firstRead(): Promise<void> {
    return this.#firstRead;
  }

  /** True once everything of the first read has been taken in, or it has failed. */
  get hasTakenIn(): boolean {
    return this.#hasTakenIn;
  }

  /** True once a finite source has given everything. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The sentence of the last read if that failed. */
  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /** Ends the schedule and the source. Settles when its children are reaped. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#onFirstRead();
    await this.#options.source.close();
  }

  async #playAll(signal: AbortSignal): Promise<void> {
    while (!this.#ended && !signal.aborted) {
      await this.#round(signal);
      if (this.#lastFailure === null) continue;
      // A recording that cannot be read will not be readable in a moment either.
      if (!PASSING.has(this.#lastReason)) this.#ended = true;
      else await sleep(FINITE_RETRY_MS, signal);
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { counters, logger, source, mayReport, take } = this.#options;
    counters.intervalsMissed = this.#options.finite ? 0n : BigInt(this.#loop.missed);
    let report: SourceReport;
    try {
      report = await this.#read(signal);
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      return;
    } finally {
      this.#onFirstRead();
    }
    this.#lastFailure = null;
    counters.intervalNs = this.#intervalNs();
    for (const { code, text, line } of report.diagnostics)
      logger[code === PERIOD_CHANGED ? "warn" : "debug"]({ source: source.name, code, line }, text);
    await mayReport;
    counters.snapshotsTaken += BigInt(report.snapshots.length);
    await take(report.snapshots, signal);
    this.#ended = report.ended;
  }

  /** Null for a recording, which is read without pause. */
  #intervalNs(): bigint | null {
    const { finite, intervalMs, source } = this.#options;
    return finite ? null : BigInt(Math.round((source.periodMs ?? intervalMs) * 1e6));
  }

  async #read(signal: AbortSignal): Promise<SourceReport> {
    const { source, deadlineMs, clock, counters } = this.#options;
    if (this.#reading !== null)
      throw new ZonemeterError("unavailable", `The read of ${source.name} before this one has not ended.`, { kind: "busy" });
    const startNs = clock.monotonicNs();
    let timedOut = false;
    const read = (deadline: AbortSignal): Promise<SourceReport> => {
      deadline.addEventListener("abort", () => (timedOut = !signal.aborted), { once: true });
      const reading = source.read(deadline);
      this.#reading = reading;
      const settled = (): void => void (this.#reading = null);
      reading.then(settled, settled);
      return reading;
    };
    try {
      return await withDeadline(deadlineMs, `Reading ${source.name}`, read, signal);
    } catch (error) {
      throw timedOut
        ? new ZonemeterError("unavailable", `Reading ${source.name} did not finish within ${deadlineMs} ms.`, {
            kind: "timeout",
            cause: error,
          })
        : error;
    } finally {
      counters.durationNs += clock.monotonicNs() - startNs;
    }
  }

  #failed(error: unknown): void {
    const { counters, logger, source } = this.#options;
    const reason = failureReason(error);
    counters.failures.set(reason, (counters.failures.get(reason) ?? 0n) + 1n);
    this.#lastFailure = messageOf(error);
    this.#lastReason = reason;
    logger[reason === "defect" ? "error" : "warn"]({ source: source.name, reason, error: this.#lastFailure }, "a source gave nothing");
  }
}

function failureReason(error: unknown): SourceFailureReason {
  if (!(error instanceof ZonemeterError)) return "defect";
  if (error.kind === "timeout" || error.kind === "busy") return error.kind;
  return error.code === "unavailable" ? "unavailable" : "defect";
}
