import type { Clock } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import { createCgroupSource } from "./cgroup.ts";
import type { IdentityBook } from "./identity.ts";
import { createKstatSource } from "./kstat.ts";
import { createReplaySource, type ReplayOptions } from "./replay.ts";
import type { Source, SourceName } from "./source.ts";
import { createVmusageSource } from "./vmusage.ts";
import { createZonestatSource } from "./zonestat.ts";

/** The tools of illumos that live sources run. */
export type SourceCommand = "kstat" | "zonestat" | "prstat";

/** What sources are made with. Whoever opened the book closes it, after the sources. */
export interface SourceOptions {
  readonly book: IdentityBook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time between reads; `SOURCES` has the usual ones. */
  readonly intervalsMs?: Readonly<Partial<Record<SourceName, number>>>;
  /** Recordings for `replay`, and what is known of the sled that they are of. */
  readonly replay?: ReplayOptions;
  /** Where the machine's root directory is seen, for `cgroup`; "/" where it is left out. */
  readonly hostRoot?: string;
  /** Commands to run in place of those on PATH. */
  readonly commands?: Readonly<Partial<Record<SourceCommand, string>>>;
  /** The machine's platform where it is not this process's. */
  readonly platform?: NodeJS.Platform;
}

export interface SourceRow {
  readonly name: SourceName;
  /** Where its tool is at home; null for everywhere. With the tool on PATH it runs on any. */
  readonly platforms: readonly NodeJS.Platform[] | null;
  /** The command it runs, null for none. */
  readonly command: SourceCommand | null;
  /** For people: what it gives, what it needs, what one read costs. */
  readonly gives: string;
  readonly needs: string;
  readonly costs: string;
  /** Time between reads, and time one may take. */
  readonly intervalMs: number;
  readonly deadlineMs: number;
  /** It comes to an end by itself. */
  readonly finite: boolean;
  create(options: SourceOptions, intervalMs: number): Source | Promise<Source>;
}

/** Every source, in the order in which they speak for a metric that several have. */
export const SOURCES: readonly SourceRow[] = [
  {
    name: "kstat",
    platforms: ["sunos"],
    command: "kstat",
    gives: "exact CPU time, swap reserved, locked memory, processes, paging, caps; resident memory where the kernel counts it",
    needs: "kstat on PATH; no privilege",
    costs: "one short child for each read",
    intervalMs: 10_000,
    deadlineMs: 10_000,
    finite: false,
    create: ({ book, clock, commands }) =>
      createKstatSource({ book, clock, ...(commands?.kstat === undefined ? {} : { command: commands.kstat }) }),
  },
  {
    name: "zonestat",
    platforms: ["sunos"],
    command: "zonestat",
    gives: "CPUs in use in steps of 0.01; resident, reserved and locked memory; processes; caps",
    needs: "zonestat on PATH and the service svc:/system/zones-monitoring:default",
    costs:
      "one long-running child, whose daemon walks all memory and forks once for each zone, each time; runs less often where that is dear",
    intervalMs: 60_000,
    deadlineMs: 10_000,
    finite: false,
    create: ({ book, clock, logger, commands }, intervalMs) =>
      createZonestatSource({
        book,
        clock,
        logger,
        intervalMs,
        ...(commands?.zonestat === undefined ? {} : { command: commands.zonestat }),
      }),
  },
  {
    name: "vmusage",
    platforms: ["sunos"],
    command: "prstat",
    gives: "resident memory and swap reserved as getvmusage counts them; processes",
    needs: "prstat on PATH; no privilege",
    costs: "a walk over the memory of all processes for each read; runs less often where that is dear",
    intervalMs: 60_000,
    deadlineMs: 40_000,
    finite: false,
    create: ({ book, clock, commands }, intervalMs) =>
      createVmusageSource({ book, clock, intervalMs, ...(commands?.prstat === undefined ? {} : { command: commands.prstat }) }),
  },
  {
    name: "cgroup",
    platforms: ["linux"],
    command: null,
    gives: "exact CPU time, throttling, pressure, resident memory, working set, swap, tasks and caps of control groups",
    needs: "a readable cgroup file system, v2, v1 or both",
    costs: "some 12 small kernel files for each group and read",
    intervalMs: 10_000,
    deadlineMs: 30_000,
    finite: false,
    create: ({ book, clock, hostRoot }) => createCgroupSource({ book, clock, ...(hostRoot === undefined ? {} : { hostRoot }) }),
  },
  {
    name: "replay",
    platforms: null,
    command: null,
    gives: "whatever kstat, zonestat, prstat -Z or zonemeter sample recorded, with its own times",
    needs: "files to replay",
    costs: "reading the files once",
    intervalMs: 1_000,
    deadlineMs: 60_000,
    finite: true,
    create: ({ replay }) => createReplaySource(replay ?? { files: [] }),
  },
];
