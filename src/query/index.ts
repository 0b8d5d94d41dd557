export { customerHandlers, operatorHandlers, type OperatorHandlerOptions } from "./api-handlers.ts";
export type { Audience } from "./audience.ts";
export { GuardedData, WallBreach } from "./guarded-data.ts";
export { QueryService, type QueryAnswer, type QueryRequest, type QueryServiceOptions } from "./query-service.ts";
