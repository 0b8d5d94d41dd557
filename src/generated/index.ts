export * as nexusProducers from "./nexus-producers/index.ts";
export * as operatorApi from "./operator-api/index.ts";
export * as oximeterCollector from "./oximeter-collector/index.ts";
export type { Answer, Call, Client } from "./transport.ts";
