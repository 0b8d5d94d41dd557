import { CHILD_STDOUT_MAX_BYTES, SOURCE_SLICE_MS, type Clock } from "../core/index.ts";
import { TimeSlice } from "../runtime/index.ts";
import { runChild } from "./child.ts";
import type { IdentityBook } from "./identity.ts";
import type { KstatSnapshot } from "./kstat-snapshot.ts";
import { KstatTextReader } from "./kstat-text.ts";
import { kstatSnapshots } from "./snapshots-from-kstat.ts";
import type { Source, SourceReport } from "./source.ts";
import { SwapMeans } from "./swap-means.ts";
import { judgeOutput } from "./tool-output.ts";

export interface KstatOptions {
  readonly book: IdentityBook;
  readonly clock: Clock;
  /** `kstat` on PATH where it is left out. */
  readonly command?: string;
  readonly deadlineMs?: number;
}

/** One read takes some 50 ms on a sled. */
const DEADLINE_MS = 8_000;

/** Modules and names decide what the kernel reads, so each selector begins with them. The sled's are cut down to the statistics that are used. */
const SELECTORS = [
  "zones:::",
  "memory_cap:::",
  "caps::*_zone_*:",
  "unix:0:system_pages:/^(physmem|freemem|crtime|snaptime)$/",
  "unix:0:vminfo:/^(swap_avail|updates|crtime|snaptime)$/",
  "vmm:0:vmm_reservoir:/^(bytes_free|bytes_alloc|bytes_transient_alloc|crtime|snaptime)$/",
  "zfs:0:arcstats:/^(size|crtime|snaptime)$/",
  "cpu_info:::/^(state|crtime|snaptime)$/",
];

/** illumos zones from kernel statistics: one `kstat -p` for each read, which prints the counters of all zones in one pass. */
export function createKstatSource(options: KstatOptions): Source {
  return new KstatSource(options);
}

class KstatSource implements Source {
  readonly name = "kstat";
  readonly #options: KstatOptions;
  readonly #swap = new SwapMeans();

  constructor(options: KstatOptions) {
    this.#options = options;
  }

  async read(signal: AbortSignal): Promise<SourceReport> {
    const { book, clock, command = "kstat", deadlineMs = DEADLINE_MS } = this.#options;
    const reader = new KstatTextReader();
    // The last snapshot in the text: there is one, unless the tool was told otherwise.
    let printed: KstatSnapshot = { timeNs: null, line: 1, kstats: [] };
    const beforeNs = clock.monotonicNs();
    const result = await runChild({
      command,
      args: ["-p", ...SELECTORS],
      deadlineMs,
      maxStdoutBytes: CHILD_STDOUT_MAX_BYTES,
      signal,
      // Read as it comes, a pipe's worth at a time: the whole text would be in memory for nothing.
      onStdout: (chunk) => void (printed = reader.push(chunk).at(-1) ?? printed),
    });
    const afterNs = clock.monotonicNs();
    const afterWallNs = clock.wallNs();
    printed = reader.end().at(-1) ?? printed;
    const diagnostics = judgeOutput("kstat", result, printed.kstats.length > 0, reader.takeDiagnostics());
    const slice = new TimeSlice(SOURCE_SLICE_MS, "Reading what kstat printed", signal);
    const takenNs = takenAtNs(printed, beforeNs, afterNs);
    const wallNs = afterWallNs - (afterNs - takenNs);
    const work = kstatSnapshots(printed, {
      sled: null,
      stampOf: (subjectKey) => book.stampFor(subjectKey, "kstat", wallNs),
      swapFree: (vminfo, pageBytes) => this.#swap.availableBytes("", vminfo, pageBytes),
      startTimeOf: ({ subjectKey, incarnation, bootTimeNs, crtimeNs, snaptimeNs, timestampNs }) =>
        book.startTimeOf({ subjectKey, incarnation, bootTimeNs, createdMonotonicNs: takenNs - (snaptimeNs - crtimeNs), timestampNs }),
    });
    const { snapshots, diagnostics: unread } = await slice.run(work);
    diagnostics.push(...unread, ...(await book.save()));
    return { snapshots, diagnostics, ended: false };
  }

  async close(): Promise<void> {
    // A child lives no longer than the read that started it.
  }
}

/**
 * When the values were read, on the agent's monotonic clock. kstat's clock is the same one on illumos, so it says so itself; where it is
 * another (a recording in place of the tool), the middle of the run is the best guess.
 */
function takenAtNs(printed: KstatSnapshot, beforeNs: bigint, afterNs: bigint): bigint {
  const snaptimeNs = printed.kstats.find(({ module, snaptimeNs: ns }) => module === "zones" && ns !== null)?.snaptimeNs;
  return snaptimeNs != null && snaptimeNs >= beforeNs && snaptimeNs <= afterNs ? snaptimeNs : (beforeNs + afterNs) / 2n;
}
