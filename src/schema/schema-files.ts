import { readdirSync, readFileSync, realpathSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { compareNames, messageOf, SCHEMA_FILE_MAX_BYTES, ZonemeterError } from "../core/index.ts";
import type { SchemaText } from "./schema-set.ts";

/**
 * Reads TOML files and all `*.toml` of folders (not of folders in them), in the order of names. Files are named as the caller named them; one that
 * is named twice, also by another way to it, is read once. Throws ZonemeterError `usage` for a path that cannot be read or a folder without a TOML
 * file, `limit` for a file that is too long.
 */
export function readSchemaFiles(paths: readonly string[]): SchemaText[] {
  const files = new Map<string, string>();
  for (const file of paths.flatMap((path) => (statOf(path).isDirectory() ? tomlFilesOf(path) : [path]))) {
    const { size } = regularFile(file);
    if (size > SCHEMA_FILE_MAX_BYTES) throw tooLong(file, size);
    const identity = realpathSync(file);
    if (!files.has(identity)) files.set(identity, file);
  }
  return [...files.values()].map((file) => ({ file, text: decodeSchema(file, readBytes(file)) }));
}

/** The text of a schema file; null where the bytes are not UTF-8. */
export function decodeSchema(file: string, bytes: Uint8Array): string | null {
  if (bytes.length > SCHEMA_FILE_MAX_BYTES) throw tooLong(file, bytes.length);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** A pipe that nobody writes to would be waited for without an end. */
function regularFile(path: string): Stats {
  const found = statOf(path);
  if (!found.isFile()) throw unreadable(path, new Error("it is not a regular file"));
  return found;
}

function tomlFilesOf(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".toml"));
  } catch (error) {
    throw unreadable(folder, error);
  }
  if (names.length === 0) throw new ZonemeterError("usage", `Folder "${folder}" holds no .toml file; name a folder or file that does.`);
  return names.sort(compareNames).map((name) => join(folder, name));
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(path: string, error: unknown): ZonemeterError {
  const code = (error as NodeJS.ErrnoException).code;
  const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${messageOf(error)})`;
  return new ZonemeterError("usage", `Schema path "${path}" ${reason}; name an existing file or folder.`, { cause: error });
}

function tooLong(file: string, bytes: number): ZonemeterError {
  return new ZonemeterError("limit", `Schema file "${file}" has ${bytes} bytes; at most ${SCHEMA_FILE_MAX_BYTES} are read. Split it.`);
}
