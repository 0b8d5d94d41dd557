import { join, resolve } from "node:path";
import { Option } from "commander";
import type { Config } from "../config/index.ts";
import { systemClock, ZonemeterError, type Catalogue } from "../core/index.ts";
import { importRecordings, IMPORT_TARGETS, type ImportReport } from "../importer/index.ts";
import { createLogger, type Logger } from "../runtime/index.ts";
import { loadCatalogue } from "../schema/index.ts";
import { findRecordings, type SledIdentity } from "../sources/index.ts";
import { openImportStore, type RowStore } from "../store/index.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { renderImportReport } from "./import-report.ts";
import { ImportProgressLine } from "./import-progress.ts";
import { configuredSled, recordedTimes } from "./open-sources.ts";
import { loadSettings, withSettings, type GivenFlags } from "./settings-flags.ts";
import { writeAll } from "./write.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type ImportFlags = GivenFlags & { readonly sled?: string; readonly sledId?: string; readonly dryRun?: true };

/** `zonemeter import PATH…` */
export const importCommand: CommandDefinition = {
  define(program, run) {
    const command = program
      .command("import")
      .description("store what kstat, zonestat, prstat -Z or sample left in files, of any age")
      .argument("<paths...>", "files and folders, gzipped or not; a file's name or its folder's tells the sled");
    withSettings(command, ["dataDir", "store", "recordedStart", "recordedInterval"])
      .option("--sled <serial>", "the serial number of the sled that all files are of")
      .addOption(new Option("--sled-id <uuid>", "its id (default: made of the serial number, as for a replay)"))
      .option("--dry-run", "read everything, store nothing, and say what would have become of it")
      .action((paths: string[], flags: ImportFlags) => run((context) => importPaths(paths, flags, context)));
  },
};

async function importPaths(paths: readonly string[], flags: ImportFlags, context: CommandContext): Promise<number> {
  const { sled: serial, sledId, dryRun = false, ...settings } = flags;
  const { config } = await loadSettings(settings, context);
  // stderr is for the progress: the layout of new tables is of no interest to whoever waits.
  const logger = createLogger(config.log.level === "info" ? "warn" : config.log.level);
  const sled = { ...configuredSled(config), ...givenSled(serial, sledId) };
  const startedMs = performance.now();
  const { files, failures } = await findRecordings(paths);
  for (const text of failures) context.stderr.write(`zonemeter: ${text}\n`);
  if (files.length === 0) {
    if (failures.length > 0) throw new ZonemeterError("unavailable", "None of what was named can be read.");
    throw new ZonemeterError("invalid_input", `There is no file in ${paths.join(", ")}: name what zonestat -p or kstat -T u -p wrote.`);
  }
  const catalogue = loadCatalogue();
  const store = await openStore(config, catalogue, dryRun, logger);
  const line = new ImportProgressLine(context.stderr, files);
  let report: ImportReport;
  try {
    report = await importRecordings({
      files,
      sled,
      times: recordedTimes(config),
      catalogue,
      store,
      dryRun,
      signal: context.signal,
      onProgress: (progress) => line.show(progress),
    });
  } finally {
    line.end();
    await store.close();
  }
  for (const { texts, count } of [report.unreadable, report.passedOver, report.examples]) {
    for (const text of texts) context.stderr.write(`zonemeter: ${text}\n`);
    if (count > texts.length) context.stderr.write(`zonemeter: ${count - texts.length} more like this.\n`);
  }
  await writeAll(context.stdout, [renderImportReport(report, { dryRun, seconds: (performance.now() - startedMs) / 1_000 })]);
  if (report.filesRead === 0) {
    throw new ZonemeterError("invalid_input", "None of the files holds anything that can be imported.");
  }
  return failures.length > 0 || report.unreadable.count > 0 ? 1 : 0;
}

async function openStore(config: Config, catalogue: Catalogue, dryRun: boolean, logger: Logger): Promise<RowStore> {
  const { password, retentionDays, tlsCa, url, user } = config.store;
  const dataDir = join(resolve(config.up.dataDir), "store");
  const schemas = [...catalogue].filter(({ targetName }) => IMPORT_TARGETS.includes(targetName));
  const place = url === null ? { dataDir } : { url, user, password, tlsCa };
  try {
    return await openImportStore({ place, schemas, logger, clock: systemClock, retentionDays, dryRun });
  } catch (error) {
    if (!(error instanceof ZonemeterError) || error.code !== "conflict") throw error;
    throw new ZonemeterError(
      "conflict",
      `Data directory "${resolve(config.up.dataDir)}" is in use by another zonemeter: stop that one for the time of the import, name another with --data-dir, or import into a ClickHouse server with --store.`,
      { cause: error },
    );
  }
}

function givenSled(serial: string | undefined, sledId: string | undefined): Partial<SledIdentity> {
  if (serial === "") throw new ZonemeterError("usage", "--sled is empty: give the sled's serial number.");
  if (sledId !== undefined && !UUID.test(sledId.toLowerCase())) {
    throw new ZonemeterError("usage", `--sled-id "${sledId}" is not a UUID: write it as 8-4-4-4-12 hexadecimal digits.`);
  }
  return { ...(serial === undefined ? {} : { sledSerial: serial }), ...(sledId === undefined ? {} : { sledId: sledId.toLowerCase() }) };
}
