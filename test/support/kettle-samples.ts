import { fieldSet, type Catalogue, type Datum, type Sample } from "../../src/core/index.ts";
import { Catalogue as Declared } from "../../src/core/index.ts";
import { timeseries } from "./zone-schema.ts";

/** `kettle:heat`, a cumulative u64 by kettle and mood. */
export const KETTLES: Catalogue = new Declared([
  timeseries("kettle:heat", "cumulative_u64", [["kettle_id", "uuid"]], [["mood", "string"]]),
]);

const kettle = {
  name: "kettle",
  fields: fieldSet([{ name: "kettle_id", value: { type: "uuid", value: "7e771e00-0000-4000-8000-000000000001" } }]),
};
const heat = { name: "heat", fields: fieldSet([{ name: "mood", value: { type: "string", value: "calm" } }]) };

export const FIRST_NS = 1_790_000_000_000_000_000n;

/** Sample number `number`, with that value unless another is given. */
export function heatSample(number: number, value: bigint = BigInt(number), more: Partial<Sample> = {}): Sample {
  const datum: Datum = { type: "cumulative_u64", startTimeNs: FIRST_NS - 1n, value };
  return {
    timeseriesName: "kettle:heat",
    timeseriesVersion: 1,
    target: kettle,
    metric: heat,
    timestampNs: FIRST_NS + BigInt(number),
    datum,
    ...more,
  };
}

export function heatSamples(first: number, count: number): Sample[] {
  return Array.from({ length: count }, (_, i) => heatSample(first + i));
}

export function valuesOf(samples: readonly Sample[]): bigint[] {
  return samples.flatMap(({ timeseriesName, datum }) =>
    timeseriesName === "kettle:heat" && datum.type === "cumulative_u64" ? [datum.value] : [],
  );
}
