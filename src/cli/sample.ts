import { ZonemeterError } from "../core/index.ts";
import { sleep, withDeadline } from "../runtime/index.ts";
import { parseSourceNames, snapshotObject, type OpenedSource, type SourceName } from "../sources/index.ts";
import { ndjsonLine } from "../wire/index.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { lossLines } from "./loss-lines.ts";
import { openSources, replayOf } from "./open-sources.ts";
import { loadSettings, withSettings, type GivenFlags } from "./settings-flags.ts";
import { writeAll } from "./write.ts";

type SampleFlags = GivenFlags & { readonly input?: string; readonly count?: string };

/** `zonemeter sample` */
export const sampleCommand: CommandDefinition = {
  define(program, run) {
    const command = program.command("sample").description("read a source and print its snapshots, one JSON object a line");
    withSettings(command, ["source", "sampleInterval", "recordedStart", "recordedInterval"])
      .option(
        "--input <file>",
        "read a recording of kstat, zonestat, prstat -Z or sample instead of the machine; --source then says what it has to be of",
      )
      .option("--count <n>", "how many times to read; for a recording, how many of its times (default: 1, a recording whole)")
      .action((flags: SampleFlags) => run((context) => sample(flags, context)));
  },
};

async function sample(flags: SampleFlags, context: CommandContext): Promise<number> {
  const { config, logger } = await loadSettings(withoutInputSource(flags), context);
  const wanted = wantedSources(flags);
  const rounds = roundsOf(flags);
  const { sources, book } = await openSources({ config, stateDir: null, replay: flags.input === undefined ? [] : [flags.input], logger });
  try {
    await Promise.all(sources.map((opened) => readAll(opened, rounds, wanted, context)));
    context.signal.throwIfAborted();
    const replay = replayOf(sources);
    if (replay !== null) for (const line of lossLines(replay.losses())) context.stderr.write(line);
  } finally {
    await Promise.all(sources.map(({ source }) => source.close()));
    await book.close();
  }
  return 0;
}

/** What a recording must be of; null where anything will do. */
function wantedSources({ input, source }: SampleFlags): ReadonlySet<SourceName> | null {
  if (input === undefined || typeof source !== "string") return null;
  const names = parseSourceNames(source.split(","));
  return names.includes("replay") ? null : new Set(names);
}

/** With `--input` the recording is what is read, whatever source it is of. */
function withoutInputSource(flags: SampleFlags): GivenFlags {
  const { input, count: _count, source, ...rest } = flags;
  return input !== undefined || source === undefined ? rest : { ...rest, source };
}

function roundsOf({ count, input }: SampleFlags): number {
  if (count === undefined) return input === undefined ? 1 : Number.POSITIVE_INFINITY;
  const rounds = Number(count);
  if (!/^\d+$/.test(count) || !Number.isSafeInteger(rounds) || rounds < 1) {
    throw new ZonemeterError("usage", `--count "${count}" is not a whole number of 1 or more.`);
  }
  return rounds;
}

async function readAll(
  opened: OpenedSource,
  rounds: number,
  wanted: ReadonlySet<SourceName> | null,
  context: CommandContext,
): Promise<void> {
  const { source, deadlineMs, intervalMs, finite } = opened;
  for (let round = 1; round <= rounds && !context.signal.aborted; round++) {
    const dueMs = performance.now() + intervalMs;
    const report = await withDeadline(deadlineMs, `Reading ${source.name}`, (signal) => source.read(signal), context.signal);
    const foreign = wanted === null ? undefined : report.snapshots.find((snapshot) => !wanted.has(snapshot.source));
    if (foreign !== undefined) {
      throw new ZonemeterError(
        "invalid_input",
        `The input is a recording of ${foreign.source}, not of ${[...wanted!].join(" or ")}: leave --source out, or name ${foreign.source}.`,
      );
    }
    await writeAll(
      context.stdout,
      report.snapshots.map((snapshot) => ndjsonLine(snapshotObject(snapshot))),
    );
    for (const { text, line } of report.diagnostics) context.stderr.write(`zonemeter: ${line === null ? "" : `line ${line}: `}${text}\n`);
    if (report.ended) return;
    if (!finite && round < rounds) await alive(sleep(dueMs - performance.now(), context.signal), dueMs - performance.now());
  }
}

/** Keeps the process alive while it waits: the timers of the runtime do not. */
async function alive(waiting: Promise<void>, ms: number): Promise<void> {
  const timer = setTimeout(() => undefined, Math.max(0, ms) + 1_000);
  try {
    await waiting;
  } finally {
    clearTimeout(timer);
  }
}
