import { TEXT_NAMES_MAX } from "../core/index.ts";
import { NOT_LATER, RecordedOrder } from "./recorded-order.ts";
import type { GiveRows, RecordedSubject, RowSink } from "./recorded-rows.ts";
import { RecordedMemory, recordedSnapshots, RecordedSleds, zonesOf } from "./recorded-snapshots.ts";
import { NO_TIMES_GIVEN, type GivenTimes } from "./recorded-times.ts";
import { Recording, type RecordedSet } from "./recording.ts";
import { reasonToWithhold, sledReadings } from "./snapshots-from-zonestat.ts";
import type { Diagnostic, SledIdentity, SledSubject, SourceName, ZoneSubject } from "./source.ts";
import { splitZoneName } from "./zone-name.ts";
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

  /**
   * `sled` is what is known of the sleds of all files; the rest comes from each file's name, as in a replay. `times` are for files that have
   * none.
   */
  constructor(sled: Partial<SledIdentity>, times: GivenTimes = NO_TIMES_GIVEN) {
    this.#sled = sled;
    this.#times = times;
  }

  open(path: string): RecordedFile {
    return new RecordedFile(new Recording(path, this.#times), new RecordedSleds(path, this.#sled), this.#memory);
  }
}

/** One recording, from its beginning to its end, by the same rules as a replay. Rejects as `Recording` does. */
export class RecordedFile {
  readonly #recording: Recording;
  readonly #sleds: RecordedSleds;
  readonly #memory: RecordedMemory;
  readonly #order = new RecordedOrder();
  readonly #diagnostics: Diagnostic[] = [];
  #subjects = new Map<string, RecordedSubject>();

  constructor(recording: Recording, sleds: RecordedSleds, memory: RecordedMemory) {
    this.#recording = recording;
    this.#sleds = sleds;
    this.#memory = memory;
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
    if (set === null) return null;
    const { timeNs } = set;
    const sled = this.#sleds.of(set);
    const reason = this.#order.isLater(set, sled.sledId) ? (set.tool === "zonestat" ? reasonToWithhold(set.of) : null) : NOT_LATER;
    if (reason !== null) return { timeNs, rows: 0, give: () => undefined, withheld: { reason, rows: zonesOf(set) } };
    this.#order.note(set, sled.sledId);
    return set.tool === "zonestat" ? this.#fromZonestat(set.of, timeNs, sled) : this.#fromSnapshots(set, sled);
  }

  /** What was found damaged since the last call. */
  takeDiagnostics(): Diagnostic[] {
    return [...this.#recording.takeDiagnostics(), ...this.#diagnostics.splice(0)];
  }

  async close(): Promise<void> {
    await this.#recording.close();
  }

  /** Straight from the rows: snapshots of these would take half of the time again. */
  #fromZonestat(report: ZonestatReport, timeNs: bigint, sled: SledIdentity): RecordedInstant {
    const give = (sink: RowSink): void => {
      giveZonestat(report, (zoneName) => {
        sink.row(this.#zoneOfName(zoneName, sled), timeNs);
        return sink.measured;
      });
      const ofSled = sledReadings(report);
      if (ofSled.length > 0) sink.row(this.#subject("zonestat", sled, { kind: "sled", startTimeNs: 0n }, ""), timeNs);
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
        const incarnation = subject.kind === "zone" ? subject.incarnation : "";
        sink.row(this.#subject(source, sled, subject, `${source}/${sled.sledId}/${subject.startTimeNs}/${incarnation}`), timeNs);
        for (const reading of readings) sink.reading(reading);
      }
      sink.end();
    };
    return { timeNs, rows: snapshots.length, give, withheld: null };
  }

  #zoneOfName(zoneName: string, sled: SledIdentity): RecordedSubject {
    const known = this.#subjects.get(zoneName);
    if (known !== undefined) return known;
    const subject = { kind: "zone", zoneName, ...splitZoneName(zoneName), incarnation: zoneName, startTimeNs: 0n } as const;
    return this.#subject("zonestat", sled, subject, zoneName);
  }

  /** One object for each subject, so that whoever takes the rows knows it again by that. */
  #subject(source: SourceName, sled: SledIdentity, of: ZoneSubject | SledSubject, key: string): RecordedSubject {
    const known = this.#subjects.get(key);
    if (known !== undefined) return known;
    if (this.#subjects.size >= TEXT_NAMES_MAX) this.#subjects = new Map();
    const subject: RecordedSubject = { source, sled, of };
    this.#subjects.set(key, subject);
    return subject;
  }
}
