/** Every limit of the product: what it protects, and what happens beyond it. Rooms add theirs here. */

/** Snapshots a producer keeps for collection; beyond it the oldest go and are counted as `ring_full`. About 3 h at 10 s and 10 zones. */
export const PRODUCER_RING_SNAPSHOTS = 20_000;

/** Bytes of one collection response a collector reads; beyond it the collection fails as `too_large`. */
export const COLLECTION_MAX_BYTES = 64 * 1024 * 1024;

/** Time one collection may take, upstream's figure. */
export const COLLECTION_TIMEOUT_MS = 30_000;

/** Producers one collector polls; beyond it the rest of the list is left alone and the log says so. */
export const COLLECTOR_MAX_PRODUCERS = 10_000;

/** Samples a collector holds before they are stored, upstream's figure; beyond it the oldest go and are counted as `queue_full`. */
export const COLLECTOR_QUEUE_SAMPLES = 100_000;

/** Samples that start an insert, and the time after which fewer do; upstream's figures. */
export const COLLECTOR_BATCH_SAMPLES = 1_000;
export const COLLECTOR_BATCH_INTERVAL_MS = 5_000;

/** Bytes of an OxQL query text, upstream's figure; beyond it the query is refused. */
export const QUERY_MAX_BYTES = 4_096;

/** Rows one query may fetch from the store, upstream's figure; beyond it the query is refused, saying what to narrow. */
export const QUERY_MAX_ROWS = 1_000_000;

/** Days that samples are kept. */
export const RETENTION_DAYS = 30;
