import { describeConfig, loadConfig } from "../config/index.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { writeAll } from "./write.ts";

/** `zonemeter config check` */
export const configCommand: CommandDefinition = {
  define(program, run) {
    program
      .command("config")
      .description("look at the configuration")
      .command("check")
      .description("check the configuration and show every setting with where it comes from")
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
  for (const name of loaded.unknownVariables) context.stderr.write(`zonemeter: the variable ${name} looks like a setting and is none.\n`);
  return 0;
}
