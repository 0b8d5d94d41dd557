import type { Command } from "commander";
import { loadConfig, type Config, type SettingName } from "../config/index.ts";
import { createLogger, type Logger } from "../runtime/index.ts";
import type { CommandContext } from "./command.ts";

/** Flags that stand for settings: how commander reads each, and the setting's full name. */
const FLAGS = {
  dataDir: {
    flag: "--data-dir <folder>",
    setting: "up.data_dir",
    help: "where everything is kept (default: zonemeter-data)",
    repeat: false,
  },
  store: { flag: "--store <url>", setting: "store.url", help: "a ClickHouse server instead of the embedded store", repeat: false },
  source: {
    flag: "--source <names>",
    setting: "producer.sources",
    help: "what measures: kstat, zonestat, vmusage, cgroup; several with commas between (default: the platform's own)",
    repeat: false,
  },
  replay: {
    flag: "--replay <file>",
    setting: "up.replay",
    help: "play a recording of kstat, zonestat, prstat -Z or sample instead of measuring this machine (repeatable)",
    repeat: true,
  },
  recordedStart: {
    flag: "--recorded-start <time>",
    setting: "up.recorded_start",
    help: "time of the first report of recordings that carry no times, such as 2026-11-20T00:00:00Z",
    repeat: false,
  },
  recordedInterval: {
    flag: "--recorded-interval <time>",
    setting: "up.recorded_interval",
    help: "time from one report of such a recording to the next, where its text does not tell",
    repeat: false,
  },
  sampleInterval: {
    flag: "--sample-interval <time>",
    setting: "producer.sample_interval",
    help: "time between samples (default: 10s)",
    repeat: false,
  },
  collectInterval: {
    flag: "--collect-interval <time>",
    setting: "producer.collect_interval",
    help: "time between collections (default: 30s)",
    repeat: false,
  },
  portBase: {
    flag: "--port-base <port>",
    setting: "up.port_base",
    help: "Nexus listens here, the other parts above (default: 12221)",
    repeat: false,
  },
} as const;

export type SettingFlag = keyof typeof FLAGS;

/** What commander makes of the flags. */
export type GivenFlags = Readonly<Partial<Record<SettingFlag | "config", string | string[]>>>;

/** Adds `--config` and the named flags to a command. */
export function withSettings(command: Command, names: readonly SettingFlag[]): Command {
  command.option("--config <file>", "a TOML file of settings (default: $ZONEMETER_CONFIG)");
  for (const name of names) {
    const { flag, help, repeat } = FLAGS[name];
    if (repeat) command.option(flag, help, (value: string, before: string[] | undefined) => [...(before ?? []), value]);
    else command.option(flag, help);
  }
  return command;
}

export interface Settings {
  readonly config: Config;
  /** What errors call a setting. */
  readonly named: SettingName;
  readonly logger: Logger;
}

/** The configuration that flags, environment and file make together, and the logger it asks for. */
export async function loadSettings(given: GivenFlags, context: CommandContext): Promise<Settings> {
  const flags: Record<string, string | readonly string[] | undefined> = {};
  for (const [name, { setting }] of Object.entries(FLAGS)) flags[setting] = given[name as SettingFlag];
  const file = typeof given.config === "string" ? given.config : null;
  const { config, named } = await loadConfig({ file, env: context.env, flags });
  return { config, named, logger: createLogger(config.log.level) };
}
