import { TEXT_NAMES_MAX } from "../core/index.ts";
import type { GiveRows, RecordedSubject, RowSink } from "./recorded-rows.ts";
import { recordedSled } from "./recorded-sled.ts";
import { RecordedStartTimes } from "./recorded-start-times.ts";
import { Recording, type RecordedSet } from "./recording.ts";
import { snapshotsFromKstat } from "./snapshots-from-kstat.ts";
import { reasonToWithhold, sledReadings } from "./snapshots-from-zonestat.ts";
import type { Diagnostic, SledIdentity, SledSubject, SourceName, ZoneSubject } from "./source.ts";
import { splitZoneName } from "./zone-name.ts";
import { giveZonestat, isAggregate } from "./zonestat-readings.ts";
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
  readonly #startTimes = new RecordedStartTimes();

  /** `sled` is what is known of the sleds of all files; the rest comes from each file's name, as in a replay. */
  constructor(sled: Partial<SledIdentity>) {
    this.#sled = sled;
  }

  open(path: string): RecordedFile {
    return new RecordedFile(path, recordedSled(path, this.#sled), this.#startTimes);
  }
}

/** One recording, from its beginning to its end, by the same rules as a replay. Rejects as `Recording` does. */
export class RecordedFile {
  readonly sled: SledIdentity;
  readonly #recording: Recording;
  readonly #startTimes: RecordedStartTimes;
  readonly #diagnostics: Diagnostic[] = [];
  #subjects = new Map<string, RecordedSubject>();
  #lastNs: bigint | null = null;

  constructor(path: string, sled: SledIdentity, startTimes: RecordedStartTimes) {
    this.sled = sled;
    this.#recording = new Recording(path);
    this.#startTimes = startTimes;
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
    const reason =
      this.#lastNs !== null && timeNs <= this.#lastNs
        ? "the time is not later than the one before"
        : set.tool === "zonestat"
          ? reasonToWithhold(set.of)
          : null;
    if (reason !== null) return { timeNs, rows: 0, give: () => undefined, withheld: { reason, rows: zonesOf(set) } };
    this.#lastNs = timeNs;
    return set.tool === "zonestat" ? this.#fromZonestat(set.of, timeNs) : this.#fromKstat(set);
  }

  /** What was found damaged since the last call. */
  takeDiagnostics(): Diagnostic[] {
    return [...this.#recording.takeDiagnostics(), ...this.#diagnostics.splice(0)];
  }

  async close(): Promise<void> {
    await this.#recording.close();
  }

  /** Straight from the rows: snapshots of these would take half of the time again. */
  #fromZonestat(report: ZonestatReport, timeNs: bigint): RecordedInstant {
    const give = (sink: RowSink): void => {
      giveZonestat(report, (zoneName) => {
        sink.row(this.#zoneOfName(zoneName), timeNs);
        return sink.measured;
      });
      const ofSled = sledReadings(report);
      if (ofSled.length > 0) sink.row(this.#subject("zonestat", { kind: "sled", startTimeNs: 0n }, ""), timeNs);
      for (const reading of ofSled) sink.reading(reading);
      sink.end();
    };
    return { timeNs, rows: report.rowCount + 1, give, withheld: null };
  }

  #fromKstat(set: RecordedSet & { readonly tool: "kstat" }): RecordedInstant {
    const { timeNs } = set;
    const { snapshots, diagnostics } = snapshotsFromKstat(set.of, {
      sled: this.sled,
      stampOf: () => timeNs,
      startTimeOf: (sighting) => this.#startTimes.startTimeOf(this.sled.sledId, sighting),
    });
    this.#diagnostics.push(...diagnostics);
    const give = (sink: RowSink): void => {
      for (const { subject, source, readings } of snapshots) {
        const incarnation = subject.kind === "zone" ? subject.incarnation : "";
        sink.row(this.#subject(source, subject, `${subject.startTimeNs}/${incarnation}`), timeNs);
        for (const reading of readings) sink.reading(reading);
      }
      sink.end();
    };
    return { timeNs, rows: snapshots.length, give, withheld: null };
  }

  #zoneOfName(zoneName: string): RecordedSubject {
    const known = this.#subjects.get(zoneName);
    if (known !== undefined) return known;
    return this.#subject(
      "zonestat",
      { kind: "zone", zoneName, ...splitZoneName(zoneName), incarnation: zoneName, startTimeNs: 0n },
      zoneName,
    );
  }

  /** One object for each subject, so that whoever takes the rows knows it again by that. */
  #subject(source: SourceName, of: ZoneSubject | SledSubject, key: string): RecordedSubject {
    const known = this.#subjects.get(key);
    if (known !== undefined) return known;
    if (this.#subjects.size >= TEXT_NAMES_MAX) this.#subjects = new Map();
    const subject: RecordedSubject = { source, sled: this.sled, of };
    this.#subjects.set(key, subject);
    return subject;
  }
}

/** Zones that a set has rows of. */
function zonesOf(set: RecordedSet): number {
  if (set.tool === "kstat") return new Set(set.of.kstats.flatMap(({ zonename }) => zonename ?? [])).size;
  const { summary, resources, psets } = set.of;
  const rows = [summary?.rows ?? [], ...resources.map((resource) => resource.rows), ...psets.map((pset) => pset.rows)].flat();
  return new Set(rows.flatMap(({ zone }) => (isAggregate(zone) ? [] : zone))).size;
}
