import { NO_CAP } from "./reading.ts";
import type { Diagnostic, Snapshot } from "./source.ts";
import { Tally, withoutNumbers } from "./tally.ts";

/** Findings of one code: how many, and the first of them. */
export interface CountedFinding {
  readonly code: string;
  readonly count: number;
  readonly first: Diagnostic;
}

/** What of a recording is not used, counted by why. */
export class RecordingLosses {
  /** Rows: one zone, or the sled, at one instant. */
  readonly rows = new Tally();
  /** Values that were left out of rows. */
  readonly values = new Tally();
  readonly #findings = new Map<string, { count: number; readonly first: Diagnostic }>();

  addFinding(found: Diagnostic): void {
    const { code, count = 1 } = found;
    const known = this.#findings.get(code);
    if (known === undefined) this.#findings.set(code, { count, first: found });
    else known.count += count;
  }

  /** Counts the readings of these that have no value although there is something to measure. */
  addMissing(snapshots: readonly Snapshot[]): void {
    for (const { readings } of snapshots) {
      for (const each of readings) if (each.value === null && each.reason !== NO_CAP) this.values.add(withoutNumbers(each.reason));
    }
  }

  /** What the readers found damaged or doubtful, the most frequent first. */
  findings(): CountedFinding[] {
    return [...this.#findings].map(([code, of]) => ({ code, ...of })).sort((a, b) => b.count - a.count);
  }
}
