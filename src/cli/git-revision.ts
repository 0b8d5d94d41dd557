import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf, SCHEMA_FILE_MAX_BYTES, SCHEMA_REVISION_TIMEOUT_MS, ZonemeterError } from "../core/index.ts";
import { decodeSchema, type SchemaText } from "../schema/index.ts";

const run = promisify(execFile);

/**
 * The `*.toml` of a folder as they were at a git revision. Throws ZonemeterError `usage` where the revision or the folder in it is not
 * known, `unavailable` where git cannot be run or does not end in time.
 */
export async function readSchemasOfRevision(revision: string, dir: string, signal: AbortSignal): Promise<SchemaText[]> {
  // Git would take such a name for an option.
  if (revision.startsWith("-")) throw unknownRevision(revision);
  const listed = await git(["ls-tree", "-z", "--name-only", revision], revision, dir, signal);
  const names = listed
    .toString("utf8")
    .split("\0")
    .filter((name) => name.endsWith(".toml"));
  if (names.length === 0) throw unknownRevision(revision);
  const texts: SchemaText[] = [];
  for (const name of names) {
    const file = `${revision}:./${name}`;
    texts.push({ file, text: decodeSchema(file, await git(["show", file], revision, dir, signal)) });
  }
  return texts;
}

async function git(args: readonly string[], revision: string, dir: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const { stdout } = await run("git", ["-C", dir, ...args], {
      encoding: "buffer",
      timeout: SCHEMA_REVISION_TIMEOUT_MS,
      maxBuffer: SCHEMA_FILE_MAX_BYTES,
      signal,
    });
    return stdout;
  } catch (error) {
    if (signal.aborted) throw error;
    // A number is git's own exit status: it ran and did not find what was asked for.
    if (typeof (error as { code?: unknown }).code === "number") throw unknownRevision(revision, error);
    throw new ZonemeterError("unavailable", `Git could not read revision "${revision}" (${messageOf(error)}); name a folder instead.`, {
      cause: error,
    });
  }
}

function unknownRevision(revision: string, cause?: unknown): ZonemeterError {
  const text = `"${revision}" is neither a folder nor a git revision that has the schemas; name one of the two.`;
  return new ZonemeterError("usage", text, { cause });
}
