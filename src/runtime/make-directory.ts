import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a directory and those above it. Node's own recursive mkdir never returns where a file system refuses names that its
 * directories do not have, as /proc does; this rejects with the error of the file system.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || (await exists(parent))) throw error;
    await makeDirectory(parent, mode);
    await mkdir(path, { mode });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
