import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { IMPORT_MAX_DEPTH, IMPORT_MAX_FILES, messageOf, ZonemeterError } from "../core/index.ts";

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

export interface FoundFiles {
  /** Regular files in order of their paths, numbers in them by value, each file once. */
  readonly files: readonly FoundFile[];
  /** What could not be looked at, a sentence each. */
  readonly failures: readonly string[];
}

/**
 * All files that the paths name, folders with everything below them. Names that begin with a dot and what is neither file nor folder are passed over below
 * a folder; links to folders are followed only where they are named themselves.
 */
export async function findRecordings(paths: readonly string[]): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>();
  const failures: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    try {
      const found = await stat(path, { bigint: true });
      if (found.isDirectory()) return await walk(path, depth);
      const identity = `${found.dev}/${found.ino}`;
      if (found.isFile() && !files.has(identity)) files.set(identity, { path, bytes: Number(found.size) });
      else if (!found.isFile() && depth === 0) failures.push(`${path} is neither a file nor a folder.`);
    } catch (error) {
      if (error instanceof ZonemeterError) throw error;
      failures.push(`${path} cannot be read (${messageOf(error)}).`);
    }
    if (files.size > IMPORT_MAX_FILES) {
      throw new ZonemeterError("limit", `There are more than ${IMPORT_MAX_FILES} files: name fewer folders at a time.`);
    }
  };
  const walk = async (folder: string, depth: number): Promise<void> => {
    if (depth >= IMPORT_MAX_DEPTH) {
      throw new ZonemeterError("limit", `Folder ${folder} lies more than ${IMPORT_MAX_DEPTH} folders deep: name a folder further down.`);
    }
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.name.startsWith(".") && !(await isLinkToFolder(folder, entry))) await look(join(folder, entry.name), depth + 1);
    }
  };
  for (const path of paths) await look(path, 0);
  const collator = new Intl.Collator("en", { numeric: true });
  return { files: [...files.values()].sort((a, b) => collator.compare(a.path, b.path)), failures };
}

async function isLinkToFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return false;
  const found = await stat(join(folder, entry.name)).catch(() => null);
  return found?.isDirectory() ?? false;
}
