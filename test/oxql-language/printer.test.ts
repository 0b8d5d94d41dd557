import fc from "fast-check";
import { expect, it } from "vitest";
import { QUERY_MAX_BYTES } from "../../src/core/index.ts";
import { parse, print } from "../../src/oxql/index.ts";
import { meaning, RANDOM_NOW_NS, randomQuery } from "./random-query.ts";

it("prints any tree so that it reads back as the same, and prints that the same", () => {
  let checked = 0;
  fc.assert(
    fc.property(randomQuery, (query) => {
      const text = print(query);
      fc.pre(Buffer.byteLength(text) <= QUERY_MAX_BYTES);
      const again = parse(text, { nowNs: RANDOM_NOW_NS });
      expect(meaning(again)).toEqual(meaning(query));
      expect(print(again)).toBe(text);
      checked += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(checked).toBe(2_000);
});
