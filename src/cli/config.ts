import { describeConfig, loadConfig, unknownVariables } from "../config/index.ts";
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
  const strays = unknownVariables(context.env);
  for (const sentence of strays) context.stderr.write(`zonemeter: ${sentence}\n`);
  return strays.length === 0 ? 0 : 2;
}
