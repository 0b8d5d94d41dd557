import type { ClickHouseClient, createClient } from "@clickhouse/client";
import { messageOf, ZonemeterError } from "../core/index.ts";

export type ServerClient = ClickHouseClient;

/** Loads the client of ClickHouse servers on first use: a machine whose store is embedded needs none. Throws ZonemeterError `unavailable`. */
export async function loadServerClient(): Promise<typeof createClient> {
  try {
    return (await import("@clickhouse/client")).createClient;
  } catch (error) {
    throw new ZonemeterError(
      "unavailable",
      `The client of ClickHouse servers (npm package @clickhouse/client) does not load (${messageOf(error)}): install it, or leave --store out.`,
      { cause: error },
    );
  }
}
