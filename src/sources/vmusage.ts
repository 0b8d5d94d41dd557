import { CHILD_STDOUT_MAX_BYTES, ZonemeterError, type Clock } from "../core/index.ts";
import { runChild } from "./child.ts";
import { CostPeriod, PERIOD_CHANGED } from "./cost-period.ts";
import type { IdentityBook } from "./identity.ts";
import { PrstatReader } from "./prstat-text.ts";
import { snapshotsFromPrstat } from "./snapshots-from-prstat.ts";
import type { Diagnostic, Source, SourceReport } from "./source.ts";
import { readWhole } from "./text-reader.ts";
import { judgeOutput } from "./tool-output.ts";

export interface VmusageOptions {
  readonly book: IdentityBook;
  readonly clock: Clock;
  /** The period that is wanted: reads may come more often, and give nothing then. */
  readonly intervalMs: number;
  /** `prstat` on PATH where it is left out. */
  readonly command?: string;
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 30_000;

/** One process line, and more zone lines than a machine has zone ids: by default prstat shows five. */
const ARGS = ["-c", "-Z", "-n", "1,10000", "1", "1"];

/** What the run waits by itself, as its interval is one second. */
const OWN_WAIT_MS = 1_000;

/**
 * Resident memory as getvmusage counts it, by way of `prstat -Z`. The walk visits every page of every process and holds each process's address space
 * meanwhile, so there is never more than one, and a run that takes more than a few per cent of the period doubles the period.
 */
export function createVmusageSource(options: VmusageOptions): Source {
  return new VmusageSource(options);
}

class VmusageSource implements Source {
  readonly name = "vmusage";
  readonly #options: VmusageOptions;
  readonly #period: CostPeriod;
  #nextDueNs: bigint | null = null;
  #running = false;
  /** Of the last run, told again by the reads that come before the next one is due. */
  #failure: unknown = null;

  constructor(options: VmusageOptions) {
    this.#options = options;
    this.#period = new CostPeriod(options.intervalMs);
  }

  get periodMs(): number {
    return this.#period.periodMs;
  }

  async read(signal: AbortSignal): Promise<SourceReport> {
    const { clock, book, command = "prstat", deadlineMs = DEADLINE_MS } = this.#options;
    if (this.#running)
      throw new ZonemeterError("unavailable", "The prstat of the read before has not ended; another one would make it slower.");
    const beganNs = clock.monotonicNs();
    if (this.#nextDueNs !== null && beganNs < this.#nextDueNs) {
      if (this.#failure !== null) throw this.#failure;
      return { snapshots: [], diagnostics: [], ended: false };
    }
    this.#running = true;
    try {
      const result = await runChild({ command, args: ARGS, deadlineMs, maxStdoutBytes: CHILD_STDOUT_MAX_BYTES, signal });
      const wallNs = clock.wallNs();
      const text = readWhole(new PrstatReader(), result.stdout);
      const diagnostics = judgeOutput("prstat", result, text.items.length > 0, text.diagnostics);
      const read = snapshotsFromPrstat(text.items.at(-1)!, {
        sled: null,
        stampOf: (zoneName) => book.stampFor(zoneName, "vmusage", wallNs),
      });
      diagnostics.push(...read.diagnostics, ...this.#weigh(beganNs), ...(await book.save()));
      this.#failure = null;
      return { snapshots: read.snapshots, diagnostics, ended: false };
    } catch (error) {
      this.#failure = error;
      this.#weigh(beganNs);
      throw error;
    } finally {
      this.#running = false;
    }
  }

  async close(): Promise<void> {
    // A child lives no longer than the read that started it.
  }

  /** Sets the period by what the run took, and when the next one is due. */
  #weigh(beganNs: bigint): Diagnostic[] {
    const tookMs = Math.max(0, Number(this.#options.clock.monotonicNs() - beganNs) / 1e6 - OWN_WAIT_MS);
    const diagnostics: Diagnostic[] = [];
    if (this.#period.weigh(tookMs)) {
      const text = `prstat took ${Math.round(tookMs)} ms, so it now runs every ${Math.round(this.periodMs / 1_000)} s.`;
      diagnostics.push({ code: PERIOD_CHANGED, text, line: null });
    }
    // A tenth of slack, so that a read on a schedule of the same period is not skipped for coming a moment early.
    this.#nextDueNs = beganNs + BigInt(Math.round(this.periodMs * 0.9 * 1e6));
    return diagnostics;
  }
}
