import {
  fitsInteger,
  formatRfc3339,
  isHistogramType,
  isIntegerType,
  ZonemeterError,
  type Datum,
  type ProducerResult,
  type Sample,
} from "../core/index.ts";
import { ByteWriter } from "./byte-writer.ts";
import { quoteJson, stringifyExact, type ExactJson } from "./exact-json.ts";
import type { NamedFields } from "./read-fields.ts";
import { histogramJson } from "./write-histogram.ts";

/** What one source has to say, its samples made as they are written. */
export type ProducerResultToWrite =
  | { readonly status: "ok"; readonly samples: Iterable<Sample> }
  | Exclude<ProducerResult, { status: "ok" }>;

/**
 * Body of a `GET /{producer_id}` answer, in pieces, so that a large one is never in memory as a whole: compact JSON, `status` before `info`, keys of fields in
 * byte order, integers as bare digits. What a reader would refuse the whole body for (an integer out of its range, a float that is not finite)
 * throws `internal`: those who make samples keep such values out.
 */
export function* writeProducerResults(results: Iterable<ProducerResultToWrite>): Generator<Buffer, void, undefined> {
  const out = new ByteWriter(BUFFER_BYTES);
  let before = "[";
  for (const result of results) {
    out.text(before);
    before = ",";
    if (result.status === "err") {
      out.text(`{"status":"err","info":${stringifyExact({ ...result.error } as ExactJson)}}`);
      continue;
    }
    out.text('{"status":"ok","info":[');
    let following = false;
    for (const sample of result.samples) {
      writeSample(out, sample, following);
      following = true;
      if (out.length >= PIECE_BYTES) yield out.take();
    }
    out.text("]}");
  }
  out.text(before === "[" ? "[]" : "]");
  yield out.take();
}

/** Bytes after which a piece is given out, and those of its buffer: the last sample of it has room too. */
const PIECE_BYTES = 120 * 1024;
const BUFFER_BYTES = 128 * 1024;

function writeSample(out: ByteWriter, sample: Sample, isFollowing: boolean): void {
  out.text(
    `${isFollowing ? "," : ""}{"measurement":{"timestamp":${timeJson(sample.timestampNs)},"datum":${datumJson(sample)}},` +
      `"timeseries_name":"${sample.timeseriesName}","timeseries_version":${sample.timeseriesVersion},"target":`,
  );
  out.bytes(namedFieldsJson(sample.target));
  out.bytes(BEFORE_METRIC);
  out.bytes(namedFieldsJson(sample.metric));
  out.bytes(AFTER_METRIC);
}

const BEFORE_METRIC = Buffer.from(',"metric":');
const AFTER_METRIC = Buffer.from("}");

/** Targets and metrics are shared by many samples, so each one's text is made once and lives as long as the object does. */
const namedFieldsTexts = new WeakMap<NamedFields, Buffer>();

function namedFieldsJson(named: NamedFields): Buffer {
  const known = namedFieldsTexts.get(named);
  if (known !== undefined) return known;
  const fields = named.fields.map(({ name, value }) => {
    if (isIntegerType(value.type) && !fitsInteger(value.type, value.value as bigint)) fail(`field ${name}`, value.value);
    return `${quoteJson(name)}:{"name":${quoteJson(name)},"value":{"type":"${value.type}","value":${stringifyExact(value.value)}}}`;
  });
  const text = Buffer.from(`{"name":${quoteJson(named.name)},"fields":{${fields.join(",")}}}`);
  namedFieldsTexts.set(named, text);
  return text;
}

// Samples of a snapshot share their times, and counters of a zone their start, so the texts of the newest two are kept.
let timeA = { ns: 0n, text: '"1970-01-01T00:00:00Z"' };
let timeB = timeA;

function timeJson(ns: bigint): string {
  if (timeA.ns === ns) return timeA.text;
  if (timeB.ns === ns) return timeB.text;
  timeB = timeA;
  timeA = { ns, text: `"${formatRfc3339(ns)}"` };
  return timeA.text;
}

function datumJson(sample: Sample): string {
  const { datum } = sample;
  switch (datum.type) {
    case "cumulative_u64":
      return `{"type":"cumulative_u64","datum":{"start_time":${timeJson(datum.startTimeNs)},"value":${integer(sample, "u64", datum.value)}}}`;
    case "cumulative_i64":
      return `{"type":"cumulative_i64","datum":{"start_time":${timeJson(datum.startTimeNs)},"value":${integer(sample, "i64", datum.value)}}}`;
    case "cumulative_f32":
    case "cumulative_f64":
      return `{"type":"${datum.type}","datum":{"start_time":${timeJson(datum.startTimeNs)},"value":${float(sample, datum.value)}}}`;
    case "f32":
    case "f64":
      return `{"type":"${datum.type}","datum":${float(sample, datum.value)}}`;
    case "bool":
      return `{"type":"bool","datum":${datum.value}}`;
    case "string":
      return `{"type":"string","datum":${quoteJson(datum.value)}}`;
    case "bytes":
      return `{"type":"bytes","datum":[${datum.value.join(",")}]}`;
    case "missing":
      return `{"type":"missing","datum":{"datum_type":"${datum.datumType}","start_time":${datum.startTimeNs === null ? "null" : timeJson(datum.startTimeNs)}}}`;
  }
  if (isHistogram(datum)) return `{"type":"${datum.type}","datum":${histogramJson(datum.startTimeNs, datum.value)}}`;
  if (isIntegerType(datum.type)) return `{"type":"${datum.type}","datum":${integer(sample, datum.type, datum.value as bigint)}}`;
  return fail(sample.timeseriesName, `a datum of type ${datum.type}`);
}

const isHistogram = (datum: Datum): datum is Extract<Datum, { type: `histogram_${string}` }> =>
  datum.type !== "missing" && isHistogramType(datum.type);

function integer(sample: Sample, type: Parameters<typeof fitsInteger>[0], value: bigint): string {
  return fitsInteger(type, value) ? value.toString() : fail(sample.timeseriesName, value);
}

function float(sample: Sample, value: number): string {
  return Number.isFinite(value) ? String(value) : fail(sample.timeseriesName, value);
}

function fail(what: string, value: unknown): never {
  throw new ZonemeterError("internal", `${what} cannot be sent with the value ${String(value)}: it is out of the range of its type.`);
}
