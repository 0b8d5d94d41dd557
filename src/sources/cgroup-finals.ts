import { CGROUP_MAX_FINAL_READS, CGROUP_MAX_GROUPS } from "../core/index.ts";
import type { Snapshot } from "./source.ts";

interface Final {
  reads: number;
  snapshot: Snapshot | null;
}

/**
 * The last readings of groups that ran empty since the last sample: one for each incarnation, the latest. A group that empties again and again is not
 * ending, and is read only the first few times.
 */
export class FinalReadings {
  readonly #finals = new Map<string, Final>();

  /** Takes what `read` gives for the group, if it is worth reading at all. */
  add(path: string, read: () => Snapshot | null): void {
    const known = this.#finals.get(path);
    const final = known ?? { reads: 0, snapshot: null };
    if (final.reads >= CGROUP_MAX_FINAL_READS || (known === undefined && this.#finals.size >= CGROUP_MAX_GROUPS)) return;
    final.reads += 1;
    this.#finals.set(path, final);
    const snapshot = read();
    if (snapshot === null) return;
    // One made anew under the path has a last reading of its own.
    if (final.snapshot !== null && incarnationOf(final.snapshot) !== incarnationOf(snapshot)) {
      this.#finals.set(incarnationOf(final.snapshot), { ...final });
    }
    final.snapshot = snapshot;
  }

  /** All since the last call. */
  take(): Snapshot[] {
    const taken = [...this.#finals.values()].flatMap(({ snapshot }) => snapshot ?? []);
    this.#finals.clear();
    return taken;
  }
}

function incarnationOf({ subject }: Snapshot): string {
  return subject.kind === "zone" ? subject.incarnation : "";
}
