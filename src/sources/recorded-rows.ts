import type { GiveMeasurement } from "./zonestat-readings.ts";
import type { Reading, SledIdentity, SledSubject, SourceName, ZoneSubject } from "./source.ts";

/** Whom a row is about. The same object for all rows of a file that are about the same, over all its instants. */
export interface RecordedSubject {
  readonly source: SourceName;
  readonly sled: SledIdentity;
  readonly of: ZoneSubject | SledSubject;
}

/** Takes rows one value at a time, so that millions of them need no objects. */
export interface RowSink {
  /** Ends the row before, and begins one. */
  row(subject: RecordedSubject, timestampNs: bigint): void;
  reading(reading: Reading): void;
  /** A reading without labels. Called without its object. */
  readonly measured: GiveMeasurement;
  /** Ends the last row. */
  end(): void;
}

export type GiveRows = (sink: RowSink) => void;
