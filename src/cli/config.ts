import { describeConfig, loadConfig, unknownVariables, type LoadedConfig } from "../config/index.ts";
import { silentLogger } from "../runtime/index.ts";
import { checkServerOptions } from "../store/index.ts";
import { openApiAccess } from "./api-access.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { listenersOf } from "./listeners.ts";
import { checkSourceNames } from "./open-sources.ts";
import { writeAll } from "./write.ts";

/** `zonemeter config check` */
export const configCommand: CommandDefinition = {
  define(program, run) {
    program
      .command("config")
      .description("look at the configuration")
      .command("check")
      .description("check the configuration as a start would, and show every setting with where it comes from")
      .option("--config <file>", "a TOML file of settings (default: $ZONEMETER_CONFIG)")
      .action((flags: { config?: string }) => run((context) => check(flags.config ?? null, context)));
  },
};

async function check(file: string | null, context: CommandContext): Promise<number> {
  const loaded = await loadConfig({ file, env: context.env, flags: {} });
  const settings = describeConfig(loaded);
  const nameWidth = Math.max(...settings.map(({ name }) => name.length));
  const valueWidth = Math.max(...settings.map(({ value }) => value.length));
  await writeAll(
    context.stdout,
    settings.map(({ name, value, origin }) => `${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${origin}\n`),
  );
  const strays = unknownVariables(context.env);
  for (const sentence of strays) context.stderr.write(`zonemeter: ${sentence}\n`);
  await checkTogether(loaded);
  return strays.length === 0 ? 0 : 2;
}

/** Settings that are right each, and not together: throws what a start of `up` or of one of its parts would. */
async function checkTogether({ config, named }: LoadedConfig): Promise<void> {
  checkSourceNames(config);
  const { tlsCa, url } = config.store;
  if (url !== null) checkServerOptions({ url, tlsCa });
  const access = await openApiAccess({ config, named, logger: silentLogger });
  access.close();
  for (const command of ["up", "collector", "api"] as const) listenersOf(command, config, access, named);
}
