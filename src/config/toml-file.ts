import { readFile, stat } from "node:fs/promises";
import { parse, TomlError } from "smol-toml";
import { nearest, CONFIG_MAX_BYTES, messageOf, ZonemeterError } from "../core/index.ts";
import { fullName, SETTINGS, type Setting } from "./settings.ts";

/** A value of the file and where it stands, `FILE:LINE:COLUMN`. */
export interface FileValue {
  readonly value: unknown;
  readonly place: string;
}

/**
 * Reads a configuration file: the values it sets, unchecked. Throws ZonemeterError `config` naming the place where it is not TOML or holds a key
 * that is not a setting's.
 */
export async function readConfigFile(file: string): Promise<ReadonlyMap<Setting, FileValue>> {
  const text = await readText(file);
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "");
    throw new ZonemeterError("config", `${file}:${error.line}:${error.column}: This is not TOML: ${reason}.`, { cause: error });
  }
  const values = new Map<Setting, FileValue>();
  for (const [section, table] of Object.entries(document)) {
    const own = SETTINGS.filter((setting) => setting.section === section);
    const place = placeOf(file, text, section, null);
    if (own.length === 0) throw unknownKey(place, "section", section, [...new Set(SETTINGS.map((setting) => setting.section))]);
    if (typeof table !== "object" || table === null || Array.isArray(table) || table instanceof Date) {
      throw new ZonemeterError("config", `${place}: "${section}" is not a section: write [${section}] above its settings.`);
    }
    for (const [name, value] of Object.entries(table)) {
      const setting = own.find((candidate) => candidate.name === name);
      if (setting === undefined) throw unknownSetting(placeOf(file, text, section, name), section, name, own);
      values.set(setting, { value, place: placeOf(file, text, section, name) });
    }
  }
  return values;
}

async function readText(file: string): Promise<string> {
  try {
    // A pipe that nobody writes to would be waited for without an end.
    if (!(await stat(file)).isFile()) throw new Error("it is not a regular file");
    const bytes = await readFile(file);
    if (bytes.length > CONFIG_MAX_BYTES) throw new Error(`it has more than ${CONFIG_MAX_BYTES} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ZonemeterError("config", `The configuration file "${file}" cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function unknownSetting(place: string, section: string, name: string, own: readonly Setting[]): ZonemeterError {
  const elsewhere = SETTINGS.find((setting) => setting.name === name);
  if (elsewhere !== undefined) {
    return new ZonemeterError(
      "config",
      `${place}: There is no setting "${section}.${name}"; "${name}" belongs to section [${elsewhere.section}].`,
    );
  }
  return unknownKey(place, "setting", `${section}.${name}`, own.map(fullName));
}

function unknownKey(place: string, what: string, name: string, valid: readonly string[]): ZonemeterError {
  const guess = nearest(name, valid);
  return new ZonemeterError(
    "config",
    `${place}: There is no ${what} "${name}"; ${guess === null ? `there are ${valid.join(", ")}` : `did you mean "${guess}"?`}`.replace(
      /([^?])$/,
      "$1.",
    ),
  );
}

/**
 * Where a key stands: the line that begins with it, below its section's header or with the section's name before it. smol-toml does not tell. A key
 * that is written in yet another way is placed at its section, and without that the file is named alone.
 */
function placeOf(file: string, text: string, section: string, name: string | null): string {
  const key = (word: string): string => `["']?${word.replaceAll(/[^\w-]/g, "\\$&")}["']?`;
  const dottedSection = new RegExp(`^\\s*${key(section)}\\s*[.=]`);
  const ownKey = name === null ? null : new RegExp(`^\\s*${key(name)}\\s*[.=]`);
  const dottedKey = name === null ? null : new RegExp(`^\\s*${key(section)}\\s*\\.\\s*${key(name)}\\s*[.=]`);
  let current = "";
  let sectionPlace: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const place = `${file}:${index + 1}:${line.search(/\S/) + 1}`;
    const header = /^\s*\[{1,2}\s*["']?([^\]"']+?)["']?\s*\]/.exec(line);
    if (header !== null) current = header[1]!;
    if (current === section) {
      if (header !== null) sectionPlace ??= place;
      if (ownKey?.test(line) === true) return place;
    } else if (current === "") {
      if (dottedSection.test(line)) sectionPlace ??= place;
      if (dottedKey?.test(line) === true) return place;
    }
  }
  return sectionPlace ?? file;
}
