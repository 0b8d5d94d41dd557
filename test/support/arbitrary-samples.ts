import fc from "fast-check";
import {
  DATUM_TYPES,
  FIELD_TYPES,
  fieldSet,
  isHistogramType,
  type Datum,
  type DatumType,
  type FieldSet,
  type FieldValue,
  type ProducerResult,
  type Sample,
} from "../../src/core/index.ts";

const U64_MAX = (1n << 64n) - 1n;
const EDGES = [0n, 1n, (1n << 53n) - 1n, 1n << 53n, (1n << 53n) + 1n, (1n << 63n) - 1n, 1n << 63n, U64_MAX];

/** Integers of a type, with its ends and the places where doubles lose digits well represented. */
export function integers(type: string): fc.Arbitrary<bigint> {
  const bits = BigInt(type.slice(1));
  const [min, max] = type.startsWith("i") ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  const edges = [min, max, ...EDGES.flatMap((edge) => [edge, -edge])].filter((edge) => edge >= min && edge <= max);
  return fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min, max }));
}

const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
const floats = fc.float({ noNaN: true, noDefaultInfinity: true });
const numbers = (type: string): fc.Arbitrary<bigint | number> => (type === "f64" ? doubles : type === "f32" ? floats : integers(type));

/** Nanoseconds of the years 1970 to 2200, whole seconds and odd fractions. */
export const times = fc.oneof(
  fc.bigInt({ min: 0n, max: 7_258_118_400n }).map((seconds) => seconds * 1_000_000_000n),
  fc.bigInt({ min: 0n, max: 7_258_118_400_000_000_000n }),
);

const text = fc.string({ unit: "grapheme", maxLength: 12 });

function fieldValues(): fc.Arbitrary<FieldValue> {
  return fc.constantFrom(...FIELD_TYPES).chain((type): fc.Arbitrary<FieldValue> => {
    if (type === "string") return text.map((value) => ({ type, value }));
    if (type === "uuid") return fc.uuid().map((value) => ({ type, value }));
    if (type === "ip_addr")
      return fc.oneof(fc.ipV4(), fc.constantFrom("fd00::1", "::", "fd00:1122:3344:101::20")).map((value) => ({ type, value }));
    if (type === "bool") return fc.boolean().map((value) => ({ type, value }));
    return integers(type).map((value) => ({ type, value }));
  });
}

const quantiles = fc.record({
  p: fc.constantFrom(0.5, 0.9, 0.99),
  markerHeights: fc.array(doubles, { minLength: 5, maxLength: 5 }),
  markerPositions: fc.array(integers("u64"), { minLength: 5, maxLength: 5 }),
  desiredMarkerPositions: fc.array(doubles, { minLength: 5, maxLength: 5 }),
});

function datums(type: DatumType | "missing"): fc.Arbitrary<Datum> {
  if (type === "missing") {
    return fc
      .tuple(fc.constantFrom(...DATUM_TYPES), fc.option(times))
      .map(([datumType, startTimeNs]): Datum => ({ type, datumType, startTimeNs }));
  }
  if (type === "bool") return fc.boolean().map((value) => ({ type, value }));
  if (type === "string") return text.map((value) => ({ type, value }));
  if (type === "bytes") return fc.uint8Array({ maxLength: 8 }).map((value) => ({ type, value: Uint8Array.from(value) }));
  if (isHistogramType(type)) {
    const support = type.slice("histogram_".length);
    const value = fc.record({
      edges: fc.uniqueArray(numbers(support), { minLength: 1, maxLength: 5 }),
      min: numbers(support),
      max: numbers(support),
      sumOfSamples: support.startsWith("f") ? doubles : integers("i64"),
      squaredMean: doubles,
      p50: quantiles,
      p90: quantiles,
      p99: quantiles,
    });
    return fc
      .tuple(times, value, fc.array(fc.bigInt({ min: 0n, max: 1n << 60n }), { minLength: 5, maxLength: 5 }))
      .map(
        ([startTimeNs, histogram, counts]) =>
          ({ type, startTimeNs, value: { ...histogram, counts: counts.slice(0, histogram.edges.length) } }) as Datum,
      );
  }
  if (type.startsWith("cumulative_")) {
    return fc
      .tuple(times, numbers(type.slice("cumulative_".length)))
      .map(([startTimeNs, value]) => ({ type, startTimeNs, value }) as Datum);
  }
  return numbers(type).map((value) => ({ type, value }) as Datum);
}

const names = fc.stringMatching(/^[a-z]{1,6}(_[a-z0-9]{1,4})?$/);
const fieldSets: fc.Arbitrary<FieldSet> = fc
  .uniqueArray(fc.record({ name: names, value: fieldValues() }), { selector: (field) => field.name, maxLength: 5 })
  .map(fieldSet);

export const samples: fc.Arbitrary<Sample> = fc
  .tuple(
    names,
    names,
    fc.integer({ min: 1, max: 255 }),
    fieldSets,
    fieldSets,
    times,
    fc.constantFrom(...DATUM_TYPES, "missing" as const).chain(datums),
  )
  .map(([target, metric, timeseriesVersion, targetFields, metricFields, timestampNs, datum]) => ({
    timeseriesName: `${target}:${metric}`,
    timeseriesVersion,
    target: { name: target, fields: targetFields },
    metric: { name: metric, fields: metricFields },
    timestampNs,
    datum,
  }));

/** Any results of a producer that the wire format can say. */
export const producerResults: fc.Arbitrary<ProducerResult[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.array(samples, { maxLength: 6 }).map((list): ProducerResult => ({ status: "ok", samples: list })) },
    { weight: 1, arbitrary: text.map((content): ProducerResult => ({ status: "err", error: { type: "datum_error", content } })) },
    { weight: 1, arbitrary: fc.constant<ProducerResult>({ status: "err", error: { type: "invalid_timeseries_name" } }) },
  ),
  { maxLength: 4 },
);
