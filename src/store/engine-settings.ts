import { STORE_BLOCK_CACHE_BYTES, STORE_ENGINE_MEMORY_BYTES, STORE_MARK_CACHE_BYTES, STORE_STATEMENT_MEMORY_BYTES } from "../core/index.ts";

/** Settings of the process-wide engine: defaults assume the whole machine. */
const SERVER_SETTINGS: Readonly<Record<string, string | number>> = {
  max_server_memory_usage: STORE_ENGINE_MEMORY_BYTES,
  mark_cache_size: STORE_MARK_CACHE_BYTES,
  uncompressed_cache_size: STORE_BLOCK_CACHE_BYTES,
  index_mark_cache_size: 1_000_000,
  index_uncompressed_cache_size: 0,
  query_condition_cache_size: 0,
  mmap_cache_size: 0,
  background_pool_size: 2,
};

/** Settings of every statement. Those about reading were measured one by one: 20 to 40 % of a short question's time. */
const STATEMENT_SETTINGS: Readonly<Record<string, string | number>> = {
  max_threads: 2,
  max_insert_threads: 1,
  max_memory_usage: STORE_STATEMENT_MEMORY_BYTES,
  use_uncompressed_cache: 1,
  use_query_condition_cache: 0,
  local_filesystem_read_method: "pread",
  storage_file_read_method: "pread",
  optimize_use_projections: 0,
  optimize_use_implicit_projections: 0,
  query_profiler_real_time_period_ns: 0,
  query_profiler_cpu_time_period_ns: 0,
  // Replayed recordings may span any number of days, and each day is a partition.
  max_partitions_per_insert_block: 0,
  // Lists of series ids.
  max_query_size: 64_000_000,
  max_ast_elements: 5_000_000,
  max_expanded_ast_elements: 5_000_000,
};

/** As the embedded engine takes them when it starts. */
export const ENGINE_ARGUMENTS: readonly string[] = Object.entries({ ...SERVER_SETTINGS, ...STATEMENT_SETTINGS }).map(
  ([name, value]) => `--${name}=${value}`,
);

/** Of a server, only what our statements need: all else is its operator's to set. */
export const SERVER_STATEMENT_SETTINGS = {
  max_query_size: "64000000",
  max_ast_elements: "5000000",
  max_expanded_ast_elements: "5000000",
  max_partitions_per_insert_block: "0",
} as const;
