/** Queries that one listener runs at once, and those of one principal among them; beyond either a query is refused with 503. */
export const QUERY_CONCURRENCY = 32;
export const QUERY_CONCURRENCY_OF_ONE = 16;

/** Time one query may take, upstream's figure; beyond it the query is stopped in the engine too and refused with 503. */
export const QUERY_TIMEOUT_MS = 30_000;

/** Characters of a query that its audit line shows; a longer text is cut. Every query that can run is shorter. */
export const AUDIT_QUERY_MAX_CHARS = 4_096;

/** How far back `GET /v1/zones/latest` looks. */
export const LATEST_ZONES_WINDOW_NS = 15n * 60n * 1_000_000_000n;
