import { ZonemeterError } from "../core/index.ts";
import type { Config } from "./config.ts";
import { DEFAULTS } from "./defaults.ts";
import { environmentName, fullName, SETTINGS, type Setting } from "./settings.ts";
import { readConfigFile } from "./toml-file.ts";
import { CONFIG_FILE_VARIABLE } from "./variables.ts";

export interface ConfigSources {
  /** The file that `--config` names; null looks at ZONEMETER_CONFIG. Without either there is none. */
  readonly file: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was given on the command line, by the setting's full name, such as `up.data_dir`: text, or texts where it is a list. Undefined: not given. */
  readonly flags: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Where a value came from: `default`, `FILE:LINE:COLUMN`, the name of a variable or of a flag. */
export type Origins = ReadonlyMap<Setting, string>;

/** What errors call a setting by its full name: with where its value comes from, `up.data_dir (ZONEMETER_UP_DATA_DIR)`. */
export type SettingName = (name: string) => string;

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: Origins;
  readonly named: SettingName;
}

/**
 * Puts the configuration together: a flag counts more than the environment, that more than the file, that more than the default. Everything is
 * checked here, once. Throws ZonemeterError `config`, or `usage` for a flag: one sentence with the place, the value and what to write.
 */
export async function loadConfig({ file, env, flags }: ConfigSources): Promise<LoadedConfig> {
  const path = file ?? (env[CONFIG_FILE_VARIABLE] || null);
  const fileValues = path === null ? new Map<Setting, never>() : await readConfigFile(path);
  const unknownFlag = Object.keys(flags).find((name) => !SETTINGS.some((setting) => fullName(setting) === name));
  if (unknownFlag !== undefined) throw new Error(`no setting is called ${unknownFlag}`);

  const origins = new Map<Setting, string>();
  const sections: Record<string, Record<string, unknown>> = {};
  for (const setting of SETTINGS) {
    const section = (sections[setting.section] ??= { ...DEFAULTS[setting.section] });
    const name = fullName(setting);
    const variable = environmentName(setting);
    const given = flags[name];
    const inEnvironment = env[variable];
    const inFile = fileValues.get(setting);
    // A file is checked even where something else counts more, so that a mistake in it does not come up by surprise one day.
    if (inFile !== undefined) section[setting.key] = checked(setting, inFile.value, `${inFile.place}: ${name}`, "config");
    let origin = inFile?.place ?? "default";
    if (inEnvironment !== undefined && inEnvironment !== "") {
      section[setting.key] = checked(setting, setting.kind.fromText(inEnvironment), variable, "config");
      origin = variable;
    }
    if (given !== undefined) {
      const flagName = setting.flag ?? name;
      section[setting.key] = checked(setting, typeof given === "string" ? setting.kind.fromText(given) : given, flagName, "usage");
      origin = flagName;
    }
    origins.set(setting, origin);
  }
  return { config: freeze(sections) as unknown as Config, origins, named: (name) => named(name, origins) };
}

/** A value that nobody set is named with the flag that would set it. */
function named(name: string, origins: Origins): string {
  const setting = SETTINGS.find((candidate) => fullName(candidate) === name);
  if (setting === undefined) throw new Error(`no setting is called ${name}`);
  const origin = origins.get(setting)!;
  const where = origin === "default" ? setting.flag : origin;
  return where === null || where === name ? name : `${name} (${where})`;
}

function checked(setting: Setting, raw: unknown, what: string, code: "config" | "usage"): unknown {
  const result = setting.kind.check.safeParse(raw);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  // Within a list the entry that is wrong is shown, not the whole list.
  const culprit = issue.path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step], raw);
  throw new ZonemeterError(code, `${what} ${shown(setting, culprit)} ${issue.message}.`);
}

/** The value as it was written; of an address with a password nothing. */
function shown(setting: Setting, value: unknown): string {
  if (fullName(setting) === "store.password") return "(not shown)";
  if (fullName(setting) === "store.url" && typeof value === "string" && value.includes("@")) return "(not shown)";
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value).slice(0, 100) : String(value);
}

function freeze(sections: Record<string, Record<string, unknown>>): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  for (const section of Object.values(sections)) Object.freeze(section);
  return Object.freeze(sections);
}
