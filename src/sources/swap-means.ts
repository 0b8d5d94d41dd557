import { TEXT_NAMES_MAX } from "../core/index.ts";
import { wholeStat } from "./kstat-readings.ts";
import type { Kstat } from "./kstat-snapshot.ts";
import type { Measurement } from "./reading.ts";

interface Mark {
  readonly crtimeNs: bigint | null;
  readonly pages: bigint;
  readonly updates: bigint;
}

/**
 * Swap that could still be reserved, from `unix:0:vminfo`. Its fields are no gauges: once a second the kernel adds what there is to each, and one to
 * `updates`, so that two readings tell the mean over the time between them, and one alone tells nothing.
 */
export class SwapMeans {
  readonly #marks = new Map<string, Mark>();

  /** Pages, mean since the reading before of the same sled, times `pageBytes`. */
  availableBytes(sledId: string, vminfo: Kstat, pageBytes: bigint): Measurement {
    const pages = wholeStat(vminfo, "swap_avail");
    const updates = wholeStat(vminfo, "updates");
    if (typeof pages === "string") return pages;
    if (typeof updates === "string") return updates;
    const before = this.#marks.get(sledId);
    if (this.#marks.size < TEXT_NAMES_MAX || before !== undefined) this.#marks.set(sledId, { crtimeNs: vminfo.crtimeNs, pages, updates });
    if (before === undefined || before.crtimeNs !== vminfo.crtimeNs) return "two readings make a mean, and this is the first one";
    const [addedPages, added] = [pages - before.pages, updates - before.updates];
    if (added <= 0n || addedPages < 0n) return "the kernel has added nothing to vminfo since the reading before";
    return (addedPages * pageBytes) / added;
  }
}
