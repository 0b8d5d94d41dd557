import type { Command } from "commander";
import type { Config } from "../config/index.ts";
import { ZonemeterError } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import { loadCatalogue, loadCustomerNames } from "../schema/index.ts";
import { applySetup, setupStatements, tryGrants, visibleNames, type StorePlace } from "../store/index.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { aboutServer } from "./open-store.ts";
import { loadSettings, withSettings, type GivenFlags } from "./settings-flags.ts";
import { writeAll } from "./write.ts";

type InitFlags = GivenFlags & { readonly cluster?: boolean; readonly print?: boolean; readonly stockOximeter?: boolean };

/** `zonemeter store init | grants` */
export const storeCommand: CommandDefinition = {
  define(program, run) {
    const store: Command = program.command("store").description("set up a store, and check who may read what");
    const init = store
      .command("init")
      .description("make what a store needs and has not: databases, tables, roles, rights and row policies");
    withSettings(init, ["store"]);
    init
      .option("--cluster", "replicated tables on every node of cluster oximeter_cluster")
      .option("--print", "print the statements instead of running them")
      .option("--stock-oximeter", "Oxide's own collector writes into database oximeter: copy what is for operators out of it")
      .action((flags: InitFlags) => run((context) => setUp(flags, context)));
    const grants = store.command("grants").description("try, as a customer, to get at what only operators may see");
    withSettings(grants, ["store"]);
    grants.requiredOption("--check", "run every attempt; exit 1 where one gets at something");
    grants.action((flags: GivenFlags) => run((context) => check(flags, context)));
  },
};

async function setUp(flags: InitFlags, context: CommandContext): Promise<number> {
  const { config, logger, named } = await loadSettings(flags, context);
  const schemas = [...loadCatalogue()];
  const setup = {
    schemas,
    customerNames: visibleNames(schemas, loadCustomerNames()),
    retentionDays: config.store.retentionDays,
    cluster: flags.cluster === true,
    stockOximeter: flags.stockOximeter === true,
  };
  if (flags.print === true) {
    await writeAll(
      context.stdout,
      setupStatements(setup).map((statement) => `${statement};\n`),
    );
    return 0;
  }
  if (setup.cluster && config.store.url === null)
    throw new ZonemeterError("usage", "--cluster is for a ClickHouse server: name one with --store, or give --print.");
  let done = 0;
  const work = applySetup(placeOf(config, logger), setup, () => (done += 1));
  await (config.store.url === null ? work : aboutServer(named, work));
  await writeAll(context.stdout, [`${done} statements run; the store is set up\n`]);
  return 0;
}

async function check(flags: GivenFlags, context: CommandContext): Promise<number> {
  const { config, logger, named } = await loadSettings(flags, context);
  const work = tryGrants(placeOf(config, logger), visibleNames(loadCatalogue(), loadCustomerNames()));
  const attempts = await (config.store.url === null ? work : aboutServer(named, work));
  const leaks = attempts.filter(({ outcome }) => outcome === "leak").length;
  const tells = attempts.filter(({ outcome }) => outcome === "tells").length;
  await writeAll(context.stdout, [
    ...attempts.map(({ outcome, statement }) => `${outcome.padEnd(8)} ${statement}\n`),
    `${attempts.length} attempts, ${leaks} leaks; ${tells} tell whether a guessed table exists to who may write SQL as a customer\n`,
  ]);
  return leaks === 0 ? 0 : 1;
}

function placeOf({ store }: Config, logger: Logger): StorePlace {
  const { dataDir, password, tlsCa, url, user } = store;
  return url === null ? { dataDir, logger } : { url, user, password, tlsCa, logger };
}
