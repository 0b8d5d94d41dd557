import type { TimeseriesSchema } from "../core/index.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";
import type { Engine } from "./engine.ts";
import { checkGrants, type Attempt } from "./grants-check.ts";
import { openServerEngine, type ServerOptions } from "./server-engine.ts";
import { isAboutAccess, setupStatements, type SetupOptions } from "./setup.ts";

/** A ClickHouse server, or the folder of an embedded store. */
export type StorePlace = ServerOptions | (Pick<ServerOptions, "logger"> & { readonly dataDir: string });

/**
 * Runs a setup; `ran` is told each statement that was run. The embedded engine has its roles from files that it writes itself. Rejects as
 * opening a store does, and with the engine's fault where a statement fails: running it again goes on.
 */
export async function applySetup(place: StorePlace, options: SetupOptions, ran: (statement: string) => void): Promise<void> {
  await withEngine(place, options.customerNames, async (engine) => {
    for (const statement of setupStatements(options)) {
      if ("dataDir" in place && isAboutAccess(statement)) continue;
      await engine.run(statement);
      ran(statement);
    }
  });
}

/** Tries everything by which a customer could reach what is hidden. */
export async function tryGrants(place: StorePlace, customerNames: readonly string[]): Promise<readonly Attempt[]> {
  return withEngine(place, customerNames, (engine) => checkGrants(engine, customerNames));
}

/** Every name that customers may see: those declared so, and those of the visibility table. */
export function visibleNames(schemas: Iterable<TimeseriesSchema>, customerNames: readonly string[]): string[] {
  const declared = [...schemas].filter(({ visibility }) => visibility === "customer").map(({ timeseriesName }) => timeseriesName);
  return [...declared, ...customerNames];
}

async function withEngine<T>(place: StorePlace, customerNames: readonly string[], work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = "dataDir" in place ? await openEmbeddedEngine(place.dataDir, place.logger, customerNames) : await openServerEngine(place);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
