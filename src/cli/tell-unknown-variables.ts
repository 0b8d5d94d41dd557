import type { CommandContext } from "./command.ts";

/** Warns on stderr of variables that look like settings and are none: another program may have set them, so they are told, not refused. */
export async function tellUnknownVariables({ env, stderr }: Pick<CommandContext, "env" | "stderr">): Promise<void> {
  // The settings take longer to load than a short command has.
  if (!Object.keys(env).some((name) => name.startsWith("ZONEMETER_"))) return;
  const { unknownVariables } = await import("../config/index.ts");
  for (const sentence of unknownVariables(env)) stderr.write(`zonemeter: ${sentence}\n`);
}
