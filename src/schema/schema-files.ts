import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { compareNames, messageOf, SCHEMA_FILE_MAX_BYTES, ZonemeterError } from "../core/index.ts";
import type { SchemaText } from "./schema-set.ts";

/**
 * Reads TOML files and all `*.toml` of folders (not of folders in them), in the order of names. Files are named as the caller named them.
 * Throws ZonemeterError `usage` for a path that cannot be read or a folder without a TOML file, `limit` for a file that is too long.
 */
export function readSchemaFiles(paths: readonly string[]): SchemaText[] {
  const files = new Set(paths.flatMap((path) => (isFolder(path) ? tomlFilesOf(path) : [path])));
  return [...files].map((file) => ({ file, text: decodeSchema(file, readBytes(file)) }));
}

/** The text of a schema file; null where the bytes are not UTF-8. */
export function decodeSchema(file: string, bytes: Uint8Array): string | null {
  if (bytes.length > SCHEMA_FILE_MAX_BYTES) {
    throw new ZonemeterError(
      "limit",
      `Schema file "${file}" has ${bytes.length} bytes; at most ${SCHEMA_FILE_MAX_BYTES} are read. Split it.`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
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
