import type { CommandDefinition } from "./command.ts";

export type { CommandAction, CommandContext, CommandDefinition } from "./command.ts";
export { tellUnknownVariables } from "./tell-unknown-variables.ts";
export { usageSentence } from "./usage-sentence.ts";
export { outputFault } from "./write.ts";
export { VERSION } from "./version.ts";

/** Commands of one module. It is loaded when one of them is asked for, or all are: loading everything would be most of a short command's time. */
export interface CommandRow {
  readonly names: readonly string[];
  readonly load: () => Promise<readonly CommandDefinition[]>;
  /** The command itself refuses variables that are no settings; before others these are told. */
  readonly checksVariables?: true;
}

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly CommandRow[] = [
  { names: ["up"], load: async () => [(await import("./up.ts")).upCommand] },
  { names: ["query"], load: async () => [(await import("./query.ts")).queryCommand] },
  { names: ["explain"], load: async () => [(await import("./explain.ts")).explainCommand] },
  { names: ["compare"], load: async () => [(await import("./compare.ts")).compareCommand] },
  { names: ["sample"], load: async () => [(await import("./sample.ts")).sampleCommand] },
  { names: ["import"], load: async () => [(await import("./import.ts")).importCommand] },
  { names: ["schema"], load: async () => [(await import("./schema.ts")).schemaCommand] },
  { names: ["producer"], load: loadProducer },
  { names: ["collector", "nexus", "api"], load: async () => (await import("./parts.ts")).partCommands },
  { names: ["config"], load: async () => [(await import("./config.ts")).configCommand], checksVariables: true },
  { names: ["store"], load: async () => [(await import("./store.ts")).storeCommand] },
  { names: ["token"], load: async () => [(await import("./token.ts")).tokenCommand] },
];

async function loadProducer(): Promise<readonly CommandDefinition[]> {
  (await import("../runtime/index.ts")).keepHeapSmall();
  return [(await import("./producer.ts")).producerCommand];
}
