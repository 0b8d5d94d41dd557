import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageOf, type Page } from "../../src/http/index.ts";

const same = (item: string): string => item;

describe("pageOf", () => {
  it("gives every item once, whatever the page size", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 20 })), fc.integer({ min: 1, max: 7 }), (items, limit) => {
        const sorted = items.toSorted((a, b) => (a < b ? -1 : 1));
        const seen: string[] = [];
        let token: string | null = null;
        do {
          const page: Page<string> = pageOf(sorted, same, { limit, page_token: token });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.items);
          token = page.next_page;
        } while (token !== null);
        expect(seen).toEqual(sorted);
      }),
    );
  });

  it("goes on behind the last item given out, also when that has gone", () => {
    const first = pageOf(["a", "c", "e"], same, { limit: 2 });
    expect(first.items).toEqual(["a", "c"]);
    expect(pageOf(["a", "b", "d", "e"], same, { page_token: first.next_page }).items).toEqual(["d", "e"]);
  });

  it("has 100 items unless asked, and never more than 10000", () => {
    const many = Array.from({ length: 12_000 }, (_item, index) => String(index).padStart(6, "0"));
    expect(pageOf(many, same, {}).items).toHaveLength(100);
    expect(pageOf(many, same, { limit: null, page_token: null }).items).toHaveLength(100);
    expect(pageOf(many, same, { limit: 4_000_000 }).items).toHaveLength(10_000);
  });

  it.each([
    "",
    "nonsense",
    Buffer.from('{"v":"v2","after":"a"}').toString("base64url"),
    Buffer.from('{"v":"v1","after":1}').toString("base64url"),
    "x".repeat(600),
  ])("refuses the token %.20j", (token) => {
    expect(() => pageOf(["a"], same, { page_token: token })).toThrow("failed to parse pagination token");
  });
});
