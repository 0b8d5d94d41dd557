export { customerHandlers, operatorHandlers, type OperatorHandlerOptions } from "./api-handlers.ts";
export { QueryService, type Principal, type QueryAnswer, type QueryServiceOptions } from "./query-service.ts";
