import { messageOf, ZonemeterError } from "../core/index.ts";

/** What this room uses of the npm package chdb, an optional dependency of half a gigabyte. */
export interface ChdbModule {
  readonly Session: new (path: string, options: { readonly connectionArgs: readonly string[] }) => ChdbSession;
  /** Resolves when nothing native runs any more, also work whose caller has gone. */
  drainPending(): Promise<void>;
}

/** One connection to the data path. It runs one statement at a time; several sessions run side by side. */
export interface ChdbSession {
  queryAsync(text: string, options: { readonly format: string }): Promise<ChdbResult>;
  close(): void;
}

export interface ChdbResult {
  /** Seconds. */
  readonly elapsed: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
  bytes(): Uint8Array;
}

/** Loads the engine on first use. Throws ZonemeterError `unavailable` where it is not installed or has no build for the platform. */
export async function loadChdb(load: () => Promise<unknown> = () => import("chdb" as string)): Promise<ChdbModule> {
  try {
    return (await load()) as ChdbModule;
  } catch (error) {
    throw new ZonemeterError(
      "unavailable",
      `${whyMissing(error)}: name a ClickHouse server as the store, or use a platform that has a build.`,
      { cause: error },
    );
  }
}

function whyMissing(error: unknown): string {
  const platform = `${process.platform}-${process.arch}`;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "CHDB_PLATFORM") return `The embedded ClickHouse (npm package chdb) has no build for ${platform}`;
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND")
    return `The embedded ClickHouse (npm package chdb) is not installed here, which is ${platform}`;
  return `The embedded ClickHouse (npm package chdb) does not load on ${platform} (${messageOf(error)})`;
}
