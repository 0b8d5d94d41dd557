import { describe, expect, test } from "vitest";
import { fieldSet, type Datum, type Histogram, type ProducerResult, type Sample } from "../../src/core/index.ts";
import { ProducerResultsReader, readProducerResults } from "../../src/wire/index.ts";
import { producerBody } from "../support/producer-body.ts";

const target = {
  name: "oven",
  fields: fieldSet([
    { name: "serial", value: { type: "string", value: 'é"\\' } },
    { name: "row", value: { type: "u8", value: 255n } },
  ]),
};
const metric = { name: "heat", fields: fieldSet([]) };
const sampleOf = (datum: Datum): Sample => ({
  timeseriesName: "oven:heat",
  timeseriesVersion: 1,
  target,
  metric,
  timestampNs: 1_787_307_330_123_456_789n,
  datum,
});
const bodyOf = (datum: Datum): string => producerBody([{ status: "ok", samples: [sampleOf(datum)] }]).toString();
function samplesIn(results: readonly ProducerResult[]): readonly Sample[] {
  const [first] = results;
  return first?.status === "ok" ? first.samples : [];
}
const datumIn = (results: readonly ProducerResult[]): Datum => samplesIn(results)[0]!.datum;

/** A sample as text in which one part can be replaced. */
function text(parts: { datum?: string; name?: string; version?: string; timestamp?: string; fields?: string } = {}): string {
  const {
    datum = '{"type":"u64","datum":1}',
    name = '"oven:heat"',
    version = ',"timeseries_version":1',
    timestamp = '"2026-08-21T10:15:30Z"',
    fields = "{}",
  } = parts;
  return (
    `[{"status":"ok","info":[{"measurement":{"timestamp":${timestamp},"datum":${datum}},"timeseries_name":${name}${version},` +
    `"target":{"name":"oven","fields":${fields}},"metric":{"name":"heat","fields":{}}}]}]`
  );
}
const read = (body: string): Sample => samplesIn(readProducerResults(Buffer.from(body)))[0]!;

describe("writing", () => {
  test("a body is compact JSON with status first, fields in byte order and integers as bare digits", () => {
    expect(bodyOf({ type: "cumulative_u64", startTimeNs: 1_787_184_001_500_000_000n, value: 18446744073709551615n })).toBe(
      '[{"status":"ok","info":[{"measurement":{"timestamp":"2026-08-21T10:15:30.123456789Z","datum":{"type":"cumulative_u64","datum":' +
        '{"start_time":"2026-08-20T00:00:01.500Z","value":18446744073709551615}}},"timeseries_name":"oven:heat","timeseries_version":1,' +
        '"target":{"name":"oven","fields":{"row":{"name":"row","value":{"type":"u8","value":255}},"serial":{"name":"serial","value":' +
        '{"type":"string","value":"é\\"\\\\"}}}},"metric":{"name":"heat","fields":{}}}]}]',
    );
  });

  test("errors and empty sources keep their place", () => {
    const results: ProducerResult[] = [
      { status: "ok", samples: [] },
      { status: "err", error: { type: "datum_error", content: "could not read" } },
      { status: "err", error: { type: "invalid_timeseries_name" } },
    ];
    const body = producerBody(results);
    expect(body.toString()).toBe(
      '[{"status":"ok","info":[]},{"status":"err","info":{"type":"datum_error","content":"could not read"}},{"status":"err","info":{"type":"invalid_timeseries_name"}}]',
    );
    expect(readProducerResults(body)).toEqual(results);
  });

  test.each([
    [{ type: "u64", value: 1n << 64n }],
    [{ type: "i8", value: 128n }],
    [{ type: "cumulative_u64", startTimeNs: 0n, value: -1n }],
    [{ type: "f64", value: Number.NaN }],
    [{ type: "cumulative_f64", startTimeNs: 0n, value: Infinity }],
  ] as [Datum][])("what no reader would take is a defect, not a body: %o", (datum) => {
    expect(() => bodyOf(datum)).toThrow(expect.objectContaining({ code: "internal" }));
  });

  test("half of a surrogate pair does not spoil the body", () => {
    expect(datumIn(readProducerResults(Buffer.from(bodyOf({ type: "string", value: "a\ud800b" }))))).toEqual({
      type: "string",
      value: "a\ufffdb",
    });
  });
});

describe("64-bit integers", () => {
  test.each([
    0n,
    1n,
    999_999_999_999_999n,
    1_000_000_000_000_000n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
  ])("u64 %s survives both ways", (value) => {
    const body = bodyOf({ type: "u64", value });
    expect(body).toContain(`"datum":${value}}`);
    expect(datumIn(readProducerResults(Buffer.from(body)))).toEqual({ type: "u64", value });
  });

  test.each([-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 2n ** 63n - 1n])("i64 %s survives both ways", (value) => {
    expect(datumIn(readProducerResults(Buffer.from(bodyOf({ type: "i64", value }))))).toEqual({ type: "i64", value });
  });
});

describe("reading", () => {
  test("the version defaults to 1, keys may come in any order, unknown ones are ignored", () => {
    expect(read(text({ version: "" })).timeseriesVersion).toBe(1);
    const reordered =
      ' [ {"info" : [ {"metric":{"fields":{},"x":1,"name":"heat"},"later":{"a":[1,{"b":null}]},"target":{"fields":{},"name":"oven"},' +
      '"timeseries_version":255,"timeseries_name":"oven:heat","measurement":{"datum":{"datum":{"value":-7,"start_time":"2026-08-21T12:15:30+02:00"},"type":"cumulative_i64"},' +
      '"timestamp":"2026-08-21T03:45:30.000000001-06:30"}} ] ,\n"status":"ok"} ] ';
    expect(read(reordered)).toEqual({
      timeseriesName: "oven:heat",
      timeseriesVersion: 255,
      target: { name: "oven", fields: [] },
      metric: { name: "heat", fields: [] },
      timestampNs: 1_787_307_330_000_000_001n,
      datum: { type: "cumulative_i64", startTimeNs: 1_787_307_330_000_000_000n, value: -7n },
    });
  });

  test("a field is called by its inner name and is sorted by it", () => {
    const fields = '{"a":{"name":"zone","value":{"type":"bool","value":true}},"b":{"value":{"value":-5,"type":"i8"},"name":"age"}}';
    expect(read(text({ fields })).target.fields).toEqual([
      { name: "age", value: { type: "i8", value: -5n } },
      { name: "zone", value: { type: "bool", value: true } },
    ]);
  });

  test.each([
    ["0b7f4f0e-3f0a-4b57-9a3e-1f2f4c1d9b10"],
    ["0B7F4F0E-3F0A-4B57-9A3E-1F2F4C1D9B10"],
    ["0b7f4f0e3f0a4b579a3e1f2f4c1d9b10"],
    ["{0b7f4f0e-3f0a-4b57-9a3e-1f2f4c1d9b10}"],
    ["urn:uuid:0b7f4f0e-3f0a-4b57-9a3e-1f2f4c1d9b10"],
  ])("UUID %s is read as hyphenated lower case", (uuid) => {
    const fields = `{"id":{"name":"id","value":{"type":"uuid","value":"${uuid}"}}}`;
    expect(read(text({ fields })).target.fields).toEqual([
      { name: "id", value: { type: "uuid", value: "0b7f4f0e-3f0a-4b57-9a3e-1f2f4c1d9b10" } },
    ]);
  });

  test.each([
    ["10.0.0.1", "10.0.0.1"],
    ["FD00:0:0:0::1", "fd00::1"],
    ["::ffff:10.0.0.1", "::ffff:10.0.0.1"],
  ])("address %s is read as %s", (address, canonical) => {
    const fields = `{"ip":{"name":"ip","value":{"type":"ip_addr","value":"${address}"}}}`;
    expect(read(text({ fields })).target.fields[0]!.value).toEqual({ type: "ip_addr", value: canonical });
  });

  test("times keep their nanoseconds whatever the number of digits, and calendar ends are exact", () => {
    const at = (timestamp: string): bigint => read(text({ timestamp: `"${timestamp}"` })).timestampNs;
    expect(at("2026-08-21T10:15:30Z")).toBe(1_787_307_330_000_000_000n);
    expect(at("2026-08-21T10:15:30.5Z")).toBe(1_787_307_330_500_000_000n);
    expect(at("2026-08-21T10:15:30.000000001Z")).toBe(1_787_307_330_000_000_001n);
    expect(at("2026-08-21t10:15:30.123456789999z")).toBe(1_787_307_330_123_456_789n);
    expect(at("2024-02-29T23:59:59Z")).toBe(1_709_251_199_000_000_000n);
    expect(at("1969-12-31T23:59:59.999999999Z")).toBe(-1n);
  });

  test("floats take integers, 32-bit ones are rounded to what they can hold", () => {
    expect(read(text({ datum: '{"type":"f64","datum":3}' })).datum).toEqual({ type: "f64", value: 3 });
    expect(read(text({ datum: '{"type":"f64","datum":-1.5E+2}' })).datum).toEqual({ type: "f64", value: -150 });
    expect(read(text({ datum: '{"type":"f32","datum":0.1}' })).datum).toEqual({ type: "f32", value: Math.fround(0.1) });
  });

  test("missing datums keep the type that they would have had", () => {
    expect(read(text({ datum: '{"type":"missing","datum":{"datum_type":"f32","start_time":null}}' })).datum).toEqual({
      type: "missing",
      datumType: "f32",
      startTimeNs: null,
    });
    expect(
      read(text({ datum: '{"type":"missing","datum":{"datum_type":"cumulative_u64","start_time":"1970-01-01T00:00:01Z"}}' })).datum,
    ).toEqual({
      type: "missing",
      datumType: "cumulative_u64",
      startTimeNs: 1_000_000_000n,
    });
  });

  test("a histogram whose edges no double can hold", () => {
    const quantile =
      '{"p":0.5,"marker_heights":[0.0,0.0,0.0,0.0,0.0],"marker_positions":[1,2,3,4,0],"desired_marker_positions":[1.0,2.0,3.0,4.0,5.0]}';
    const datum =
      '{"type":"histogram_u64","datum":{"start_time":"1970-01-01T00:00:00Z","bins":[{"range":{"type":"range","start":0,"end":9223372036854775809},"count":1},' +
      `{"range":{"type":"range_from","start":9223372036854775809},"count":18446744073709551615}],"n_samples":2,"min":1,"max":18446744073709551615,"sum_of_samples":9223372036854775807,"squared_mean":0.5,"p50":${quantile},"p90":${quantile},"p99":${quantile}}}`;
    const value = read(text({ datum })).datum as { value?: Histogram };
    expect(value.value).toMatchObject({
      edges: [0n, 9223372036854775809n],
      counts: [1n, 18446744073709551615n],
      max: 18446744073709551615n,
      sumOfSamples: 9223372036854775807n,
      squaredMean: 0.5,
    });
    expect(value.value?.p99.markerPositions).toEqual([1n, 2n, 3n, 4n, 0n]);
  });

  test("equal targets and metrics are one object, from body to body too, and a reader that forgets still reads right", () => {
    const kept = new ProducerResultsReader();
    const [first, second] = [1, 2].map(() => samplesIn(kept.read(Buffer.from(text())))[0]!);
    expect(second!.target).toBe(first!.target);
    const forgetful = new ProducerResultsReader(400);
    for (let i = 0; i < 200; i++) {
      const fields = `{"n":{"name":"n","value":{"type":"u8","value":${i % 7}}}}`;
      expect(samplesIn(forgetful.read(Buffer.from(text({ fields }))))[0]!.target.fields[0]!.value.value).toBe(BigInt(i % 7));
    }
  });
});

describe("refusing", () => {
  const DATUM = "$[0].info[0].measurement.datum.datum";
  test.each([
    [
      "an integer with a fraction",
      text({ datum: '{"type":"u64","datum":1.0}' }),
      `${DATUM} is 1.0, where an integer of type u64 is expected.`,
    ],
    [
      "an integer with an exponent",
      text({ datum: '{"type":"u64","datum":1e3}' }),
      `${DATUM} is 1e3, where an integer of type u64 is expected.`,
    ],
    [
      "a u64 past its end",
      text({ datum: '{"type":"u64","datum":18446744073709551616}' }),
      `${DATUM} is 18446744073709551616, where an integer within the range of u64 is expected.`,
    ],
    [
      "a negative u64",
      text({ datum: '{"type":"u64","datum":-1}' }),
      `${DATUM} is -1, where an integer within the range of u64 is expected.`,
    ],
    ["an i64 past its end", text({ datum: '{"type":"i64","datum":-9223372036854775809}' }), `${DATUM} is -9223372036854775809, where`],
    ["a u8 of 256", text({ datum: '{"type":"u8","datum":256}' }), `${DATUM} is 256, where an integer within the range of u8 is expected.`],
    ["a padded integer", text({ datum: '{"type":"u8","datum":01}' }), `${DATUM} is 01, where`],
    ["an endless integer", text({ datum: `{"type":"u64","datum":${"9".repeat(500)}}` }), `${DATUM} is ${"9".repeat(60)}…, where`],
    ["a null float", text({ datum: '{"type":"f64","datum":null}' }), `${DATUM} is null, where a number of type f64 is expected.`],
    ["a float past the doubles", text({ datum: '{"type":"f64","datum":1e999}' }), `${DATUM} is 1e999, where`],
    ["a quoted integer", text({ datum: '{"type":"u64","datum":"1"}' }), `${DATUM} is "1", where`],
    [
      "a byte of 256",
      text({ datum: '{"type":"bytes","datum":[0,256]}' }),
      `${DATUM}[1] is 256, where an integer within the range of u8 is expected.`,
    ],
    ["an unknown datum type", text({ datum: '{"type":"u128","datum":1}' }), 'instead of "u128" is expected.'],
    [
      "a counter without start",
      text({ datum: '{"type":"cumulative_u64","datum":{"value":1}}' }),
      `${DATUM} is {, where a counter with "start_time" and "value" is expected.`,
    ],
    ["a name in capitals", text({ name: '"Oven:heat"' }), '$[0].info[0].timeseries_name is "Oven:heat", where a timeseries name'],
    ["a name without a colon", text({ name: '"oven_heat"' }), '$[0].info[0].timeseries_name is "oven_heat", where'],
    ["a name with an escape", text({ name: '"oven:\\u0068eat"' }), '$[0].info[0].timeseries_name is "oven:\\u0068eat", where'],
    [
      "version 0",
      text({ version: ',"timeseries_version":0' }),
      "$[0].info[0].timeseries_version is 0, where a version from 1 to 255 is expected.",
    ],
    ["version 256", text({ version: ',"timeseries_version":256' }), "$[0].info[0].timeseries_version is 256, where"],
    [
      "a time without zone",
      text({ timestamp: '"2026-08-21T10:15:30"' }),
      '$[0].info[0].measurement.timestamp is "2026-08-21T10:15:30", where an RFC 3339 time is expected.',
    ],
    [
      "a day that is not",
      text({ timestamp: '"2026-02-29T10:15:30Z"' }),
      '$[0].info[0].measurement.timestamp is "2026-02-29T10:15:30Z", where',
    ],
    [
      "a field of unknown type",
      text({ fields: '{"a":{"name":"a","value":{"type":"f64","value":1}}}' }),
      "$[0].info[0].target.fields.a.value.value is 1, where",
    ],
    [
      "a bad UUID",
      text({ fields: '{"a b":{"name":"a","value":{"type":"uuid","value":"x"}}}' }),
      '$[0].info[0].target.fields["a b"].value.value is "x", where a UUID is expected.',
    ],
    [
      "a zoned address",
      text({ fields: '{"a":{"name":"a","value":{"type":"ip_addr","value":"fe80::1%eth0"}}}' }),
      'is "fe80::1%eth0", where an IP address is expected.',
    ],
    [
      "two fields of one name",
      text({ fields: '{"a":{"name":"n","value":{"type":"u8","value":1}},"b":{"name":"n","value":{"type":"u8","value":2}}}' }),
      'where an object with one field "n" is expected.',
    ],
    [
      "half a surrogate pair",
      text({ datum: '{"type":"string","datum":"\\ud800"}' }),
      `${DATUM} is "\\ud800", where a string of whole characters is expected.`,
    ],
    ["an unknown status", '[{"status":"maybe","info":[]}]', '$[0].info is [, where "info" of a result'],
    ["a sample without metric", '[{"status":"ok","info":[{"target":{"name":"a","fields":{}}}]}]', "$[0].info[0] is {, where a sample with"],
    ["an object in place of the array", '{"status":"ok"}', "$ is {, where an array of results is expected."],
    ["nothing", "", "$ is the end of the text, where an array of results is expected."],
    ["more than one value", "[] []", "$ is [, where the end of the text is expected."],
    ["a trailing comma", "[,]", "$[0] is ,, where"],
    ["bottomless nesting", `[{"status":"ok","info":[],"x":${"[".repeat(5000)}`, "at most 128 levels of nesting"],
  ])("%s", (_what, body, message) => {
    expect(() => readProducerResults(Buffer.from(body))).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(message) as string }),
    );
  });

  test("bytes that are not UTF-8", () => {
    const body = Buffer.from(text({ datum: '{"type":"string","datum":"x"}' }));
    body[body.indexOf('"x"') + 1] = 0xff;
    expect(() => readProducerResults(body)).toThrow("not UTF-8");
  });

  test("one bad sample refuses its body and nothing after it", () => {
    const reader = new ProducerResultsReader();
    const bad = text({ datum: '{"type":"u64","datum":-1}' });
    expect(() => reader.read(Buffer.from(bad))).toThrow("is -1");
    expect(reader.read(Buffer.from(text()))).toHaveLength(1);
  });
});
