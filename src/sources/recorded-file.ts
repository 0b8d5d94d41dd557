import { NOT_LATER, RecordedOrder } from "./recorded-order.ts";
import type { GiveRows, RowSink } from "./recorded-rows.ts";
import { RecordedMemory, recordedSnapshots, RecordedSleds, zonesOf } from "./recorded-snapshots.ts";
import { RecordedSubjects } from "./recorded-subjects.ts";
import { NO_TIMES_GIVEN, type GivenTimes } from "./recorded-times.ts";
import { Recording, type RecordedSet } from "./recording.ts";
import { reasonToWithhold, sledReadings } from "./snapshots-from-zonestat.ts";
import type { Diagnostic, SledIdentity } from "./source.ts";
import { giveZonestat } from "./zonestat-readings.ts";
import type { ZonestatReport } from "./zonestat-report.ts";

/** What a file holds of one instant. */
export interface RecordedInstant {
  readonly timeNs: bigint;
  /** Rows that `give` may come to at most, in total. */
  readonly rows: number;
  readonly give: GiveRows;
  /** Set where nothing of it is used. */
  readonly withheld: WithheldRows | null;
}

export interface WithheldRows {
  /** The same text for all of one reason. */
  readonly reason: string;
  readonly rows: number;
}

/** Recordings that are read one after another: start times of zones go on from file to file. */
export class RecordedFiles {
  readonly #sled: Partial<SledIdentity>;
  readonly #times: GivenTimes;
  readonly #memory = new RecordedMemory();
  readonly #subjects = new RecordedSubjects();

  /**
   * `sled` is what is known of the sleds of all files; the rest comes from each file's name, as in a replay. `times` are for files that have
   * none.
   */
  constructor(sled: Partial<SledIdentity>, times: GivenTimes = NO_TIMES_GIVEN) {
    this.#sled = sled;
    this.#times = times;
  }

  open(path: string): RecordedFile {
    return new RecordedFile(new Recording(path, this.#times), new RecordedSleds(path, this.#sled), this.#memory, this.#subjects);
  }
}

/** One recording, from its beginning to its end, by the same rules as a replay. Rejects as `Recording` does. */
export class RecordedFile {
  readonly #recording: Recording;
  readonly #sleds: RecordedSleds;
  readonly #memory: RecordedMemory;
  readonly #order = new RecordedOrder();
  readonly #diagnostics: Diagnostic[] = [];
  readonly #subjects: RecordedSubjects;

  constructor(recording: Recording, sleds: RecordedSleds, memory: RecordedMemory, subjects: RecordedSubjects) {
    this.#recording = recording;
    this.#sleds = sleds;
    this.#memory = memory;
    this.#subjects = subjects;
  }

  get path(): string {
    return this.#recording.path;
  }

  /** Bytes of the file that have been read. */
  get bytesRead(): number {
    return this.#recording.bytesRead;
  }

  /** The next instant in file order, or null at the end. */
  async next(): Promise<RecordedInstant | null> {
    const set = await this.#recording.next();
    return set === null ? null : this.#instantOf(set);
  }

  /** The next instant where it has been read already, so that nothing has to be waited for. */
  take(): RecordedInstant | null {
    const set = this.#recording.take();
    return set === null ? null : this.#instantOf(set);
  }

  /** What was found damaged since the last call. */
  takeDiagnostics(): Diagnostic[] {
    return [...this.#recording.takeDiagnostics(), ...this.#diagnostics.splice(0)];
  }

  async close(): Promise<void> {
    await this.#recording.close();
  }

  #instantOf(set: RecordedSet): RecordedInstant {
    const { timeNs } = set;
    const sled = this.#sleds.of(set);
    const reason = this.#order.isLater(set, sled.sledId) ? (set.tool === "zonestat" ? reasonToWithhold(set.of) : null) : NOT_LATER;
    if (reason !== null) return { timeNs, rows: 0, give: () => undefined, withheld: { reason, rows: zonesOf(set) } };
    this.#order.note(set, sled.sledId);
    return set.tool === "zonestat" ? this.#fromZonestat(set.of, timeNs, sled) : this.#fromSnapshots(set, sled);
  }

  /** Straight from the rows: snapshots of these would take half of the time again. */
  #fromZonestat(report: ZonestatReport, timeNs: bigint, sled: SledIdentity): RecordedInstant {
    const give = (sink: RowSink): void => {
      giveZonestat(report, (zoneName) => {
        sink.row(this.#subjects.zoneOfName(sled, zoneName), timeNs);
        return sink.measured;
      });
      const ofSled = sledReadings(report);
      if (ofSled.length > 0) sink.row(this.#subjects.subject(sled, "zonestat", { kind: "sled", startTimeNs: 0n }), timeNs);
      for (const reading of ofSled) sink.reading(reading);
      sink.end();
    };
    return { timeNs, rows: report.rowCount + 1, give, withheld: null };
  }

  #fromSnapshots(set: RecordedSet, sled: SledIdentity): RecordedInstant {
    const { timeNs } = set;
    const { snapshots, diagnostics } = recordedSnapshots(set, sled, this.#memory);
    this.#diagnostics.push(...diagnostics);
    const give = (sink: RowSink): void => {
      for (const { subject, source, readings } of snapshots) {
        sink.row(this.#subjects.subject(sled, source, subject), timeNs);
        for (const reading of readings) sink.reading(reading);
      }
      sink.end();
    };
    return { timeNs, rows: snapshots.length, give, withheld: null };
  }
}
