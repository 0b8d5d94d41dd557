import { open } from "node:fs/promises";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { ACCESS_FILE_MAX_BYTES, ACCESS_MAX_TOKENS, messageOf, PRINCIPAL_KINDS, ZonemeterError } from "../core/index.ts";
import { resolveAccess } from "./access-entries.ts";
import type { AccessList } from "./access-list.ts";

const NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const name = z
  .string("must be a text")
  .regex(NAME, "must be 1 to 63 lower-case letters, digits and hyphens, beginning with a letter and not ending with a hyphen");
const uuid = z.string("must be a UUID").regex(UUID, "must be a UUID").toLowerCase();
const label = z
  .string("must be a text")
  .regex(/^[^\p{C}"\\]{1,64}$/u, "must be 1 to 64 printable characters without quotes and backslashes");
const reference = z.string("must be a name or id");
const rights = {
  principal: z.enum(PRINCIPAL_KINDS, `must be one of ${PRINCIPAL_KINDS.join(", ")}`),
  silo: reference.optional(),
  projects: z.array(reference, "must be a list of names or ids").min(1, "must name a project").optional(),
};
/** What is wrong with a hash is said without showing it: it may be the token itself, by mistake. */
const sha256 = z
  .string("must be a text")
  .regex(/^[0-9a-f]{64}$/i, "must be 64 hexadecimal digits: the hash that `zonemeter token new` prints");

const FILE = z.strictObject({
  silo: z.array(z.strictObject({ name, id: uuid })).default([]),
  project: z.array(z.strictObject({ name, id: uuid, silo: reference })).default([]),
  token: z
    .array(z.strictObject({ name: label, sha256, ...rights }))
    .max(ACCESS_MAX_TOKENS, `must be at most ${ACCESS_MAX_TOKENS}`)
    .default([]),
  certificate: z.array(z.strictObject({ common_name: label, ...rights })).default([]),
});

/** A token file of the right shape, as it is written. */
export type AccessToml = z.infer<typeof FILE>;

/**
 * Reads a token file. Throws ZonemeterError `config` with one sentence that names the file and the entry, and shows nothing of a hash or token.
 */
export async function readAccessFile(file: string): Promise<AccessList> {
  const text = await readText(file);
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new ZonemeterError("config", `${file}:${error.line}:${error.column}: This is not TOML; correct the line.`, { cause: error });
  }
  const result = FILE.safeParse(document);
  if (!result.success) throw new ZonemeterError("config", `${file}: ${shapeFault(document, result.error.issues[0]!)}.`);
  return resolveAccess(file, result.data);
}

async function readText(file: string): Promise<string> {
  try {
    const handle = await open(file, "r");
    try {
      const { mode, size } = await handle.stat();
      if ((mode & 0o002) !== 0) throw new Error("every user may write to it; take that away with chmod o-w");
      if (size > ACCESS_FILE_MAX_BYTES) throw new Error(`it has more than ${ACCESS_FILE_MAX_BYTES} bytes`);
      return new TextDecoder("utf-8", { fatal: true }).decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new ZonemeterError("config", `The token file "${file}" cannot be used: ${messageOf(error)}.`, { cause: error });
  }
}

/** `token 2 ("alice"): silo must be a name or id` */
function shapeFault(document: unknown, issue: z.core.$ZodIssue): string {
  const [section, index, ...inner] = issue.path;
  const what = issue.code === "unrecognized_keys" ? `has no key ${issue.keys.map((key) => `"${key}"`).join(", ")}` : issue.message;
  if (section === undefined) return `a token file ${what}; there are silo, project, token and certificate`;
  if (typeof index !== "number")
    return `${String(section)} ${what.replace(/^Invalid input.*/, `must be written as [[${String(section)}]]`)}`;
  const entry = (document as Record<string, unknown[]>)[String(section)]?.[index] as Record<string, unknown> | undefined;
  const named = entry?.["name"] ?? entry?.["common_name"];
  const shown = typeof named === "string" ? ` (${JSON.stringify(named.slice(0, 64))})` : "";
  const field = inner.length === 0 ? "" : ` ${inner.filter((step) => typeof step === "string").join(".")}`;
  return `${String(section)} ${index + 1}${shown}:${field} ${what.replace(/^Invalid input.*/, "is not as it must be")}`;
}
