import { PAGE_DEFAULT_ITEMS, PAGE_MAX_ITEMS, PAGE_TOKEN_MAX_LENGTH, ZonemeterError } from "../core/index.ts";

/** One page of a listing in upstream's shape. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_page: string | null;
}

/**
 * The page that a request asks for. `sorted` is in ascending order of `keyOf`, whose texts differ from item to item; `query` holds the
 * checked parameters `limit` and `page_token`. Throws ZonemeterError `usage` on a token that is not ours.
 */
export function pageOf<T>(sorted: readonly T[], keyOf: (item: T) => string, query: Readonly<Record<string, unknown>>): Page<T> {
  const limit = Math.min(Number(query["limit"] ?? PAGE_DEFAULT_ITEMS), PAGE_MAX_ITEMS);
  const token = query["page_token"];
  const after = typeof token === "string" ? readToken(token) : null;
  const start = after === null ? 0 : firstAfter(sorted, keyOf, after);
  const items = sorted.slice(start, start + limit);
  const last = items.at(-1);
  return { items, next_page: last !== undefined && start + limit < sorted.length ? writeToken(keyOf(last)) : null };
}

/** A token holds the last key given out, so that a listing survives changes between its pages, and a version. */
function writeToken(lastKey: string): string {
  return Buffer.from(JSON.stringify({ v: "v1", after: lastKey })).toString("base64url");
}

function readToken(token: string): string {
  try {
    if (token.length > PAGE_TOKEN_MAX_LENGTH) throw new Error("too large");
    const { v, after } = JSON.parse(Buffer.from(token, "base64url").toString()) as Record<string, unknown>;
    if (v !== "v1" || typeof after !== "string") throw new Error("corrupted token");
    return after;
  } catch (error) {
    throw new ZonemeterError(
      "usage",
      "unable to parse query string: failed to parse pagination token: give next_page of the page before, unchanged.",
      {
        cause: error,
      },
    );
  }
}

function firstAfter<T>(sorted: readonly T[], keyOf: (item: T) => string, key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(sorted[middle]!) > key) high = middle;
    else low = middle + 1;
  }
  return low;
}
