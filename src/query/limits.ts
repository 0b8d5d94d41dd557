/** Queries that one listener runs at once; beyond it a query is refused with 503. */
export const QUERY_CONCURRENCY = 16;

/** Time one query may take, upstream's figure; beyond it the query is stopped in the engine too and refused with 503. */
export const QUERY_TIMEOUT_MS = 30_000;

/** How far back `GET /v1/zones/latest` looks. */
export const LATEST_ZONES_WINDOW_NS = 15n * 60n * 1_000_000_000n;
