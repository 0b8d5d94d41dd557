import { LosslessNumber, parse } from "lossless-json";
import {
  fieldSet,
  isHistogramType,
  isIntegerType,
  parseRfc3339,
  type Datum,
  type DatumType,
  type ProducerResult,
  type Quantile,
  type Sample,
} from "../../src/core/index.ts";

/* eslint-disable @typescript-eslint/no-explicit-any */
type Json = any;

const integer = (value: LosslessNumber): bigint => BigInt(value.toString());
const float = (value: LosslessNumber): number => Number(value.toString());
const timeNs = (text: string): bigint => parseRfc3339(text)!;

/** A second, slow reader over a general lossless parser: what the product's reader must agree with on well-formed bodies. */
export function readWithLosslessJson(body: string): ProducerResult[] {
  return (parse(body) as Json[]).map((result: Json): ProducerResult => {
    if (result.status === "err") {
      const { type, content } = result.info;
      return { status: "err", error: content === undefined ? { type } : { type, content } };
    }
    return { status: "ok", samples: result.info.map(readSample) };
  });
}

function readSample(json: Json): Sample {
  return {
    timeseriesName: json.timeseries_name,
    timeseriesVersion: json.timeseries_version === undefined ? 1 : float(json.timeseries_version),
    target: { name: json.target.name, fields: readFields(json.target.fields) },
    metric: { name: json.metric.name, fields: readFields(json.metric.fields) },
    timestampNs: timeNs(json.measurement.timestamp),
    datum: readDatum(json.measurement.datum.type, json.measurement.datum.datum),
  };
}

function readFields(json: Json): Sample["target"]["fields"] {
  return fieldSet(
    Object.values(json).map(({ name, value }: Json) => ({
      name,
      value: { type: value.type, value: isIntegerType(value.type) ? integer(value.value) : value.value },
    })),
  );
}

function readDatum(type: DatumType | "missing", json: Json): Datum {
  const scalar = (of: string, value: Json): bigint | number =>
    of === "f32" ? Math.fround(float(value)) : of === "f64" ? float(value) : integer(value);
  if (type === "missing")
    return { type, datumType: json.datum_type, startTimeNs: json.start_time === null ? null : timeNs(json.start_time) };
  if (type === "bool" || type === "string") return { type, value: json } as Datum;
  if (type === "bytes") return { type, value: Uint8Array.from(json as LosslessNumber[], float) };
  if (isHistogramType(type)) {
    const support = type.slice("histogram_".length);
    const value = {
      edges: json.bins.map((bin: Json) => scalar(support, bin.range.start)),
      counts: json.bins.map((bin: Json) => integer(bin.count)),
      min: scalar(support, json.min),
      max: scalar(support, json.max),
      sumOfSamples: support.startsWith("f") ? float(json.sum_of_samples) : integer(json.sum_of_samples),
      squaredMean: float(json.squared_mean),
      p50: readQuantile(json.p50),
      p90: readQuantile(json.p90),
      p99: readQuantile(json.p99),
    };
    return { type, startTimeNs: timeNs(json.start_time), value };
  }
  if (type.startsWith("cumulative_"))
    return { type, startTimeNs: timeNs(json.start_time), value: scalar(type.slice(11), json.value) } as Datum;
  return { type, value: scalar(type, json) } as Datum;
}

const readQuantile = (json: Json): Quantile => ({
  p: float(json.p),
  markerHeights: json.marker_heights.map(float),
  markerPositions: json.marker_positions.map(integer),
  desiredMarkerPositions: json.desired_marker_positions.map(float),
});
