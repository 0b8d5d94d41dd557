import { REPLAY_MAX_FILES, ZonemeterError } from "../core/index.ts";
import { Findings } from "./findings.ts";
import { NOT_LATER, RecordedOrder } from "./recorded-order.ts";
import { RecordedMemory, recordedSnapshots, RecordedSleds, zonesOf } from "./recorded-snapshots.ts";
import { NO_TIMES_GIVEN, type GivenTimes } from "./recorded-times.ts";
import { Recording, type RecordedSet } from "./recording.ts";
import { RecordingLosses } from "./recording-losses.ts";
import { reasonToWithhold } from "./snapshots-from-zonestat.ts";
import type { Diagnostic, SledIdentity, Snapshot, Source, SourceReport } from "./source.ts";

export interface ReplayOptions {
  readonly files: readonly string[];
  /** What is known of the sleds of all files; what it leaves out comes from each file's name. */
  readonly sled?: Partial<SledIdentity>;
  /** Times for those files that have none. */
  readonly times?: GivenTimes;
}

/** Recorded times given so far, each with all zones of one file; `total` is known once the last was given. */
export interface ReplayProgress {
  readonly replayed: number;
  readonly total: number | null;
}

export interface ReplaySource extends Source {
  progress(): ReplayProgress;
  /** What of the recordings was not used so far, and why. */
  losses(): RecordingLosses;
}

interface OpenRecording {
  readonly recording: Recording;
  readonly sleds: RecordedSleds;
  /** The set that it gives next. */
  next: RecordedSet;
}

/**
 * Plays recorded text with its own times. Each `read` gives one recorded time of one file, over all files in time order; `ended` comes with the
 * last one. The files are looked at first, so the first `read` rejects where one cannot be replayed (see `Recording`). A read that was
 * called off loses nothing: the next one gives what it was about to give.
 */
export function createReplaySource(options: ReplayOptions): ReplaySource {
  const { files } = options;
  if (files.length === 0) throw new ZonemeterError("usage", "There is no file to replay; name at least one.");
  if (files.length > REPLAY_MAX_FILES) {
    throw new ZonemeterError("limit", `${files.length} files are too many for one replay; give ${REPLAY_MAX_FILES} at most.`);
  }
  return new Replay(options);
}

class Replay implements ReplaySource {
  readonly name = "replay";
  readonly #options: ReplayOptions;
  readonly #memory = new RecordedMemory();
  readonly #order = new RecordedOrder();
  readonly #losses = new RecordingLosses();
  /** Files not opened yet, in order of the first time that they hold. */
  #waiting: { readonly path: string; readonly firstNs: bigint }[] | null = null;
  readonly #open: OpenRecording[] = [];
  #pending: Promise<SourceReport> | null = null;
  readonly #findings = new Findings();
  #replayed = 0;
  #ended = false;
  #closed = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  async read(signal: AbortSignal): Promise<SourceReport> {
    if (this.#pending === null) {
      this.#pending = this.#nextReport();
      // It may fail while nobody waits for it; the next read tells.
      this.#pending.catch(() => undefined);
    }
    const report = await untilAborted(this.#pending, signal);
    this.#pending = null;
    return report;
  }

  progress(): ReplayProgress {
    return { replayed: this.#replayed, total: this.#ended ? this.#replayed : null };
  }

  losses(): RecordingLosses {
    return this.#losses;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#open.map(({ recording }) => recording.close()));
    await this.#pending?.catch(() => undefined);
  }

  async #nextReport(): Promise<SourceReport> {
    this.#waiting ??= await this.#firstTimes();
    for (;;) {
      const taken = this.#closed ? null : await this.#takeEarliest();
      const snapshots = taken === null ? [] : this.#snapshotsOf(taken.set, taken.from);
      this.#ended = this.#open.length === 0 && this.#waiting.length === 0;
      if (snapshots.length === 0 && taken !== null) continue;
      if (taken !== null) this.#replayed += 1;
      else if (this.#replayed === 0 && !this.#closed) throw this.#nothingUsable();
      return { snapshots, diagnostics: this.#findings.take(), ended: this.#ended };
    }
  }

  /** There are times in the files, and each was left out for some reason. */
  #nothingUsable(): ZonemeterError {
    const [first] = this.#findings.take();
    return new ZonemeterError("invalid_input", `Nothing can be replayed. ${first?.text ?? `${this.#options.files[0]!} has no zones.`}`);
  }

  async #firstTimes(): Promise<{ path: string; firstNs: bigint }[]> {
    const { files } = this.#options;
    if (files.length === 1) return [{ path: files[0]!, firstNs: 0n }];
    const found: { path: string; firstNs: bigint }[] = [];
    for (const path of files) {
      if (this.#closed) return [];
      const recording = this.#recording(path);
      try {
        const first = await recording.next();
        found.push({ path, firstNs: first!.timeNs });
      } finally {
        await recording.close();
      }
    }
    return found.sort((a, b) => (a.firstNs !== b.firstNs ? Number(a.firstNs - b.firstNs) : a.path < b.path ? -1 : 1));
  }

  async #takeEarliest(): Promise<{ set: RecordedSet; from: OpenRecording } | null> {
    let earliest = this.#earliest();
    while (this.#waiting!.length > 0 && (earliest === null || this.#waiting![0]!.firstNs <= earliest.next.timeNs)) {
      await this.#openRecording(this.#waiting![0]!.path);
      this.#waiting!.shift();
      earliest = this.#earliest();
    }
    if (earliest === null) return null;
    const set = earliest.next;
    const next = await earliest.recording.next();
    this.#collectDiagnostics(earliest.recording);
    if (next !== null) earliest.next = next;
    else this.#open.splice(this.#open.indexOf(earliest), 1);
    return { set, from: earliest };
  }

  #earliest(): OpenRecording | null {
    let earliest: OpenRecording | null = null;
    for (const each of this.#open) if (earliest === null || each.next.timeNs < earliest.next.timeNs) earliest = each;
    return earliest;
  }

  async #openRecording(path: string): Promise<void> {
    const recording = this.#recording(path);
    try {
      const next = await recording.next();
      this.#collectDiagnostics(recording);
      if (next !== null) this.#open.push({ recording, sleds: new RecordedSleds(path, this.#options.sled ?? {}), next });
    } catch (error) {
      await recording.close();
      throw error;
    }
  }

  #recording(path: string): Recording {
    return new Recording(path, this.#options.times ?? NO_TIMES_GIVEN);
  }

  /** Empty for a set that cannot be used; then a diagnostic says why. */
  #snapshotsOf(set: RecordedSet, { recording, sleds }: OpenRecording): Snapshot[] {
    const sled = sleds.of(set);
    const inOrder = this.#order.isLater(set, sled.sledId);
    const withheld = inOrder ? (set.tool === "zonestat" ? reasonToWithhold(set.of) : null) : NOT_LATER;
    if (withheld !== null) {
      this.#losses.rows.add(withheld, zonesOf(set));
      this.#findings.add(
        inOrder ? "report-withheld" : "time-went-back",
        `${recording.path}: A report is withheld: ${withheld}.`,
        set.of.line,
      );
      return [];
    }
    const { snapshots, diagnostics } = recordedSnapshots(set, sled, this.#memory);
    this.#add(recording, diagnostics);
    if (snapshots.length > 0) this.#order.note(set, sled.sledId);
    if (set.tool !== "snapshots") this.#losses.addMissing(snapshots);
    return snapshots;
  }

  #collectDiagnostics(recording: Recording): void {
    this.#add(recording, recording.takeDiagnostics());
  }

  #add({ path }: Recording, diagnostics: readonly Diagnostic[]): void {
    for (const found of diagnostics) {
      const named = { ...found, text: `${path}: ${found.text}` };
      this.#losses.addFinding(named);
      this.#findings.add(named.code, named.text, named.line, named.count);
    }
  }
}

/** Waits for `work`, but no longer than until the signal fires; `work` itself goes on. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () =>
      reject(new ZonemeterError("unavailable", "Reading the recording was called off before it was done.", { cause: signal.reason }));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort!);
  }
}
