export { IMPORT_TARGETS } from "./row-blocks.ts";
export { importRecordings, type ImportOptions, type ImportProgress, type ImportReport, type Notes } from "./import-recordings.ts";
