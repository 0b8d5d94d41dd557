export { API_VERSION_HEADER } from "./api-version.ts";
export { canonicalUuid } from "./exact-keywords.ts";
export type { Handler, HandlerRequest, HandlerResponse } from "./handler.ts";
export { DEFAULT_SERVER_LIMITS, type ServerLimits } from "./limits.ts";
export { loadDocument, type DocumentName, type OpenApiDocument } from "./openapi-document.ts";
export { compileOperations, type Checked, type CompiledOperation } from "./operations.ts";
export { pageOf, type Page } from "./paging.ts";
export { parseExactJson } from "./parse-exact-json.ts";
export { startServer, type Server, type ServerOptions } from "./server.ts";
