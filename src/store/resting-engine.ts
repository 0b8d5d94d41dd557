import type { Engine } from "./engine.ts";

/**
 * An embedded engine that merges nothing before something is stored: a visit that turns out to change nothing leaves the directory as it was, where
 * merged parts would lie beside their sources for a minute.
 */
export async function restUntilInsert(engine: Engine): Promise<Engine> {
  try {
    await engine.run("SYSTEM STOP MERGES");
  } catch (error) {
    await engine.close();
    throw error;
  }
  let resting = true;
  return {
    run: (statement) => engine.run(statement),
    async insert(insert) {
      if (resting) await engine.run("SYSTEM START MERGES");
      resting = false;
      await engine.insert(insert);
    },
    query: (query) => engine.query(query),
    measure: (query) => engine.measure(query),
    forCustomers: engine.forCustomers,
    runAsCustomer: (statement) => engine.runAsCustomer(statement),
    kill: (id) => engine.kill(id),
    close: () => engine.close(),
  };
}
