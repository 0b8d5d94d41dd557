import type { Config } from "../config/index.ts";
import { messageOf, NS_PER_MS, systemClock, ZonemeterError } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import {
  createReplaySource,
  createSources,
  defaultSourceName,
  localSledIdentity,
  openIdentityBook,
  type GivenTimes,
  type IdentityBook,
  type OpenedSource,
  type ReplaySource,
  type SledIdentity,
} from "../sources/index.ts";

export interface MeasuringParts {
  readonly sources: readonly OpenedSource[];
  readonly sled: SledIdentity;
  readonly book: IdentityBook;
}

export interface SourceChoice {
  readonly config: Config;
  readonly stateDir: string | null;
  readonly replay: readonly string[];
  readonly logger: Logger;
}

/** Throws what `openSources` would, without touching anything: recordings that cannot be played, commands that are missing. */
export async function checkSources(choice: Omit<SourceChoice, "stateDir">): Promise<void> {
  const { sources, book } = await openSources({ ...choice, stateDir: null });
  await Promise.all(sources.map(({ source }) => source.close()));
  await book.close();
}

/** Throws what `openSources` would where the configured names and recordings do not go together; looks at nothing else. */
export function checkSourceNames({ producer, up }: Pick<Config, "producer" | "up">): void {
  if (producer.sources !== null) sourceNames(producer.sources, up.replay);
}

/** Opens what measures: the configured sources, else the recordings if any, else the platform's own. */
export async function openSources({ config, stateDir, replay, logger }: SourceChoice): Promise<MeasuringParts> {
  const { producer } = config;
  const names = sourceNames(producer.sources, replay);
  if (names.includes("replay")) await checkRecordings(replay, recordedTimes(config));
  const book = await openIdentityBook({ stateDir, clock: systemClock });
  for (const { text } of book.diagnostics) logger.warn({}, text);
  const known = configuredSled(config);
  const sled = await localSledIdentity({ configured: known });
  try {
    const quick = producer.sampleIntervalMs;
    const slow = producer.slowSampleIntervalMs;
    const sources = await createSources(names, {
      book,
      clock: systemClock,
      logger,
      intervalsMs: { kstat: quick, cgroup: quick, zonestat: slow, vmusage: slow },
      replay: { files: replay, sled: known, times: recordedTimes(config) },
    });
    return { sources, sled, book };
  } catch (error) {
    await book.close();
    throw error;
  }
}

/** The recordings among the sources, or null. */
export function replayOf(sources: readonly OpenedSource[]): ReplaySource | null {
  return (sources.find(({ source }) => source.name === "replay")?.source as ReplaySource | undefined) ?? null;
}

function sourceNames(configured: Config["producer"]["sources"], replay: readonly string[]): readonly string[] {
  if (configured !== null) {
    if (replay.length > 0 && !configured.includes("replay")) return [...configured, "replay"];
    if (replay.length === 0 && configured.includes("replay")) {
      throw new ZonemeterError(
        "usage",
        'The source "replay" needs recordings: name them with --replay FILE, or --input FILE to print them.',
      );
    }
    return configured;
  }
  if (replay.length > 0) return ["replay"];
  const own = defaultSourceName();
  if (own === null) {
    throw new ZonemeterError("unavailable", `There is no source for ${process.platform}: name recordings with --replay FILE.`);
  }
  return [own];
}

/** Reads the beginning of every recording, so that one that cannot be played is told of before anything starts. */
async function checkRecordings(files: readonly string[], times: GivenTimes): Promise<void> {
  const source = createReplaySource({ files, times });
  try {
    await source.read(new AbortController().signal);
  } catch (error) {
    if (error instanceof ZonemeterError) throw error;
    throw new ZonemeterError("invalid_input", `A recording cannot be played: ${messageOf(error)}.`, { cause: error });
  } finally {
    await source.close();
  }
}

/** The times that the configuration gives to recordings without. */
export function recordedTimes({ up }: Config): GivenTimes {
  const { recordedStartNs, recordedIntervalMs } = up;
  return {
    startNs: recordedStartNs,
    intervalNs: recordedIntervalMs === null ? null : BigInt(Math.round(recordedIntervalMs * Number(NS_PER_MS))),
  };
}

/** What the configuration says of the sled; for a recording the rest comes from its file name. */
export function configuredSled({ sled }: Config): Partial<SledIdentity> {
  return {
    rackId: sled.rackId,
    sledModel: sled.sledModel,
    sledRevision: sled.sledRevision,
    ...(sled.sledId === null ? {} : { sledId: sled.sledId }),
    ...(sled.sledSerial === null ? {} : { sledSerial: sled.sledSerial }),
  };
}
