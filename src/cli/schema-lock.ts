import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, ZonemeterError } from "../core/index.ts";
import {
  checkLock,
  emptyLock,
  errorsOf,
  freeze,
  LOCK_FILE,
  readLock,
  readSchemaFiles,
  readSchemaSet,
  renderLock,
  schemasOfSet,
  type Finding,
  type Lock,
} from "../schema/index.ts";
import type { CommandContext } from "./command.ts";
import { printFindings, shownFolder, type FindingFormat } from "./print-findings.ts";
import { widenedNames } from "./schema-diff.ts";

export interface LockFlags {
  readonly dir: string;
  readonly onlyCheck: boolean;
  readonly widen: readonly string[];
  readonly format: FindingFormat;
}

/** `zonemeter schema lock [--check]`: adds what is new to the lock file, unless something that it holds has changed. */
export async function lockSchemas(flags: LockFlags, context: CommandContext): Promise<number> {
  const dir = shownFolder(flags.dir);
  const set = readSchemaSet(readSchemaFiles([dir]), { ours: true });
  if (errorsOf(set.findings).length > 0) return printFindings(set.findings, flags.format, context);
  const lock = readLockOf(dir);
  if (!("frozen" in lock)) return printFindings([lock], flags.format, context);
  const widened = widenedNames(flags.widen, set);
  const findings = checkLock(lock, set, { widened, onlyChanges: !flags.onlyCheck });
  if (flags.onlyCheck || findings.length > 0) return printFindings(findings, flags.format, context);

  const frozen = freeze(schemasOfSet(set));
  const text = renderLock(frozen);
  if (text !== lock.text) writeWhole(lock.file, text);
  context.stdout.write(`${lock.file}: ${frozen.size} timeseries\n`);
  return 0;
}

/** The lock file of a folder; an empty lock where there is none yet, and a finding where it cannot be read as one. */
export function readLockOf(dir: string): Lock | Finding {
  const file = join(dir, LOCK_FILE);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return emptyLock(file);
    throw new ZonemeterError("usage", `Lock file "${file}" cannot be read (${messageOf(error)}); make it readable.`, { cause: error });
  }
  return readLock(file, text);
}

/** Writes a file so that a reader finds the old text or the new one, never a part. */
function writeWhole(file: string, text: string): void {
  try {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new ZonemeterError(
      "usage",
      `Lock file "${file}" cannot be written (${messageOf(error)}); name a folder that can be with --dir.`,
      { cause: error },
    );
  }
}
