import { randomUUID } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, ZonemeterError } from "../core/index.ts";
import type { Logger } from "./logger.ts";
import { makeDirectory } from "./make-directory.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The id of a `role` (producer, collector): made once and kept in the state directory, so that a restarted process takes its old place.
 * A file that holds no id is replaced. Throws ZonemeterError `config` where the directory cannot be used.
 */
export async function loadKeptId(stateDir: string, role: string, logger: Logger): Promise<string> {
  const file = join(stateDir, `${role}-id`);
  try {
    const text = (await readFile(file, "latin1")).trim().toLowerCase();
    if (UUID.test(text)) return text;
    logger.warn({ file }, `The file ${file} holds no ${role} id; this ${role} gets a new one.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unusable(stateDir, error);
  }
  const id = randomUUID();
  try {
    await makeDirectory(stateDir);
    await writeWhole(file, `${id}\n`);
  } catch (error) {
    throw unusable(stateDir, error);
  }
  return id;
}

/** Either the old content or the new one is there after a crash, never a part. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.new`;
  const handle = await open(draft, "w", 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

function unusable(stateDir: string, error: unknown): ZonemeterError {
  return new ZonemeterError(
    "config",
    `The state directory ${stateDir} cannot be used (${messageOf(error)}): name one that this user may write to.`,
    { cause: error },
  );
}
