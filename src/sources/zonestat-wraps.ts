import { isAmbiguous, largestOf, smallestOf, type Amount, type Fraction, type WrappedAmount } from "./zonestat-amount.ts";
import type { ResourceRow, ZonestatResource, ZonestatSummary } from "./zonestat-report.ts";

/** Without a total to compare with, an amount from here on can only be a number below zero. */
const HALF_OF_U64 = 1n << 63n;

/** What an amount of memory can be at most, by resource type; null where no total was printed. */
export interface MemoryBounds {
  readonly physical: bigint | null;
  readonly virtual: bigint | null;
}

/** The bounds that the totals of parseable output set. */
export function boundsOf(summary: ZonestatSummary | null): MemoryBounds {
  return { physical: upperBound(summary?.physicalBytes ?? null), virtual: upperBound(summary?.virtualBytes ?? null) };
}

/**
 * Marks what is printed but meaningless: `[system]` memory is used RAM less process pages less the ARC, and where that falls below zero it
 * prints as almost 2^64. Invalid is every amount above the total of its resource; with `[system]` its sum `[total]` is invalid too,
 * even where it looks plausible. The rest of each row stays.
 */
export function withholdSummaryWraps(summary: ZonestatSummary, bounds: MemoryBounds): void {
  const { rows } = summary;
  let physicalSystem = false;
  let virtualSystem = false;
  for (const row of rows) {
    const physical = wrapOf(row.physicalBytes, bounds.physical);
    const virtual = wrapOf(row.virtualBytes, bounds.virtual);
    if (row.zone === "[system]") {
      physicalSystem = physical !== null;
      virtualSystem = virtual !== null;
    }
    if (physical !== null) [row.physicalBytes, row.physicalFraction] = [physical, "wrapped"];
    if (virtual !== null) [row.virtualBytes, row.virtualFraction] = [virtual, "wrapped"];
  }
  if (!physicalSystem && !virtualSystem) return;
  for (const row of rows) {
    if (row.zone !== "[total]") continue;
    if (physicalSystem) [row.physicalBytes, row.physicalFraction] = derived(row.physicalBytes, row.physicalFraction);
    if (virtualSystem) [row.virtualBytes, row.virtualFraction] = derived(row.virtualBytes, row.virtualFraction);
  }
}

/** The same for the rows of one resource. Totals that its own `[resource]` line does not give are taken from the summary's. */
export function withholdResourceWraps(resource: ZonestatResource, bounds: MemoryBounds): void {
  const fallback =
    resource.type === "virtual-memory"
      ? bounds.virtual
      : resource.type.endsWith("-memory") && resource.type !== "shm-memory"
        ? bounds.physical
        : null;
  const bound = upperBound(resource.total) ?? fallback;
  let system = false;
  let total: ResourceRow | null = null;
  for (const row of resource.rows) {
    if (row.zone === "[total]") total = row;
    const wrapped = wrapOf(row.used, bound);
    if (wrapped === null) continue;
    [row.used, row.usedFraction] = [wrapped, "wrapped"];
    if (row.zone === "[system]") system = true;
  }
  if (system && total !== null) [total.used, total.usedFraction] = derived(total.used, total.usedFraction);
}

function upperBound(total: Amount): bigint | null {
  return typeof total === "bigint" || isAmbiguous(total) ? largestOf(total) : null;
}

function wrapOf(amount: Amount, bound: bigint | null): WrappedAmount | null {
  if (amount === null) return null;
  const least = smallestOf(amount);
  if (least < (bound === null ? HALF_OF_U64 : bound + 1n)) return null;
  return { kind: "wrapped", printed: printedOf(amount) };
}

function derived(amount: Amount, fraction: Fraction): [Amount, Fraction] {
  if (amount === null) return [amount, fraction];
  return [{ kind: "wrapped", printed: printedOf(amount) }, "wrapped"];
}

/** The number that the token shows at face value. */
function printedOf(amount: NonNullable<Amount>): bigint {
  return isAmbiguous(amount) ? amount.asKiB[0] : smallestOf(amount);
}
