import { DEFAULTS } from "./defaults.ts";
import type { LoadedConfig } from "./load.ts";
import { environmentName, fullName, SETTINGS, type Setting } from "./settings.ts";

/** One setting as `zonemeter config check` shows it. */
export interface DescribedSetting {
  readonly name: string;
  /** As TOML would have it; passwords are hidden. */
  readonly value: string;
  readonly origin: string;
}

/** Every setting with its value and where that came from. */
export function describeConfig({ config, origins }: Pick<LoadedConfig, "config" | "origins">): DescribedSetting[] {
  return SETTINGS.map((setting) => ({
    name: fullName(setting),
    value: printed(setting, config),
    origin: origins.get(setting) ?? "default",
  }));
}

/** The page about the configuration. */
export function renderConfigurationDoc(): string {
  return `# Configuration

Every setting, with what may be written and what holds where nothing is. This page is made from \`src/config/settings.ts\` by \`make gen\`: change that.

A setting is looked for on the command line, then in the environment, then in the TOML file that \`--config\` or \`ZONEMETER_CONFIG\` names; the default is last.
In the file \`producer.listen\` stands as \`listen\` in section \`[producer]\`. Texts, addresses and durations stand in quotes, lists in brackets; in a variable or a flag
there are no quotes, and a list has commas. A file with a mistake in it is refused, with the place and what to write. \`zonemeter config check\` shows what holds
and where it comes from.

Commands that ask an API take its address from \`ZONEMETER_URL\` and a token from \`ZONEMETER_TOKEN\`, where no flag says otherwise. Any other variable that begins with
\`ZONEMETER_\` is most likely a slip: \`config check\` refuses it, every other command warns of it once and goes on. What Kubernetes sets for a service of that name is left alone.

${settingsTable()}`;
}

function settingsTable(): string {
  const rows = SETTINGS.map((setting) => {
    const cells = [
      `\`${fullName(setting)}\``,
      setting.kind.words,
      `\`${printed(setting, DEFAULTS)}\``,
      `\`${environmentName(setting)}\`${setting.flag === null ? "" : `, \`${setting.flag}\``}`,
      setting.description,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| setting | value | default | variable, flag | what it does |", "| --- | --- | --- | --- | --- |", ...rows, ""].join("\n");
}

function printed(setting: Setting, config: LoadedConfig["config"]): string {
  return setting.kind.print((config[setting.section] as Readonly<Record<string, unknown>>)[setting.key]);
}
