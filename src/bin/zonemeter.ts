#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { COMMANDS, outputFault, tellUnknownVariables, usageSentence, VERSION, type CommandAction } from "../cli/index.ts";
import { messageOf, ZonemeterError } from "../core/index.ts";

const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** As of a process that SIGPIPE ended, which Node keeps from happening: who read stdout has gone, and needs no sentence. */
const EXIT_READER_GONE = 141;

const EXIT_CODES_HELP = `
Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 a needed service or source is missing,
130 ended by Ctrl-C, 143 cut short by SIGTERM, 141 the reader of the output has gone.`;

/** What went wrong with stdout first. */
let stdoutFault: NodeJS.ErrnoException | null = null;
process.stdout.on("error", (error: NodeJS.ErrnoException) => (stdoutFault ??= error));
// A sentence that nobody can read must not end what it tells of.
process.stderr.on("error", () => undefined);

/** Time that a command has to end after a signal; what has not ended by then is cut off. */
const LAST_WORK_MS = 10_000;

/** How often it is looked whether npx is still there. */
const PARENT_LOOK_MS = 500;

/** Ends as the signal itself would: an orderly exit would tear down what other threads still use. */
function cutOff(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** npx does not hand a signal on: it is gone, and this process would go on without anybody who knows of it. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    end();
  }, PARENT_LOOK_MS).unref();
}

/** Runs the command line and resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const controller = new AbortController();
  let caught: keyof typeof EXIT_BY_SIGNAL | null = null;
  const end = (name: keyof typeof EXIT_BY_SIGNAL): void => {
    // A second signal means that the user does not want to wait for the flush.
    if (caught !== null) return cutOff(name);
    caught = name;
    controller.abort(new Error(`ended by ${name}`));
    setTimeout(() => cutOff(name), LAST_WORK_MS).unref();
  };
  for (const name of Object.keys(EXIT_BY_SIGNAL) as (keyof typeof EXIT_BY_SIGNAL)[]) process.on(name, () => end(name));
  // A closed terminal; a command that reads files again on SIGHUP listens for itself.
  process.on("SIGHUP", () => process.listenerCount("SIGHUP") === 1 && end("SIGTERM"));
  if (process.env["npm_command"] === "exec") endWithParent(() => end("SIGTERM"));

  const program = new Command("zonemeter")
    .description("CPU, memory and pressure of every zone, as Oximeter timeseries that only operators see.")
    .version(VERSION, "-V, --version")
    .addHelpText("after", EXIT_CODES_HELP)
    // What commander would print of an error is said in one sentence below; asked-for help goes to stdout.
    .configureOutput({ outputError: () => undefined, writeErr: () => undefined })
    .exitOverride();
  const asked = COMMANDS.filter(({ names }) => names.includes(argv[0] ?? ""));
  const run = async (action: CommandAction): Promise<void> => {
    const context = { stdout: process.stdout, stderr: process.stderr, env: process.env, signal: controller.signal };
    if (!asked.some(({ checksVariables }) => checksVariables)) await tellUnknownVariables(context);
    exitCode = await action(context);
  };
  for (const { load } of asked.length > 0 ? asked : COMMANDS) for (const command of await load()) command.define(program, run);

  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (caught !== null && controller.signal.aborted && !(error instanceof ZonemeterError)) return EXIT_BY_SIGNAL[caught];
    // Help and version come as errors too.
    if (!(error instanceof CommanderError && error.exitCode === 0)) return report(error);
  }
  // Services end in order and with 0 when they are asked to, which SIGTERM does; a person's Ctrl-C shows in the code all the same.
  if (caught === "SIGINT" && exitCode === 0) return EXIT_BY_SIGNAL.SIGINT;
  if (caught === null && exitCode === 0) await stdoutEmpty();
  return caught === null && exitCode === 0 && stdoutFault !== null ? report(outputFault(stdoutFault)) : exitCode;
}

/** Resolves when everything has left for the pipe or file, or could not. */
function stdoutEmpty(): Promise<void> {
  return new Promise((resolve) => process.stdout.write("", () => resolve()));
}

/** Prints one sentence to stderr and gives the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    process.stderr.write(`zonemeter: ${usageSentence(error)}\n`);
    return 2;
  }
  if (error instanceof ZonemeterError && error.code === "output" && stdoutFault?.code === "EPIPE") return EXIT_READER_GONE;
  if (error instanceof ZonemeterError) {
    process.stderr.write(`zonemeter: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(`zonemeter: internal error: ${messageOf(error)}\n`);
  return 1;
}

const exitCode = await main(process.argv.slice(2));
await stdoutEmpty();
process.exit(exitCode);
