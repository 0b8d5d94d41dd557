import { ZONESTAT_MAX_REPORTS, ZonemeterError, type Clock } from "../core/index.ts";
import type { BackoffPolicy, Logger } from "../runtime/index.ts";
import { CostPeriod, PERIOD_CHANGED } from "./cost-period.ts";
import { Findings } from "./findings.ts";
import type { IdentityBook } from "./identity.ts";
import { LongRunningChild, type ChildRun } from "./long-running-child.ts";
import { snapshotsFromZonestat } from "./snapshots-from-zonestat.ts";
import type { Snapshot, Source, SourceReport } from "./source.ts";
import { diagnoseRun } from "./tool-run.ts";
import { ZonestatCost } from "./zonestat-cost.ts";
import type { ZonestatReport } from "./zonestat-report.ts";
import { ZonestatReader } from "./zonestat-text.ts";

export interface ZonestatOptions {
  readonly book: IdentityBook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The time between two reports that is wanted, in whole seconds for the tool. */
  readonly intervalMs: number;
  /** `zonestat` on PATH where it is left out. */
  readonly command?: string;
  readonly backoff?: BackoffPolicy;
}

/** `summary` tells the CPUs online, the others what is used and capped. */
const RESOURCES = "summary,memory,psets,processes";

/** Beyond three reports' time, and time for the first memory walk, a silent run is taken as hung. */
const SILENT_INTERVALS = 3;
const SILENT_GRACE_MS = 30_000;

/**
 * illumos zones from one zonestat that keeps running, started with the source. A read gives the reports that were finished since the one before, which may be
 * none; it rejects with `unavailable` while the command is down. zonestat makes a daemon walk all memory and fork once for each zone, each
 * time: a minute is a good interval. Where three reports in a row show that this takes more than a few per cent of the interval, the command is started anew
 * with twice the interval, and with half of it when it has become cheap; what is used between the two runs is in no report.
 */
export function createZonestatSource(options: ZonestatOptions): Source {
  return new ZonestatSource(options);
}

class ZonestatSource implements Source {
  readonly name = "zonestat";
  readonly #book: IdentityBook;
  readonly #clock: Clock;
  readonly #period: CostPeriod;
  readonly #cost = new ZonestatCost();
  readonly #child: LongRunningChild;
  readonly #findings = new Findings();
  #reports: ZonestatReport[] = [];

  constructor(options: ZonestatOptions) {
    const { book, clock, logger, intervalMs, command = "zonestat", backoff } = options;
    this.#book = book;
    this.#clock = clock;
    this.#period = new CostPeriod(intervalMs);
    this.#child = new LongRunningChild({
      command,
      plan: () => ({
        args: ["-p", "-T", "u", "-r", RESOURCES, String(Math.max(1, Math.round(this.periodMs / 1_000)))],
        silenceMs: this.#silenceMs(),
      }),
      logger,
      startRun: () => this.#startRun(),
      ...(backoff === undefined ? {} : { backoff }),
    });
  }

  get periodMs(): number {
    return this.#period.periodMs;
  }

  async read(): Promise<SourceReport> {
    await this.#child.firstStart;
    const reports = this.#reports;
    this.#reports = [];
    if (reports.length === 0 && this.#child.failure !== null) throw this.#child.failure;
    const snapshots: Snapshot[] = [];
    for (const report of reports) {
      const read = snapshotsFromZonestat(report, {
        sled: null,
        stampOf: (subjectKey, reportTimeNs) => this.#book.stampFor(subjectKey, "zonestat", reportTimeNs),
      });
      snapshots.push(...read.snapshots);
      for (const { code, text, line } of read.diagnostics) this.#findings.add(code, text, line);
    }
    const diagnostics = [...this.#findings.take(), ...(await this.#book.save())];
    return { snapshots, diagnostics, ended: false };
  }

  async close(): Promise<void> {
    await this.#child.close();
  }

  #startRun(): ChildRun {
    const reader = new ZonestatReader();
    this.#cost.reset();
    let gaveAnything = false;
    const take = (reports: readonly ZonestatReport[]): void => {
      for (const report of reports) {
        if (!report.complete) continue;
        gaveAnything = true;
        this.#child.healthy();
        this.#reports.push(report);
        this.#weigh(report);
        if (this.#reports.length <= ZONESTAT_MAX_REPORTS) continue;
        this.#reports.shift();
        this.#findings.add("report-dropped", "A zonestat report was dropped, as nobody read it in time.");
      }
      for (const { code, text, line } of reader.takeDiagnostics()) this.#findings.add(code, text, line);
    };
    return {
      chunk: (bytes) => take(reader.push(bytes)),
      end: ({ exitCode }, stderr) => {
        take(reader.end());
        const [first] = diagnoseRun("zonestat", exitCode, stderr, gaveAnything);
        return first === undefined ? null : new ZonemeterError("unavailable", first.text);
      },
    };
  }

  #silenceMs(): number {
    return SILENT_INTERVALS * this.periodMs + SILENT_GRACE_MS;
  }

  #weigh({ timeNs }: ZonestatReport): void {
    const cost = timeNs === null ? null : this.#cost.take(timeNs, this.#clock.wallNs(), this.#silenceMs());
    if (cost === null || !this.#period.weigh(cost.leastMs, cost.mostMs)) return;
    const took = `${(cost.leastMs / 1_000).toFixed(1)} to ${(cost.mostMs / 1_000).toFixed(1)} s`;
    const text = `zonestat's reports came ${took} behind their time, so it now runs every ${Math.round(this.periodMs / 1_000)} s.`;
    this.#findings.add(PERIOD_CHANGED, text);
    this.#child.renew();
  }
}
