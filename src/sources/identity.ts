import { IDENTITY_FORGET_AFTER_NS, IDENTITY_MAX_ENTRIES, IDENTITY_STAMP_RESERVE_NS, messageOf, type Clock } from "../core/index.ts";
import { IdentityFile, type IdentityState } from "./identity-file.ts";
import type { Diagnostic, SourceName } from "./source.ts";
import { StampClock } from "./stamp-clock.ts";

/** Wall times before this (2020-01-01) come from a clock that had not been set yet, never from a boot. */
export const EARLIEST_PLAUSIBLE_NS = 1_577_836_800_000_000_000n;

/** By this much the wall clock may fall behind the monotonic one without having been stepped: the slewing of a disciplined clock. */
const CLOCK_SLACK_NS = 100_000_000n;

/** A lead of stamps over the wall clock that people are told of. */
const NOTABLE_LEAD_NS = 1_000_000_000n;

/** One incarnation, seen in one sample. */
export interface Sighting {
  /** The zone's name; `SLED_SUBJECT` for the sled itself. */
  readonly subjectKey: string;
  readonly incarnation: string;
  /** When the kernel says that it started, or null. */
  readonly bootTimeNs: bigint | null;
  /** The same on the monotonic clock, or null. */
  readonly createdMonotonicNs: bigint | null;
  /** The stamp of the sample, from `stampFor`. */
  readonly timestampNs: bigint;
}

/** Key of the sled's own counters. No zone can have this name. */
export const SLED_SUBJECT = "";

export interface Incarnation {
  readonly incarnation: string;
  readonly startTimeNs: bigint;
}

/**
 * Remembers when every incarnation began, so that its start time is the same in every sample and after a restart of the agent, and keeps stamps
 * from falling. A source asks `stampFor` and then `startTimeOf` for each snapshot, and awaits `save` before it hands the snapshots out: what
 * was handed out is then on the disk.
 */
export interface IdentityBook {
  /** What was found damaged on opening. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * The remembered start time of the incarnation. For one not seen before: the kernel's boot time where it is plausible (after 2020 and before
   * this sample), else its creation on the monotonic clock, converted once, else just before this sample; and always later than the last
   * stamp of the incarnation before it. Where that is not before `timestampNs`, the sample belongs to no incarnation and must be dropped.
   */
  startTimeOf(sighting: Sighting): bigint;
  /** The incarnation seen last, or null where the name is not known. */
  current(subjectKey: string): Incarnation | null;
  /** True where the incarnation was already known to an earlier run of the agent. */
  isFromEarlierRun(subjectKey: string, incarnation: string): boolean;
  /** The stamp of a snapshot measured at `wallNs`: later than every stamp of this subject and source before it. The rule is `StampClock`'s. */
  stampFor(subjectKey: string, source: SourceName, wallNs: bigint): bigint;
  /**
   * Writes what is new, if anything is. Resolves with what to tell people: that it could not be written (the next call tries again), or that
   * stamps are ahead of the wall clock.
   */
  save(): Promise<readonly Diagnostic[]>;
  /** Writes the exact last stamps. */
  close(): Promise<void>;
}

interface Entry {
  incarnation: string;
  startTimeNs: bigint;
  lastStampNs: bigint;
  seenMonotonicNs: bigint;
  fromEarlierRun: boolean;
}

/**
 * Opens the book of a state directory; with null it remembers for this process only. Rejects with `unavailable` where the directory cannot be
 * used. One process at a time may use a directory.
 */
export async function openIdentityBook(options: { readonly stateDir: string | null; readonly clock: Clock }): Promise<IdentityBook> {
  const { stateDir, clock } = options;
  if (stateDir === null) return new Book(clock, null, null, []);
  const file = new IdentityFile(stateDir);
  const { state, diagnostic } = await file.load();
  const book = new Book(clock, file, state, diagnostic === null ? [] : [diagnostic]);
  // Proves that the directory can be written before anything depends on it. No leave for stamps yet: the clock may still be wrong.
  await book.write(0n);
  return book;
}

class Book implements IdentityBook {
  readonly diagnostics: readonly Diagnostic[];
  readonly #clock: Clock;
  readonly #file: IdentityFile | null;
  readonly #stamps: StampClock;
  readonly #entries = new Map<string, Entry>();
  readonly #lastOfSeries = new Map<string, bigint>();
  #instant: { readonly wallNs: bigint; readonly stampNs: bigint } | null = null;
  #lastStampNs: bigint;
  #ceilingNs: bigint;
  #changed = false;
  /** How far the wall clock was ahead of the monotonic one when the file was written: a step forward is written down, so that one back is seen. */
  #writtenLeadNs = 0n;
  #writing: Promise<void> = Promise.resolve();

  constructor(clock: Clock, file: IdentityFile | null, state: IdentityState | null, diagnostics: readonly Diagnostic[]) {
    this.#clock = clock;
    this.#file = file;
    this.diagnostics = diagnostics;
    const wallNs = clock.wallNs();
    const monotonicNs = clock.monotonicNs();
    this.#lastStampNs = state === null ? 0n : lastPossibleStampNs(state, wallNs, monotonicNs);
    this.#ceilingNs = this.#lastStampNs;
    this.#stamps = new StampClock(clock, state === null ? null : this.#lastStampNs);
    for (const { subjectKey, ...remembered } of state?.zones ?? []) {
      // It may have been seen again after the file was written.
      const lastStampNs = larger(remembered.lastStampNs, this.#lastStampNs);
      this.#entries.set(subjectKey, { ...remembered, lastStampNs, seenMonotonicNs: monotonicNs, fromEarlierRun: true });
    }
  }

  startTimeOf(sighting: Sighting): bigint {
    const { subjectKey, incarnation, timestampNs } = sighting;
    const seenMonotonicNs = this.#clock.monotonicNs();
    const known = this.#entries.get(subjectKey);
    if (known?.incarnation === incarnation) {
      known.lastStampNs = larger(known.lastStampNs, timestampNs);
      known.seenMonotonicNs = seenMonotonicNs;
      return known.startTimeNs;
    }
    let startTimeNs = this.#firstGuessNs(sighting);
    if (known !== undefined && startTimeNs <= known.lastStampNs) startTimeNs = known.lastStampNs + 1n;
    this.#entries.set(subjectKey, {
      incarnation,
      startTimeNs,
      lastStampNs: larger(timestampNs, startTimeNs),
      seenMonotonicNs,
      fromEarlierRun: false,
    });
    this.#changed = true;
    return startTimeNs;
  }

  #firstGuessNs({ bootTimeNs, createdMonotonicNs, timestampNs }: Sighting): bigint {
    if (bootTimeNs !== null && bootTimeNs >= EARLIEST_PLAUSIBLE_NS && bootTimeNs < timestampNs) return bootTimeNs;
    if (createdMonotonicNs !== null) {
      const ageNs = this.#clock.monotonicNs() - createdMonotonicNs;
      const convertedNs = this.#stamps.stampOf(this.#clock.wallNs()) - ageNs;
      if (convertedNs < timestampNs) return convertedNs;
    }
    return timestampNs - 1n;
  }

  current(subjectKey: string): Incarnation | null {
    return this.#entries.get(subjectKey) ?? null;
  }

  isFromEarlierRun(subjectKey: string, incarnation: string): boolean {
    const known = this.#entries.get(subjectKey);
    return known !== undefined && known.fromEarlierRun && known.incarnation === incarnation;
  }

  stampFor(subjectKey: string, source: SourceName, wallNs: bigint): bigint {
    const series = `${source} ${subjectKey}`;
    let floorNs = this.#lastOfSeries.get(series);
    if (floorNs === undefined) {
      const known = this.#entries.get(subjectKey);
      if (known?.fromEarlierRun === true) floorNs = known.lastStampNs;
    }
    // What one read saw at one instant gets one stamp: asked again, the clocks would be some µs apart from what they were.
    if (this.#instant?.wallNs !== wallNs) this.#instant = { wallNs, stampNs: this.#stamps.stampOf(wallNs) };
    let { stampNs } = this.#instant;
    // A microsecond, so that a new incarnation's start fits between two stamps.
    if (floorNs !== undefined && stampNs <= floorNs) stampNs = floorNs + 1_000n;
    this.#lastOfSeries.set(series, stampNs);
    this.#lastStampNs = larger(this.#lastStampNs, stampNs);
    return stampNs;
  }

  async save(): Promise<readonly Diagnostic[]> {
    // What another source has begun to write may be this one's too.
    await this.#writing;
    const diagnostics: Diagnostic[] = [];
    const aheadNs = this.#stamps.aheadNs();
    if (aheadNs > NOTABLE_LEAD_NS) {
      const text = `The wall clock was stepped back: stamps are ${aheadNs / 1_000_000n} ms ahead of it and drawing near, so that they do not fall.`;
      diagnostics.push({ code: "stamps-ahead", text, line: null });
    }
    if (!this.#changed && this.#lastStampNs <= this.#ceilingNs && this.#clockLeadNs() <= this.#writtenLeadNs + CLOCK_SLACK_NS)
      return diagnostics;
    try {
      await this.write(IDENTITY_STAMP_RESERVE_NS);
    } catch (error) {
      diagnostics.push({ code: "identity-not-saved", text: messageOf(error), line: null });
    }
    return diagnostics;
  }

  async close(): Promise<void> {
    await this.write(0n);
  }

  /** Writes the book as it is when earlier writes are through, with leave to give out stamps up to `reserveNs` further. */
  async write(reserveNs: bigint): Promise<void> {
    const next = this.#writing.then(() => this.#writeNow(reserveNs));
    this.#writing = next.catch(() => undefined);
    await next;
  }

  async #writeNow(reserveNs: bigint): Promise<void> {
    if (this.#file === null) return;
    this.#forget();
    const aheadNs = this.#stamps.aheadNs();
    const wallNs = this.#clock.wallNs();
    const ceilingNs = reserveNs === 0n ? this.#lastStampNs : larger(this.#lastStampNs, wallNs + aheadNs) + reserveNs;
    const zones = Array.from(this.#entries, ([subjectKey, { incarnation, startTimeNs, lastStampNs }]) => ({
      subjectKey,
      incarnation,
      startTimeNs,
      lastStampNs,
    }));
    this.#changed = false;
    this.#writtenLeadNs = this.#clockLeadNs();
    try {
      await this.#file.store({ ceilingNs, wallNs, monotonicNs: this.#clock.monotonicNs(), aheadNs, zones });
      this.#ceilingNs = ceilingNs;
    } catch (error) {
      this.#changed = true;
      throw error;
    }
  }

  #clockLeadNs(): bigint {
    return this.#clock.wallNs() - this.#clock.monotonicNs();
  }

  #forget(): void {
    const nowNs = this.#clock.monotonicNs();
    for (const [subjectKey, entry] of this.#entries)
      if (nowNs - entry.seenMonotonicNs > IDENTITY_FORGET_AFTER_NS) this.#entries.delete(subjectKey);
    const tooMany = this.#entries.size - IDENTITY_MAX_ENTRIES;
    if (tooMany > 0) {
      const byAbsence = [...this.#entries].sort(([, a], [, b]) => Number(a.seenMonotonicNs - b.seenMonotonicNs));
      for (const [subjectKey] of byAbsence.slice(0, tooMany)) this.#entries.delete(subjectKey);
    }
    for (const [series, stampNs] of this.#lastOfSeries)
      if (this.#lastStampNs - stampNs > IDENTITY_FORGET_AFTER_NS) this.#lastOfSeries.delete(series);
  }
}

/**
 * The latest stamp that an earlier run can have given out. It had leave up to the ceiling; where both clocks show that the wall clock was not
 * stepped back since the file was written, it cannot be later than now either.
 */
function lastPossibleStampNs(state: IdentityState, wallNs: bigint, monotonicNs: bigint): bigint {
  const passedNs = monotonicNs - state.monotonicNs;
  const steady = passedNs >= 0n && wallNs - state.wallNs >= passedNs - CLOCK_SLACK_NS;
  const nowNs = wallNs + state.aheadNs + CLOCK_SLACK_NS;
  return steady && nowNs < state.ceilingNs ? nowNs : state.ceilingNs;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
