import { expect, it } from "vitest";
import { orderRows } from "../../src/store/row-order.ts";
import { Random } from "../support/random.ts";

it("orders rows by hour, then by id, and keeps the rest as it came", () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = new Random(seed);
  for (let round = 0; round < 200; round++) {
    const count = random.below(60);
    const ids = BigUint64Array.from({ length: 1 + random.below(8) }, () => (1n << 63n) + BigInt(random.below(6)));
    const buckets = Uint32Array.from({ length: count }, () => 500_000 + random.below(4));
    const seriesOf = Uint32Array.from({ length: count }, () => random.below(ids.length));
    const rows = Uint32Array.from({ length: count }, (_, i) => i).filter(() => random.below(5) > 0);
    const expected = [...rows].sort((a, b) => buckets[a]! - buckets[b]! || Number(ids[seriesOf[a]!]! - ids[seriesOf[b]!]!) || a - b);
    expect([...orderRows(rows, buckets, seriesOf, ids)], `seed ${seed}, round ${round}`).toEqual(expected);
  }
});
