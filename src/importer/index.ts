export { importRecordings, type ImportOptions, type ImportProgress, type ImportReport, type Notes } from "./import-recordings.ts";
