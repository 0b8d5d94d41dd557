import { Lifecycle } from "../runtime/index.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { loadSettings, withSettings, type GivenFlags, type SettingFlag, type Settings } from "./settings-flags.ts";
import { END_HELP, waitForEnd } from "./wait-for-end.ts";
import { announce } from "./write.ts";

/** Time that a part gets to finish what it has in hand. */
export const PART_STOP_MS = 4_000;

/** A part of `zonemeter up` that can be a process of its own. */
export interface Part {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly SettingFlag[];
  /** Starts the part and gives the lines that say where it is. */
  readonly start: (settings: Settings, running: Lifecycle) => Promise<string[]>;
}

/** `zonemeter NAME` */
export function partCommand(part: Part): CommandDefinition {
  return {
    define(program, run) {
      const command = program.command(part.name).description(part.description).addHelpText("after", END_HELP);
      withSettings(command, part.flags).action((flags: GivenFlags) => run((context) => runPart(part, flags, context)));
    },
  };
}

async function runPart(part: Part, flags: GivenFlags, context: CommandContext): Promise<number> {
  const settings = await loadSettings(flags, context);
  const running = new Lifecycle(settings.logger);
  let clean = true;
  try {
    const lines = await part.start(settings, running);
    await announce(context.stdout, `ready ${lines.join(", ")}`, settings.logger);
    await waitForEnd(context.signal);
  } finally {
    clean = await running.stop(PART_STOP_MS + 500);
  }
  return clean ? 0 : 1;
}
