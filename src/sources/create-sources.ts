import { messageOf, ZonemeterError } from "../core/index.ts";
import { runChild } from "./child.ts";
import { SOURCES, type SourceOptions, type SourceRow } from "./source-table.ts";
import { SOURCE_NAMES, type Source, type SourceName } from "./source.ts";

/** A source and how it is to be read. */
export interface OpenedSource {
  readonly source: Source;
  /** Time between the starts of two reads; not to be looked at where `finite`. */
  readonly intervalMs: number;
  /** Time one read may take. */
  readonly deadlineMs: number;
  readonly finite: boolean;
}

/** The source that a machine of this platform is measured with where nobody says; null where there is none. */
export function defaultSourceName(platform: NodeJS.Platform = process.platform): SourceName | null {
  return SOURCES.find(({ platforms }) => platforms?.includes(platform))?.name ?? null;
}

/** Reads a list such as `kstat,zonestat`. Rejects with `usage` a name that is not in the table, or one that is given twice. */
export function parseSourceNames(names: readonly string[]): SourceName[] {
  if (names.length === 0) throw new ZonemeterError("usage", `No source is named; give one or more of ${SOURCE_NAMES.join(", ")}.`);
  const seen = new Set<string>();
  return names.map((name) => {
    const known = SOURCE_NAMES.find((each) => each === name);
    if (known === undefined) throw new ZonemeterError("usage", `There is no source "${name}"; the sources are ${SOURCE_NAMES.join(", ")}.`);
    if (seen.has(name)) throw new ZonemeterError("usage", `The source "${name}" is named twice; once is enough.`);
    seen.add(name);
    return known;
  });
}

/**
 * Makes the named sources, in their order. Rejects with `usage` for a name that is not in the table and with `unavailable`, in one sentence, where a
 * source cannot work on this machine; those made before it are closed then.
 */
export async function createSources(names: readonly string[], options: SourceOptions): Promise<OpenedSource[]> {
  const rows = parseSourceNames(names).map((name) => SOURCES.find((row) => row.name === name)!);
  const opened: OpenedSource[] = [];
  try {
    for (const row of rows) {
      await checkAvailable(row, options);
      const intervalMs = options.intervalsMs?.[row.name] ?? row.intervalMs;
      opened.push({ source: await row.create(options, intervalMs), intervalMs, deadlineMs: row.deadlineMs, finite: row.finite });
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map(({ source }) => source.close()));
    throw error;
  }
}

async function checkAvailable(row: SourceRow, options: SourceOptions): Promise<void> {
  const platform = options.platform ?? process.platform;
  const atHome = row.platforms === null || row.platforms.includes(platform);
  const { command } = row;
  if (command === null) {
    if (!atHome)
      throw new ZonemeterError(
        "unavailable",
        `The source ${row.name} needs ${row.needs}, which ${platform} does not have; ${adviceFor(platform)}.`,
      );
    return;
  }
  const given = options.commands?.[command] ?? command;
  if (await isRunnable(given)) return;
  const where = atHome
    ? "install it, or add its folder to PATH"
    : `it is a tool of illumos, and this is ${platform}: ${adviceFor(platform)}`;
  throw new ZonemeterError("unavailable", `The source ${row.name} needs the command ${given}, which was not found; ${where}.`);
}

function adviceFor(platform: NodeJS.Platform): string {
  const name = defaultSourceName(platform);
  return name === null ? "use replay" : `use the source ${name}`;
}

const LOOK_DEADLINE_MS = 5_000;
const LOOK_OUTPUT_BYTES = 64 * 1024;

/** Asks the shell, which searches PATH as a spawn does. */
async function isRunnable(command: string): Promise<boolean> {
  try {
    const { exitCode } = await runChild({
      command: "sh",
      args: ["-c", 'command -v "$1"', "sh", command],
      deadlineMs: LOOK_DEADLINE_MS,
      maxStdoutBytes: LOOK_OUTPUT_BYTES,
    });
    return exitCode === 0;
  } catch (error) {
    throw new ZonemeterError("unavailable", `Whether ${command} is there could not be found out (${messageOf(error)}).`, { cause: error });
  }
}
