/**
 * A source measures zones; it does not interpret. `read` may be called again after it settled, never twice at once; the sampler owns
 * the deadline and gives it as `signal`. It resolves with whatever could be read: a statistic that failed is a reading with a
 * reason. It rejects with ZonemeterError `unavailable` only when nothing at all could be read. `close` ends children and resolves when they are reaped.
 */
export interface Source {
  readonly name: SourceName;
  /** Time between two readings now, where the source stretches it by itself because they are dear. */
  readonly periodMs?: number;
  read(signal: AbortSignal): Promise<SourceReport>;
  close(): Promise<void>;
}

export const SOURCE_NAMES = ["kstat", "zonestat", "vmusage", "cgroup", "replay"] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

export interface SourceReport {
  readonly snapshots: readonly Snapshot[];
  /** What was found damaged or doubtful, one sentence each; for the log and `zonemeter sample`. */
  readonly diagnostics: readonly Diagnostic[];
  /** True once a finite source has given its last snapshot. */
  readonly ended: boolean;
}

export interface Diagnostic {
  readonly code: string;
  readonly text: string;
  /** Line of the input, from 1, where there is one. */
  readonly line: number | null;
  /** How many findings it stands for; one where it is left out. */
  readonly count?: number;
}

/** One subject at one instant: all readings share the timestamp. */
export interface Snapshot {
  /** The source whose numbers these are: for `replay`, the source that was recorded. */
  readonly source: SourceName;
  readonly subject: ZoneSubject | SledSubject;
  /** Set where the numbers are of another sled than the producer's own (replay). */
  readonly sled: SledIdentity | null;
  /** Nanoseconds since the epoch. Stamps of one subject never fall. */
  readonly timestampNs: bigint;
  readonly readings: readonly Reading[];
}

/** One incarnation of a zone. */
export interface ZoneSubject {
  readonly kind: "zone";
  readonly zoneName: string;
  /** From `oxz_TYPE_UUID`; "" and the nil UUID for other names. */
  readonly zoneType: string;
  readonly zoneId: string;
  /** Name and creation of this incarnation; equal exactly as long as its counters go on. */
  readonly incarnation: string;
  /** When its counters were 0: equal from sample to sample, over restarts of the agent too; later than the last stamp of the incarnation before. */
  readonly startTimeNs: bigint;
}

export interface SledSubject {
  readonly kind: "sled";
  /** When the sled's counters were 0. */
  readonly startTimeNs: bigint;
}

/** The target fields of every timeseries. */
export interface SledIdentity {
  readonly rackId: string;
  readonly sledId: string;
  readonly sledModel: string;
  readonly sledRevision: number;
  readonly sledSerial: string;
}

/**
 * One statistic: `metric` is a metric name of the schema without its target, `labels` are its enumerated metric fields
 * (`state` → `user`). Base units: ns, bytes, counts. Not measured: `value` null and a reason, never 0.
 */
export type Reading =
  | { readonly metric: string; readonly labels: Readonly<Record<string, string>>; readonly value: bigint | number }
  | { readonly metric: string; readonly labels: Readonly<Record<string, string>>; readonly value: null; readonly reason: string };
