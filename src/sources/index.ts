export { BUILD_DATE_NS, CLOCK_GATES, waitForTrustedClock, type ClockGate, type ClockGateOptions } from "./clock-gate.ts";
export { createSources, defaultSourceName, parseSourceNames, type OpenedSource } from "./create-sources.ts";
export { openIdentityBook, type IdentityBook, type Incarnation } from "./identity.ts";
export { createReplaySource, type ReplayOptions, type ReplayProgress, type ReplaySource } from "./replay.ts";
export { localSledIdentity, type SledIdentityOptions } from "./sled-identity.ts";
export { SOURCES, type SourceCommand, type SourceOptions, type SourceRow } from "./source-table.ts";
export * from "./source.ts";
