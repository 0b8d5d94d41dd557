import { fitsInteger, isIntegerType, PRODUCER_LOGGED_READINGS, type Catalogue, type DatumType } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { SledIdentity, Snapshot } from "../sources/index.ts";
import { ValueBlocks } from "./packed-values.ts";
import type { Series, SampleGroup } from "./sample-group.ts";
import type { SourceAuthority } from "./source-authority.ts";
import { SubjectPlans, type SubjectPlan } from "./subject-plans.ts";

export interface SnapshotSamplesOptions {
  readonly catalogue: Catalogue;
  /** The producer's own sled, for snapshots that name none. */
  readonly sled: SledIdentity;
  readonly authority: SourceAuthority;
  readonly logger: Logger;
}

/** What a snapshot came to: every reading with a value is in exactly one of these, or suppressed because another source speaks for its metric. */
export interface ConvertedSnapshot {
  /** Null where no reading became a sample. */
  readonly group: SampleGroup | null;
  /** Readings without a value that have had one before; what a platform does not have is not missing. */
  readonly missing: number;
  /** Readings whose metric or labels the schema does not have. */
  readonly notInSchema: number;
  /** Readings whose value does not fit the declared type, which would spoil the whole response. */
  readonly outOfRange: number;
}

/** Turns snapshots into samples as the schema catalogue declares them: `zone_resource` for zones, `sled_resource` for sleds. */
export class SnapshotSamples {
  readonly #options: SnapshotSamplesOptions;
  readonly #plans: SubjectPlans;
  readonly #logged = new Set<string>();
  /** By source, since groups of one source are given up in the order in which they came. */
  readonly #blocks = new Map<string, ValueBlocks>();

  constructor(options: SnapshotSamplesOptions) {
    this.#options = options;
    this.#plans = new SubjectPlans(options.catalogue);
  }

  /** `source` is the configured source that took the snapshot; the samples' own `source` field is the snapshot's. */
  convert(snapshot: Snapshot, source: string): ConvertedSnapshot {
    const { subject } = snapshot;
    const sled = snapshot.sled ?? this.#options.sled;
    const plan = this.#plans.plan(snapshot, sled);
    const series: Series[] = [];
    const values: (bigint | number)[] = [];
    let [missing, notInSchema, outOfRange] = [0, 0, 0];
    for (const reading of snapshot.readings) {
      const { metric, labels } = reading;
      if (!this.#options.authority.admits(sled.sledId, subject.kind, metric, snapshot.source, reading.value !== null)) continue;
      if (reading.value === null) {
        if (this.#plans.isMeasured(plan, metric, labels)) missing += 1;
        continue;
      }
      const own = plan.target === null ? null : this.#plans.series(plan, snapshot, metric, labels);
      if (own === null) {
        notInSchema += 1;
        this.#logOnce(snapshot, metric, labels, "a reading has no place in the schema and is dropped");
        continue;
      }
      const value = fitValue(own.datumType, reading.value);
      if (value === null) {
        outOfRange += 1;
        this.#logOnce(snapshot, metric, labels, `a reading does not fit ${own.datumType} and is dropped`);
        continue;
      }
      series.push(own);
      values.push(value);
    }
    return { group: this.#group(snapshot, source, plan, series, values), missing, notInSchema, outOfRange };
  }

  /** A live source was read once more, and gave so many snapshots: what it no longer told of is forgotten. */
  endRead(source: string, snapshots: number): void {
    this.#plans.endRound(source, snapshots);
  }

  #group(
    { timestampNs, subject: { startTimeNs } }: Snapshot,
    source: string,
    plan: SubjectPlan,
    given: readonly Series[],
    values: readonly (bigint | number)[],
  ): SampleGroup | null {
    const { target } = plan;
    if (target === null || given.length === 0) return null;
    const series = this.#plans.shared(plan, given);
    let blocks = this.#blocks.get(source);
    if (blocks === undefined) this.#blocks.set(source, (blocks = new ValueBlocks()));
    return { source, target, timestampNs, startTimeNs, series, values: blocks.store(series, values), partial: false };
  }

  #logOnce(snapshot: Snapshot, metric: string, labels: Readonly<Record<string, string>>, text: string): void {
    const key = `${text} ${snapshot.source} ${metric} ${JSON.stringify(labels)}`;
    if (this.#logged.size >= PRODUCER_LOGGED_READINGS || this.#logged.has(key)) return;
    this.#logged.add(key);
    this.#options.logger.warn({ source: snapshot.source, subject: snapshot.subject.kind, metric, labels }, text);
  }
}

/** The value in the form that the datum type wants, or null where it does not fit. A whole number may come as either. */
function fitValue(type: DatumType, value: bigint | number): bigint | number | null {
  const scalar = type.startsWith("cumulative_") ? type.slice("cumulative_".length) : type;
  if (isIntegerType(scalar)) {
    if (typeof value === "number" && !Number.isSafeInteger(value)) return null;
    const whole = BigInt(value);
    return fitsInteger(scalar, whole) ? whole : null;
  }
  const float = Number(value);
  return Number.isFinite(scalar === "f32" ? Math.fround(float) : float) ? float : null;
}
