import type { Command } from "commander";

/** What a command may touch of its process. `signal` fires on SIGINT and SIGTERM; a command that was asked to end returns soon. */
export interface CommandContext {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** The body of a command. Resolves with the exit code; throws ZonemeterError for everything that is wrong. */
export type CommandAction = (context: CommandContext) => Promise<number>;

/**
 * One command of the CLI. `define` adds it to the program; when commander has parsed its arguments, its handler calls `run` with the
 * body. Data goes to stdout, everything else to stderr.
 */
export interface CommandDefinition {
  define(program: Command, run: (action: CommandAction) => Promise<void>): void;
}
