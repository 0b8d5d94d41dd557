export type { Engine, EngineColumn, EngineQuery, EngineResult, RowInsert } from "./engine.ts";
export { openEmbeddedStore, type EmbeddedStoreOptions } from "./open-embedded-store.ts";
export { openImportStore, type ImportStoreOptions, type RowStore } from "./open-import-store.ts";
export { applySetup, tryGrants, visibleNames, type StorePlace } from "./open-engine.ts";
export type { Attempt } from "./grants-check.ts";
export { setupStatements, type SetupOptions } from "./setup.ts";
export { openServerStore, type ServerStoreOptions } from "./open-server-store.ts";
export * from "./store.ts";
export type { BlockColumn, BlockSeries, InsertRowsOptions, RowBlock, RowRefusal, RowsReport } from "./row-block.ts";
