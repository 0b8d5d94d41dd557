import { TEST_STORE } from "../support/store-at.ts";

// The tests of what a store does, over the engine that talks to a server. The server is a shim in front of ClickHouse in this process unless
// `make check-server URL=…` names a real one.
process.env[TEST_STORE] ??= "shim";

await import("./embedded-store.test.ts");
await import("./values.test.ts");
await import("./latest-zones.test.ts");
await import("./select.test.ts");
await import("./select-windows.test.ts");
await import("./refusals.test.ts");
