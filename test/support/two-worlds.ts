import { Catalogue, fieldSet, type DatumType, type FieldSet, type TimeseriesSchema } from "../../src/core/index.ts";
import type { StoredSeries, StoredValue } from "./memory-data.ts";
import { PROJECTS, SILO_OF_BANK, SILO_OF_SHOP } from "./people.ts";
import { timeseries } from "./zone-schema.ts";

/** Monday, 3 March 2031, 12:00 UTC. */
export const NOW_NS = BigInt(Date.parse("2031-03-03T12:00:00Z")) * 1_000_000n;

const OF_PROJECT = [
  ["silo_id", "uuid"],
  ["project_id", "uuid"],
  ["instance", "string"],
] as const;
const OF_RACK = [["slot", "u8"]] as const;

const visible = (name: string, datumType: DatumType, fields: typeof OF_PROJECT | typeof OF_RACK): TimeseriesSchema =>
  timeseries(name, datumType, fields, [], { visibility: "customer" });
const hidden = (name: string, datumType: DatumType, fields: typeof OF_PROJECT | typeof OF_RACK): TimeseriesSchema =>
  timeseries(name, datumType, fields, []);

export const VISIBLE: readonly TimeseriesSchema[] = [
  visible("machine:busy", "cumulative_u64", OF_PROJECT),
  visible("machine:load", "f64", OF_PROJECT),
  visible("machine:state", "string", OF_PROJECT),
  visible("hardware:temperature", "f32", OF_RACK),
  visible("hardware:present", "bool", OF_RACK),
  visible("hardware:dump", "bytes", OF_RACK),
];

/** Some are one letter from a visible name, or close to what people mistype; some carry the fields of a project. */
export const HIDDEN: readonly TimeseriesSchema[] = [
  hidden("machine:busyy", "cumulative_u64", OF_PROJECT),
  hidden("machine:loads", "f64", OF_PROJECT),
  hidden("machine:check", "u64", OF_PROJECT),
  hidden("machines:busy", "cumulative_u64", OF_PROJECT),
  hidden("hardware:temperatures", "f32", OF_RACK),
  hidden("hardware:absent", "bool", OF_RACK),
  hidden("zone:cpu", "cumulative_u64", OF_RACK),
  hidden("zone:memory", "u64", OF_RACK),
];

export const BOTH = new Catalogue([...VISIBLE, ...HIDDEN]);

const string = (name: string, value: string) => ({ name, value: { type: "string", value } as const });
const uuid = (name: string, value: string) => ({ name, value: { type: "uuid", value } as const });

const MACHINES: readonly FieldSet[] = [
  [PROJECTS.shopWeb.id, SILO_OF_SHOP, "front"],
  [PROJECTS.shopTill.id, SILO_OF_SHOP, "counter"],
  [PROJECTS.bankWeb.id, SILO_OF_BANK, "front"],
  // Nobody may see another silo's data by a project id that is the same.
  [PROJECTS.shopWeb.id, SILO_OF_BANK, "stray"],
].map(([project, silo, instance]) => fieldSet([uuid("project_id", project!), uuid("silo_id", silo!), string("instance", instance!)]));
const SLOTS: readonly FieldSet[] = [3n, 4n].map((slot) => fieldSet([{ name: "slot", value: { type: "u8", value: slot } }]));

/** Ten samples, half a minute apart, of each series of a schema. */
export function seriesOf(schema: TimeseriesSchema): StoredSeries[] {
  const counted = schema.datumType.startsWith("cumulative_");
  const each = schema.fields.some(({ name }) => name === "project_id") ? MACHINES : SLOTS;
  return each.map((fields, which) => ({
    timeseriesName: schema.timeseriesName,
    fields,
    samples: Array.from({ length: 10 }, (_, index) => ({
      startTimeNs: counted ? NOW_NS - 3_600_000_000_000n : null,
      timestampNs: NOW_NS - BigInt(10 - index) * 30_000_000_000n,
      value: valueAt(schema.datumType, which, index),
    })),
  }));
}

function valueAt(type: DatumType, which: number, index: number): StoredValue {
  if (type === "string") return index % 2 === 0 ? "on" : "off";
  if (type === "bool") return index % 3 === 0;
  return type === "f32" || type === "f64" ? which + index / 4 : BigInt(100 * (which + 1) * index);
}
