import type { DatumType, FieldType, TimeseriesSchema, Units, Visibility } from "../core/index.ts";

/** What of a timeseries cannot change once samples of it are stored. Keys are those of the lock file. */
export interface FrozenTimeseries {
  readonly version: number;
  readonly datum_type: DatumType;
  readonly units: Units;
  readonly visibility: Visibility;
  readonly fields: Readonly<Record<string, FrozenField>>;
}

export interface FrozenField {
  readonly source: "target" | "metric";
  readonly type: FieldType;
  readonly values?: readonly string[] | undefined;
}

/** Frozen timeseries by name. */
export type Frozen = ReadonlyMap<string, FrozenTimeseries>;

export function freeze(schemas: Iterable<TimeseriesSchema>): Frozen {
  const frozen = new Map<string, FrozenTimeseries>();
  for (const schema of schemas) {
    const fields: Record<string, FrozenField> = {};
    for (const { name, source, type, values } of schema.fields) fields[name] = { source, type, ...(values === null ? {} : { values }) };
    const { version, datumType, units, visibility } = schema;
    frozen.set(schema.timeseriesName, { version, datum_type: datumType, units, visibility, fields });
  }
  return frozen;
}

/** A refused difference. `about` is where in a definition it stands: the visibility, datum type or units, or a field's name. */
export interface FrozenChange {
  readonly rule: string;
  readonly about: "visibility" | "datum_type" | "units" | { readonly field: string };
  readonly text: string;
}

/**
 * What must not change from one state of a timeseries to the next. New enumerated values may come, and a timeseries may be hidden from
 * customers; it may be shown to them only where `mayWiden`.
 */
export function refusedChanges(name: string, before: FrozenTimeseries, after: FrozenTimeseries, mayWiden: boolean): FrozenChange[] {
  const changes: FrozenChange[] = [];
  const refuse = (rule: string, about: FrozenChange["about"], text: string): void => {
    changes.push({ rule, about, text: `${name}: ${text}` });
  };
  if (before.datum_type !== after.datum_type) {
    refuse("datum-type-changed", "datum_type", `datum type ${before.datum_type} became ${after.datum_type}; give the metric another name`);
  }
  if (before.units !== after.units) {
    refuse("units-changed", "units", `units ${before.units} became ${after.units}; give the metric another name`);
  }
  if (before.visibility === "operator_only" && after.visibility === "customer" && !mayWiden) {
    refuse("visibility-widened", "visibility", `operator_only became customer; if that is meant, pass --widen ${name}`);
  }
  for (const [field, was] of Object.entries(before.fields)) {
    const is = Object.hasOwn(after.fields, field) ? after.fields[field] : undefined;
    if (is === undefined) refuse("fields-changed", { field }, `field "${field}" was removed; give the metric another name`);
    else changes.push(...refusedFieldChanges(name, field, was, is));
  }
  for (const field of Object.keys(after.fields)) {
    if (!Object.hasOwn(before.fields, field))
      refuse("fields-changed", { field }, `field "${field}" was added; give the metric another name`);
  }
  return changes;
}

function refusedFieldChanges(name: string, field: string, was: FrozenField, is: FrozenField): FrozenChange[] {
  const changes: FrozenChange[] = [];
  const refuse = (rule: string, text: string): void => {
    changes.push({ rule, about: { field }, text: `${name}: ${text}` });
  };
  if (was.source !== is.source) refuse("fields-changed", `field "${field}" moved from ${was.source} to ${is.source}`);
  if (was.type !== is.type) refuse("field-type-changed", `field "${field}" of type ${was.type} became ${is.type}`);
  if ((was.values === undefined) !== (is.values === undefined)) {
    refuse(
      "field-values-changed",
      `field "${field}" was ${was.values === undefined ? "open and is now enumerated" : "enumerated and is now open"}`,
    );
  }
  for (const value of was.values ?? []) {
    if (is.values !== undefined && !is.values.includes(value)) {
      refuse("field-values-changed", `value "${value}" of field "${field}" was removed; stored samples may have it`);
    }
  }
  return changes;
}
