import {
  fieldSet,
  isCumulativeType,
  isIntegerType,
  PRODUCER_SUBJECTS,
  type Catalogue,
  type Field,
  type FieldSchema,
  type FieldValue,
  type TimeseriesSchema,
} from "../core/index.ts";
import type { SledIdentity, Snapshot } from "../sources/index.ts";
import type { Series } from "./sample-group.ts";

const TARGET_NAMES = { zone: "zone_resource", sled: "sled_resource" } as const;

/** Targets and series of one subject as one source sees it. The same object is used for all its samples, so that its text is made once. */
export interface SubjectPlan {
  readonly target: { readonly name: string; readonly fields: readonly Field[] } | null;
  /** By metric and labels; null where the schema has no place for them. */
  readonly series: Map<string, Series | null>;
  /** Those of the last snapshot, for all its samples to share. */
  lately: readonly Series[];
  /** The source, and its round in which the subject was last seen. */
  readonly source: string;
  round: number;
}

/** Finds, in the catalogue, what the readings of snapshots are called. */
export class SubjectPlans {
  readonly #catalogue: Catalogue;
  #plans = new Map<string, SubjectPlan>();
  #targets = new Map<string, SubjectPlan["target"]>();
  readonly #rounds = new Map<string, number>();
  #most = PRODUCER_SUBJECTS;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  plan(snapshot: Snapshot, sled: SledIdentity): SubjectPlan {
    const { subject, source } = snapshot;
    const key = `${sled.sledId}\n${source}\n${subject.kind === "zone" ? subject.incarnation : ""}`;
    const known = this.#plans.get(key);
    const round = this.#rounds.get(source) ?? 0;
    if (known !== undefined) {
      known.round = round;
      return known;
    }
    if (this.#plans.size >= this.#most) {
      this.#plans = new Map();
      this.#targets = new Map();
    }
    const plan: SubjectPlan = { target: this.#target(subject.kind, sled), series: new Map(), lately: [], source, round };
    this.#plans.set(key, plan);
    return plan;
  }

  /** Forgets what a source has not shown since the last call, and makes room for as many subjects as it has shown. */
  endRound(source: string, subjects: number): void {
    const round = this.#rounds.get(source) ?? 0;
    for (const [key, plan] of this.#plans) if (plan.source === source && plan.round !== round) this.#plans.delete(key);
    this.#rounds.set(source, round + 1);
    this.#most = Math.max(this.#most, this.#plans.size + subjects);
  }

  /** `series`, or the equal list that the snapshot before had: in the ring it would take as much memory as the values. */
  shared(plan: SubjectPlan, series: readonly Series[]): readonly Series[] {
    const { lately } = plan;
    if (lately.length !== series.length || series.some((each, i) => each !== lately[i])) plan.lately = series;
    return plan.lately;
  }

  /** Whether this reading has had a value before: one that the platform does not have never has. */
  isMeasured(plan: SubjectPlan, metric: string, labels: Readonly<Record<string, string>>): boolean {
    return (plan.series.get(seriesKey(metric, labels)) ?? null) !== null;
  }

  /** The series of one reading, or null where the schema has no such metric or it has other labels. */
  series(plan: SubjectPlan, snapshot: Snapshot, metric: string, labels: Readonly<Record<string, string>>): Series | null {
    const key = seriesKey(metric, labels);
    const known = plan.series.get(key);
    if (known !== undefined) return known;
    const made = this.#makeSeries(snapshot, metric, labels);
    plan.series.set(key, made);
    return made;
  }

  /** Every timeseries of a target has the same target fields, so any of them tells. */
  #target(kind: Snapshot["subject"]["kind"], sled: SledIdentity): SubjectPlan["target"] {
    const name = TARGET_NAMES[kind];
    const key = `${name}\n${Object.values(sled).join("\n")}`;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const schema = [...this.#catalogue].find((candidate) => candidate.targetName === name);
    const values: Readonly<Record<string, string>> = {
      rack_id: sled.rackId,
      sled_id: sled.sledId,
      sled_model: sled.sledModel,
      sled_revision: String(sled.sledRevision),
      sled_serial: sled.sledSerial,
    };
    const fields = schema === undefined ? null : fieldsOf(schema, "target", values);
    const target = fields === null ? null : { name, fields };
    this.#targets.set(key, target);
    return target;
  }

  #makeSeries({ subject, source }: Snapshot, metric: string, labels: Readonly<Record<string, string>>): Series | null {
    const schema = this.#catalogue.get(`${TARGET_NAMES[subject.kind]}:${metric}`);
    if (schema === undefined || !isNumeric(schema)) return null;
    const own =
      subject.kind === "zone" ? { zone_name: subject.zoneName, zone_type: subject.zoneType, zone_id: subject.zoneId, source } : { source };
    const fields = fieldsOf(schema, "metric", { ...labels, ...own });
    if (fields === null) return null;
    return {
      timeseriesName: schema.timeseriesName,
      timeseriesVersion: schema.version,
      metric: { name: metric, fields },
      datumType: schema.datumType,
    };
  }
}

function seriesKey(metric: string, labels: Readonly<Record<string, string>>): string {
  let key = metric;
  for (const label in labels) key += `\n${label}=${labels[label]}`;
  return key;
}

const isNumeric = ({ datumType }: TimeseriesSchema): boolean =>
  isIntegerType(datumType) || datumType === "f32" || datumType === "f64" || isCumulativeType(datumType);

/** The fields that a schema wants from `source`; null unless `values` has exactly those and each is as the schema says. */
function fieldsOf(
  schema: TimeseriesSchema,
  source: FieldSchema["source"],
  values: Readonly<Record<string, string>>,
): readonly Field[] | null {
  const wanted = schema.fields.filter((field) => field.source === source);
  if (wanted.length !== Object.keys(values).length) return null;
  const fields: Field[] = [];
  for (const field of wanted) {
    const text = Object.hasOwn(values, field.name) ? values[field.name]! : null;
    if (text === null || (field.values !== null && !field.values.includes(text))) return null;
    fields.push({ name: field.name, value: fieldValueOf(field, text) });
  }
  return fieldSet(fields);
}

function fieldValueOf({ type }: FieldSchema, text: string): FieldValue {
  if (isIntegerType(type)) return { type, value: BigInt(text) };
  if (type === "bool") return { type, value: text === "true" };
  return { type, value: text };
}
