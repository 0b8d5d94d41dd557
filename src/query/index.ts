export { operatorHandlers, timeseriesHandlers, type OperatorHandlerOptions } from "./operator-api.ts";
export { QueryService, type Principal, type QueryAnswer, type QueryServiceOptions } from "./query-service.ts";
