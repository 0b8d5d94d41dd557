export * from "./backoff.ts";
export * from "./deadline.ts";
export * from "./hangup.ts";
export * from "./kept-id.ts";
export * from "./lifecycle.ts";
export * from "./logger.ts";
export * from "./loop.ts";
export * from "./make-directory.ts";
