export { readAccessFile } from "./access-file.ts";
export type { AccessList, CertificateEntry, TokenEntry } from "./access-list.ts";
export {
  CONFIG_CLOCK_GATES,
  CONFIG_LOG_LEVELS,
  CONFIG_SOURCES,
  type Config,
  type ConfigClockGate,
  type ConfigLogLevel,
  type ConfigSource,
} from "./config.ts";
export { DEFAULTS } from "./defaults.ts";
export { describeConfig, renderConfigurationDoc, type DescribedSetting } from "./describe.ts";
export { loadConfig, type ConfigSources, type LoadedConfig, type Origins, type SettingName } from "./load.ts";
export { CONFIG_FILE_VARIABLE, unknownVariables } from "./variables.ts";
