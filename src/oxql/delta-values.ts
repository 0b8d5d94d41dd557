import { differenceOf } from "./delta-distribution.ts";
import { putWhole, signedDifference, unsignedDifference, wordsOf } from "./int64-words.ts";
import { queryError } from "./query-error.ts";
import type { Column, Distribution } from "./table.ts";

/** Whole numbers within this are exact as doubles. */
const EXACT = 2 ** 53;

export const MAX_I64 = (1n << 63n) - 1n;

/**
 * What each row added to the last present row before it. Rows marked in `fresh` begin anew: they, and the first present row after
 * them, keep what is stored. Missing stays missing. `describe` names the timeseries in errors: `overflow` where an integer difference
 * does not fit an i64, `delta_bins` and `delta_underflow` for histograms. Booleans and strings cannot be counters.
 */
export function differences(column: Column, fresh: Uint8Array, describe: () => string): Column {
  const { present } = column;
  switch (column.type) {
    case "integer":
      return { type: "integer", values: integerDifferences(column.values, fresh, present, describe), present };
    case "double": {
      const values = column.values.slice();
      forEachPair(fresh, present, (row, last) => (values[row]! -= column.values[last]!));
      return { type: "double", values, present };
    }
    case "integer_distribution":
      return { type: "integer_distribution", values: distributionDifferences(column.values, fresh, present, describe), present };
    case "double_distribution":
      return { type: "double_distribution", values: distributionDifferences(column.values, fresh, present, describe), present };
    default:
      throw new Error(`a ${column.type} cannot be a counter`);
  }
}

/** Calls `visit` for each present row that has a present one before it in its incarnation, with that one. */
function forEachPair(fresh: Uint8Array, present: Uint8Array | null, visit: (row: number, last: number) => void): void {
  let last = -1;
  for (let row = 0; row < fresh.length; row++) {
    if (fresh[row] === 1) last = -1;
    if (present !== null && present[row] === 0) continue;
    if (last !== -1) visit(row, last);
    last = row;
  }
}

/** The result is a plain array of bigints only where a value as stored passes an i64. */
function integerDifferences(
  values: ArrayLike<bigint>,
  fresh: Uint8Array,
  present: Uint8Array | null,
  describe: () => string,
): ArrayLike<bigint> {
  const stored = values instanceof BigInt64Array || values instanceof BigUint64Array ? values : null;
  const words = stored === null ? null : wordsOf(stored);
  const minus = stored instanceof BigInt64Array ? signedDifference : unsignedDifference;
  // Same bits; where a u64 passes an i64 they are read again below.
  const result = stored === null ? BigInt64Array.from(values) : new BigInt64Array(stored.slice().buffer);
  const resultWords = wordsOf(result);
  const asStored = stored instanceof BigInt64Array ? null : new Uint8Array(values.length).fill(1);
  forEachPair(fresh, present, (row, last) => {
    if (asStored !== null) asStored[row] = 0;
    const quick = words === null ? Number.NaN : minus(words, row, words, last);
    if (Math.abs(quick) < EXACT) return putWhole(resultWords, row, quick);
    const exact = values[row]! - values[last]!;
    if (exact !== BigInt.asIntN(64, exact)) {
      throw queryError(
        "overflow",
        `The difference of ${values[row]} and ${values[last]} in ${describe()} does not fit a 64-bit integer: leave that time out with a filter.`,
      );
    }
    result[row] = exact;
  });
  if (asStored === null || !asStored.some((kept, row) => kept === 1 && values[row]! > MAX_I64)) return result;
  return Array.from(result, (value, row) => (asStored[row] === 1 ? values[row]! : value));
}

function distributionDifferences<T extends bigint | number>(
  values: readonly (Distribution<T> | null)[],
  fresh: Uint8Array,
  present: Uint8Array | null,
  describe: () => string,
): (Distribution<T> | null)[] {
  const result = values.slice();
  forEachPair(fresh, present, (row, last) => {
    const [now, before] = [values[row], values[last]];
    if (now == null || before == null) return;
    result[row] = differenceOf(now, before, describe);
  });
  return result;
}
