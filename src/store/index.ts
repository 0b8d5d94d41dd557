export type { Engine, EngineColumn, EngineQuery, EngineResult, RowInsert } from "./engine.ts";
export { openEmbeddedStore, type EmbeddedStoreOptions } from "./open-embedded-store.ts";
export { openServerStore, type ServerStoreOptions } from "./open-server-store.ts";
export * from "./store.ts";
export type { BlockColumn, BlockSeries, InsertRowsOptions, RowBlock, RowRefusal, RowsReport } from "./row-block.ts";
