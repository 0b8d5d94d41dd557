import {
  fieldSet,
  isCumulativeType,
  isIntegerType,
  type Datum,
  type FieldSet,
  type Sample,
  type TimeseriesSchema,
} from "../../src/core/index.ts";
import { schemaOf, sledFields, zoneFields, ZONE_SCHEMAS } from "./zone-schema.ts";

export interface ZoneSnapshot {
  readonly sled?: number;
  readonly type?: string;
  readonly zone?: number;
  readonly source?: string;
  readonly startTimeNs?: bigint;
  readonly timestampNs: bigint;
  /** By label: `cpu_nsec(state=user)`, `memory_resident`. */
  readonly values: Readonly<Record<string, bigint | number>>;
}

/** Samples of one zone at one instant, as a producer sends them. */
export function zoneSnapshot(snapshot: ZoneSnapshot): Sample[] {
  const { sled = 0, type = "propolis", zone = 1, source = "kstat", startTimeNs = 0n, timestampNs, values } = snapshot;
  const target = { name: "zone_resource", fields: sledFields(sled) };
  const fields = zoneFields(type, zone, source);
  return Object.entries(values).map(([label, value]) => {
    const [, metric, state] = /^(\w+)(?:\(state=(\w+)\))?$/.exec(label)!;
    const schema = schemaOf(`zone_resource:${metric!}`);
    const own = state === undefined ? fields : fieldSet([...fields, { name: "state", value: { type: "string", value: state } }]);
    return sampleOf(schema, target, own, timestampNs, startTimeNs, value);
  });
}

/** One sample of a schema, its datum of the schema's type. */
export function sampleOf(
  schema: TimeseriesSchema,
  target: Sample["target"],
  metricFields: FieldSet,
  timestampNs: bigint,
  startTimeNs: bigint,
  value: bigint | number | boolean | string,
): Sample {
  return {
    timeseriesName: schema.timeseriesName,
    timeseriesVersion: schema.version,
    target,
    metric: { name: schema.metricName, fields: metricFields },
    timestampNs,
    datum: datumOf(schema, startTimeNs, value),
  };
}

function datumOf({ datumType }: TimeseriesSchema, startTimeNs: bigint, value: bigint | number | boolean | string): Datum {
  if (isCumulativeType(datumType)) return { type: datumType, startTimeNs, value } as Datum;
  if (isIntegerType(datumType) || ["f32", "f64", "bool", "string"].includes(datumType)) return { type: datumType, value } as Datum;
  throw new Error(`no datum for ${datumType}`);
}

export { ZONE_SCHEMAS };
