import { Catalogue, type DatumType, type FieldType, type TimeseriesSchema } from "../../src/core/index.ts";
import { parse, plan, type Plan, type Query } from "../../src/oxql/index.ts";

/** Wednesday, 7 May 2031, 10:20:30 UTC. */
export const NOW_NS = BigInt(Date.parse("2031-05-07T10:20:30Z")) * 1_000_000n;

/** A made-up fleet of ferries. */
export const FERRIES = new Catalogue([
  schema("ferry:draught", "f64", { berth: "uuid", deck: "u8", loaded: "bool", name: "string", radio: "ip_addr" }),
  schema("ferry:crew", "i64", { name: "string" }),
  schema("ferry:flag", "string", { name: "string" }),
  schema("ferry:moving", "bool", { name: "string" }),
  schema("ferry:photo", "bytes", { name: "string" }),
  schema("engine:turns", "cumulative_u64", { cylinder: "i32", name: "string" }),
  schema("engine:fuel", "cumulative_f64", { cylinder: "i32", name: "string" }),
  schema("engine:knocks", "histogram_i32", { name: "string" }),
  schema("engine:strokes", "histogram_f64", { name: "string" }),
  schema("harbour:turns", "f32", { name: "string", quay: "string" }),
  schema("clock:timestamp", "i32", { timestamp: "string", datum: "u64" }),
]);

function schema(timeseriesName: string, datumType: DatumType, fields: Readonly<Record<string, FieldType>>): TimeseriesSchema {
  const [targetName, metricName] = timeseriesName.split(":") as [string, string];
  return {
    timeseriesName,
    targetName,
    metricName,
    version: 1,
    targetDescription: "",
    metricDescription: `what ${metricName} is`,
    authzScope: "fleet",
    visibility: "operator_only",
    units: "none",
    datumType,
    fields: Object.keys(fields)
      .sort()
      .map((name) => ({
        name,
        type: fields[name]!,
        source: "target",
        description: "",
        values: name === "quay" ? ["north", "it's south"] : null,
      })),
  };
}

export function read(text: string, dialect: "zonemeter" | "upstream" = "zonemeter"): Query {
  return parse(text, { nowNs: NOW_NS, dialect });
}

export function planned(text: string): Plan {
  return plan(read(text), FERRIES);
}
