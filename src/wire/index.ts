export * from "./collection-headers.ts";
export * from "./csv.ts";
export * from "./exact-json.ts";
export * from "./ndjson.ts";
export * from "./prometheus-text.ts";
export { parseExactJson } from "./parse-exact-json.ts";
export { ProducerResultsReader, readProducerResults } from "./read-producer-results.ts";
export { writeProducerResults, type ProducerResultToWrite } from "./write-producer-results.ts";
