import type { CommandDefinition } from "./command.ts";
import { compareCommand } from "./compare.ts";
import { configCommand } from "./config.ts";
import { importCommand } from "./import.ts";
import { explainCommand } from "./explain.ts";
import { partCommands } from "./parts.ts";
import { queryCommand } from "./query.ts";
import { sampleCommand } from "./sample.ts";
import { schemaCommand } from "./schema.ts";
import { storeCommand } from "./store.ts";
import { tokenCommand } from "./token.ts";
import { upCommand } from "./up.ts";

export type { CommandAction, CommandContext, CommandDefinition } from "./command.ts";
export { VERSION } from "./version.ts";

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly CommandDefinition[] = [
  upCommand,
  queryCommand,
  explainCommand,
  compareCommand,
  sampleCommand,
  importCommand,
  schemaCommand,
  ...partCommands,
  configCommand,
  storeCommand,
  tokenCommand,
];
