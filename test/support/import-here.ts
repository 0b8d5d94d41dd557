import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Command } from "commander";
import { importCommand } from "../../src/cli/import.ts";
import { ZonemeterError } from "../../src/core/index.ts";
import type { Finished } from "./zonemeter-process.ts";

/** Runs `zonemeter import` in this process, which spares a test the start of another one. */
export async function importHere(dataDir: string, ...args: string[]): Promise<Finished> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const texts = Promise.all([text(stdout), text(stderr)]);
  let code = 0;
  const program = new Command().exitOverride();
  importCommand.define(program, async (action) => {
    code = await action({ stdout, stderr, env: {}, signal: new AbortController().signal });
  });
  try {
    await program.parseAsync(["import", "--data-dir", dataDir, ...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof ZonemeterError)) throw error;
    stderr.write(`zonemeter: ${error.message}\n`);
    code = error.exitCode;
  }
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { code, stdout: out, stderr: err };
}
