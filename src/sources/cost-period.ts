import { SOURCE_MAX_COST_SHARE, SOURCE_MAX_PERIOD_MS } from "../core/index.ts";

/** A reading that is this much below the allowed cost lets the period shrink again. */
const CHEAP_SHARE = 4;

/** Code of the diagnostic that tells of a change. */
export const PERIOD_CHANGED = "period-changed";

/**
 * The period of a source whose readings make the whole machine work: doubled when one takes more than a few per cent of it, halved, down to the one
 * that is wanted, when it is cheap.
 */
export class CostPeriod {
  readonly #wantedMs: number;
  #periodMs: number;

  constructor(wantedMs: number) {
    this.#wantedMs = wantedMs;
    this.#periodMs = wantedMs;
  }

  get periodMs(): number {
    return this.#periodMs;
  }

  /** Sets the period by what a reading took, or the least and the most that several did; true where it changed. */
  weigh(leastMs: number, mostMs = leastMs): boolean {
    const before = this.#periodMs;
    const allowedMs = SOURCE_MAX_COST_SHARE * before;
    if (leastMs > allowedMs) this.#periodMs = Math.max(before, Math.min(2 * before, SOURCE_MAX_PERIOD_MS));
    else if (mostMs * CHEAP_SHARE < allowedMs) this.#periodMs = Math.max(this.#wantedMs, before / 2);
    return this.#periodMs !== before;
  }
}
