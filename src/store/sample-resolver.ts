import {
  datumTypeOf,
  fieldSet,
  fieldSetIdentity,
  STORE_RESOLVED_SAMPLES,
  type Datum,
  type FieldSchema,
  type FieldSet,
  type Sample,
} from "../core/index.ts";
import { isWellFormed } from "./field-type.ts";
import type { Layout, TimeseriesDesign } from "./layout.ts";
import type { FieldsEntry, SeriesRegistry } from "./series-registry.ts";
import type { RefusalReason } from "./store.ts";
import type { WideColumn, WideTable } from "./wide-table.ts";

/** A table with what is known of its series. */
export interface TableState {
  readonly table: WideTable;
  readonly registry: SeriesRegistry;
}

/** Where a sample goes. */
export interface Resolved {
  readonly state: TableState;
  readonly entry: FieldsEntry;
  readonly column: WideColumn;
}

export interface Refusal {
  readonly reason: RefusalReason;
  /** One sentence, the same for all samples of one cause. */
  readonly message: string;
}

/** Times that samples may have, in nanoseconds since the epoch. */
export interface TimeBounds {
  readonly oldestNs: bigint;
  readonly newestNs: bigint;
}

interface Destination {
  readonly design: TimeseriesDesign;
  readonly state: TableState;
  /** By the identity of the enumerated fields. */
  readonly columns: ReadonlyMap<string, WideColumn>;
  /** By the identity of all fields. */
  resolved: Map<string, Resolved>;
}

/** Checks samples against their schemas and finds their places. One bad sample is refused alone. */
export class SampleResolver {
  readonly #layout: Layout;
  readonly #destinations = new Map<string, Destination>();
  readonly #targets = new WeakMap<Sample["target"], string>();
  #remembered = 0;

  constructor(layout: Layout, states: readonly TableState[]) {
    this.#layout = layout;
    const byName = new Map(states.map((state) => [state.table.design.name, state]));
    for (const [name, design] of layout.timeseries) {
      const state = byName.get(design.table.name)!;
      const wanted = new Set(design.columns.map((column) => column.label));
      const columns = state.table.columns
        .filter((column) => wanted.has(column.label))
        .map((column) => [fieldSetIdentity(column.fields), column] as const);
      this.#destinations.set(name, { design, state, columns: new Map(columns), resolved: new Map() });
    }
  }

  resolve(sample: Sample, bounds: TimeBounds): Resolved | Refusal {
    const destination = this.#destinations.get(sample.timeseriesName);
    if (destination === undefined) return this.#refuseName(sample.timeseriesName);
    return (
      checkNames(sample, destination.design) ??
      checkDatum(sample, destination.design) ??
      checkTime(sample, bounds) ??
      this.#place(sample, destination)
    );
  }

  /** Forgets where samples went: to be called when series have been forgotten. */
  forget(): void {
    for (const destination of this.#destinations.values()) destination.resolved = new Map();
    this.#remembered = 0;
  }

  #place(sample: Sample, destination: Destination): Resolved | Refusal {
    const identity = this.#targetIdentity(sample.target) + fieldSetIdentity(sample.metric.fields);
    const known = destination.resolved.get(identity);
    if (known !== undefined) return known;
    const refusal = checkFields(sample, destination.design);
    if (refusal !== null) return refusal;
    const open = new Set(destination.design.table.openFields.map((field) => field.name));
    const fields: FieldSet = [...sample.target.fields, ...sample.metric.fields];
    const enumerated = fieldSet(fields.filter((field) => !open.has(field.name)));
    const column = destination.columns.get(fieldSetIdentity(enumerated));
    if (column === undefined)
      return mismatch(sample, `a combination of ${enumerated.map(({ name }) => `"${name}"`).join(", ")} that its schema does not list`);
    const entry = destination.state.registry.entryOf(fieldSet(fields.filter((field) => open.has(field.name))));
    const resolved: Resolved = { state: destination.state, entry, column };
    if (this.#remembered >= STORE_RESOLVED_SAMPLES) this.forget();
    destination.resolved.set(identity, resolved);
    this.#remembered += 1;
    return resolved;
  }

  /** Samples of one snapshot share their target object. */
  #targetIdentity(target: Sample["target"]): string {
    let identity = this.#targets.get(target);
    if (identity === undefined) this.#targets.set(target, (identity = `${fieldSetIdentity(target.fields)}|`));
    return identity;
  }

  #refuseName(name: string): Refusal {
    const why = this.#layout.unstorable.get(name);
    if (why !== undefined) return { reason: "unstorable", message: `Timeseries "${name}" ${why}.` };
    return { reason: "unknown_timeseries", message: `No schema declares timeseries "${name}": add it to the schema files.` };
  }
}

/** What the checks of names and fields need of a timeseries. */
export type CheckedTimeseries = Pick<TimeseriesDesign, "schema" | "targetFields" | "metricFields">;

export function checkNames(sample: Sample, { schema }: CheckedTimeseries): Refusal | null {
  if (sample.target.name === schema.targetName && sample.metric.name === schema.metricName) return null;
  return mismatch(sample, "samples whose target and metric have other names");
}

function checkDatum(sample: Sample, { schema }: TimeseriesDesign): Refusal | null {
  const type = datumTypeOf(sample.datum);
  if (type !== schema.datumType) return mismatch(sample, `data of type ${type} where its schema has ${schema.datumType}`);
  if (sample.datum.type === "missing")
    return { reason: "missing_datum", message: `Timeseries "${sample.timeseriesName}" has samples without a value, which are not kept.` };
  return null;
}

export function checkTime(sample: Sample, bounds: TimeBounds): Refusal | null {
  const name = sample.timeseriesName;
  if (sample.timestampNs < bounds.oldestNs)
    return { reason: "expired", message: `Timeseries "${name}" has samples older than the store keeps: check the clock of their sled.` };
  if (sample.timestampNs > bounds.newestNs)
    return { reason: "future", message: `Timeseries "${name}" has samples of times to come: check the clock of their sled.` };
  const startTimeNs = startTimeOf(sample.datum);
  if (startTimeNs > sample.timestampNs) return mismatch(sample, "samples that lie before their own start time");
  if (startTimeNs < 0n) return mismatch(sample, "samples whose start time lies before 1970");
  return null;
}

/** Start time of a counter, 0 for gauges. */
export function startTimeOf(datum: Datum): bigint {
  return "startTimeNs" in datum ? (datum.startTimeNs ?? 0n) : 0n;
}

export function checkFields(sample: Sample, design: CheckedTimeseries): Refusal | null {
  return (
    checkFieldSet(sample, "target", sample.target.fields, design.targetFields) ??
    checkFieldSet(sample, "metric", sample.metric.fields, design.metricFields)
  );
}

function checkFieldSet(sample: Sample, of: string, fields: FieldSet, schemas: readonly FieldSchema[]): Refusal | null {
  for (const schema of schemas) {
    const value = fields.find((field) => field.name === schema.name)?.value;
    if (value === undefined) return mismatch(sample, `samples without ${of} field "${schema.name}"`);
    if (value.type !== schema.type)
      return mismatch(sample, `${of} field "${schema.name}" of type ${value.type} where its schema has ${schema.type}`);
    if (!isWellFormed(value)) return mismatch(sample, `${of} field "${schema.name}" with text or numbers that are no ${schema.type}`);
    if (schema.values !== null && !schema.values.includes(String(value.value))) {
      return mismatch(sample, `${of} field "${schema.name}" with a value that its schema does not list`);
    }
  }
  if (fields.length === schemas.length) return null;
  const names = new Set(schemas.map((schema) => schema.name));
  const extra = fields.find((field) => !names.has(field.name));
  return mismatch(
    sample,
    extra === undefined ? `samples that give one ${of} field twice` : `${of} field "${extra.name}", which its schema does not have`,
  );
}

export function mismatch(sample: Sample, what: string): Refusal {
  return { reason: "schema_mismatch", message: `Timeseries "${sample.timeseriesName}" has ${what}.` };
}
