import { ZonemeterError, messageOf } from "../core/index.ts";
import { Backoff, sleep, type BackoffPolicy, type Logger } from "../runtime/index.ts";
import { describeEnd } from "./child.ts";
import { startChild, type ChildEnd } from "./child-process.ts";

/** Between runs of a child that keeps ending: 1 s, doubling to 5 min. */
export const CHILD_RESTART_BACKOFF: BackoffPolicy = { firstMs: 1_000, factor: 2, capMs: 300_000, spread: 0.2 };

/** Takes the output of one run. What it has of an unfinished message when the run ends is worth nothing: the next run begins anew. */
export interface ChildRun {
  chunk(bytes: Buffer): void;
  /** The run ended. Returns why, where the caller knows better than the exit status does. */
  end(end: ChildEnd, stderr: string): ZonemeterError | null;
}

export interface LongRunningChildOptions {
  readonly command: string;
  /** Asked at each start. `silenceMs`: without output for this long it is taken as hung, stopped and started again. */
  readonly plan: () => { readonly args: readonly string[]; readonly silenceMs: number };
  readonly logger: Logger;
  /** Called at each start. */
  readonly startRun: () => ChildRun;
  readonly backoff?: BackoffPolicy;
}

/**
 * Keeps one command running: started again with back-off whenever it ends, for whatever reason. Output is handed on as it comes and nothing
 * is kept here, so that bounding it is the taker's business.
 */
export class LongRunningChild {
  /** Settles when the first run was started or could not be. */
  readonly firstStart: Promise<void>;
  readonly #options: LongRunningChildOptions;
  readonly #controller = new AbortController();
  readonly #backoff: Backoff;
  readonly #stopped: Promise<void>;
  #failure: ZonemeterError | null = null;
  #starts = 0;
  /** Ends the run that goes on, if one does. */
  #stopRun: (() => void) | null = null;
  #renewing = false;

  constructor(options: LongRunningChildOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff ?? CHILD_RESTART_BACKOFF);
    let started!: () => void;
    this.firstStart = new Promise((resolve) => (started = resolve));
    this.#stopped = this.#keepRunning(started);
  }

  /** Why the last run ended, from then until the next one is healthy; null while all is well. */
  get failure(): ZonemeterError | null {
    return this.#failure;
  }

  /** Runs started so far. */
  get starts(): number {
    return this.#starts;
  }

  /** Says that the run now does what it should: the next restart comes soon. */
  healthy(): void {
    this.#failure = null;
    this.#backoff.reset();
  }

  /** Starts the command anew, with what `plan` says now: at once, and without calling it a failure. */
  renew(): void {
    if (this.#stopRun === null) return;
    this.#renewing = true;
    this.#stopRun();
  }

  /** Resolves when the child is reaped. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#stopped;
  }

  async #keepRunning(started: () => void): Promise<void> {
    const { command, logger } = this.#options;
    const signal = this.#controller.signal;
    while (!signal.aborted) {
      try {
        this.#failure = await this.#runOnce(started);
      } catch (error) {
        this.#failure = error instanceof ZonemeterError ? error : new ZonemeterError("unavailable", messageOf(error), { cause: error });
      }
      started();
      if (signal.aborted) return;
      if (this.#renewing) {
        this.#renewing = false;
        this.#failure = null;
        continue;
      }
      const delayMs = Math.round(this.#backoff.next());
      logger.warn({ command, reason: messageOf(this.#failure), restartInMs: delayMs }, "a long-running command ended");
      await sleep(delayMs, signal);
    }
  }

  async #runOnce(started: () => void): Promise<ZonemeterError> {
    const { command, plan, startRun } = this.#options;
    const { args, silenceMs } = plan();
    const signal = this.#controller.signal;
    const child = await startChild(command, args);
    this.#starts += 1;
    started();
    const run = startRun();
    let silent = false;
    const stop = (): void => child.stop();
    this.#stopRun = stop;
    const timer = setTimeout(() => {
      silent = true;
      stop();
    }, silenceMs);
    child.stdout.on("data", (chunk: Buffer) => {
      timer.refresh();
      run.chunk(chunk);
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const end = await child.ended;
    this.#stopRun = null;
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    const known = run.end(end, child.stderr());
    if (silent) return new ZonemeterError("unavailable", `${command} printed nothing for ${silenceMs} ms and was stopped.`);
    return (
      known ??
      new ZonemeterError(
        "unavailable",
        `${command} ended ${describeEnd(end)}${child.stderr() === "" ? "" : `: ${firstLine(child.stderr())}`}.`,
      )
    );
  }
}

function firstLine(text: string): string {
  return text.slice(0, 200).split("\n", 1)[0]!.trim().replace(/\.$/, "");
}
