/** Why a sample never reached a collector. */
export const DROP_REASONS = ["ring_full", "not_in_schema", "out_of_range"] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** What became of every sample: produced = delivered + dropped + buffered, at any moment. */
export class Ledger {
  produced = 0n;
  delivered = 0n;
  readonly dropped = new Map<DropReason, bigint>();

  drop(reason: DropReason, count: number): void {
    if (count > 0) this.dropped.set(reason, (this.dropped.get(reason) ?? 0n) + BigInt(count));
  }

  get droppedInAll(): bigint {
    let sum = 0n;
    for (const count of this.dropped.values()) sum += count;
    return sum;
  }
}
