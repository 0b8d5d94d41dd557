import { describe, expect, it } from "vitest";
import { compileOperations, loadDocument } from "../../src/http/index.ts";
import { parseExactJson } from "../../src/wire/index.ts";

const collect = compileOperations(loadDocument("oximeter-producer"))[0]!;
const check = (text: string) => collect.checkResponse(200, parseExactJson(text));

const quantile = (p: number) =>
  `{"p":${p},"marker_heights":[0,0,0,0,0],"marker_positions":[1,2,3,4,0],"desired_marker_positions":[1,1.5,2,4,5]}`;
const histogram = (first: string, edge: string) => `{"start_time":"2026-03-01T00:00:00Z",
  "bins":[{"range":{"type":"range","start":${first},"end":${edge}},"count":18446744073709551615},{"range":{"type":"range_from","start":${edge}},"count":1}],
  "n_samples":2,"min":0,"max":5,"sum_of_samples":-9223372036854775808,"squared_mean":2.5,"p50":${quantile(0.5)},"p90":${quantile(0.9)},"p99":${quantile(0.99)}}`;

function results(datum: string, { name = "night_train:delay", fields = "" } = {}): string {
  return `[{"status":"ok","info":[{"measurement":{"timestamp":"2026-03-01T08:30:00.000000001+02:00","datum":${datum}},"timeseries_name":"${name}","timeseries_version":2,
    "target":{"name":"night_train","fields":{${fields}}},"metric":{"name":"delay","fields":{}}}]}]`;
}
const field = (type: string, value: string) =>
  results('{"type":"bool","datum":true}', { fields: `"f":{"name":"f","value":{"type":"${type}","value":${value}}}` });

describe("the documented shape of ProducerResults", () => {
  it.each([
    '{"type":"bool","datum":true}',
    '{"type":"i8","datum":-128}',
    '{"type":"u8","datum":255}',
    '{"type":"i16","datum":-32768}',
    '{"type":"u16","datum":65535}',
    '{"type":"i32","datum":-2147483648}',
    '{"type":"u32","datum":4294967295}',
    '{"type":"i64","datum":-9223372036854775808}',
    '{"type":"u64","datum":18446744073709551615}',
    '{"type":"f32","datum":1.5}',
    '{"type":"f64","datum":3}',
    '{"type":"string","datum":"late"}',
    '{"type":"bytes","datum":[0,255]}',
    '{"type":"cumulative_i64","datum":{"start_time":"2026-03-01T00:00:00Z","value":-9223372036854775808}}',
    '{"type":"cumulative_u64","datum":{"start_time":"2026-03-01T00:00:00Z","value":18446744073709551615}}',
    '{"type":"cumulative_f32","datum":{"start_time":"2026-03-01T00:00:00Z","value":0.5}}',
    '{"type":"cumulative_f64","datum":{"start_time":"2026-03-01T00:00:00Z","value":0}}',
    `{"type":"histogram_i64","datum":${histogram("-9223372036854775808", "0")}}`,
    `{"type":"histogram_u64","datum":${histogram("0", "9223372036854775808")}}`,
    `{"type":"histogram_u8","datum":${histogram("0", "10")}}`,
    `{"type":"histogram_f64","datum":${histogram("-1.7976931348623157e308", "0.5")}}`,
    '{"type":"missing","datum":{"datum_type":"f32","start_time":null}}',
    '{"type":"missing","datum":{"datum_type":"cumulative_u64","start_time":"2026-03-01T00:00:00Z"}}',
  ])("takes %.60s", (datum) => {
    expect(check(results(datum))).toHaveProperty("value");
  });

  it.each([
    ['{"type":"u64","datum":18446744073709551616}'],
    ['{"type":"u64","datum":-1}'],
    ['{"type":"i64","datum":9223372036854775808}'],
    ['{"type":"u64","datum":1e19}'],
    ['{"type":"u8","datum":256}'],
    ['{"type":"f64","datum":null}'],
    ['{"type":"f64","datum":"NaN"}'],
    ['{"type":"bytes","datum":[256]}'],
    ['{"type":"cumulative_u64","datum":5}'],
    ['{"type":"cumulative_bool","datum":{"start_time":"2026-03-01T00:00:00Z","value":true}}'],
    ['{"type":"missing","datum":{"datum_type":"missing","start_time":null}}'],
  ])("refuses %s", (datum) => {
    expect(check(results(datum))).toHaveProperty("wrong");
  });

  it("keeps every digit of 64-bit integers", () => {
    const checked = check(results('{"type":"u64","datum":9007199254740993}')) as {
      value: [{ info: [{ measurement: { datum: { datum: bigint } } }] }];
    };
    expect(checked.value[0].info[0].measurement.datum.datum).toBe(9007199254740993n);
  });

  it("reads a float that was written without a fraction as a float", () => {
    const checked = check(results('{"type":"f64","datum":100000000000000000000}')) as {
      value: [{ info: [{ measurement: { datum: { datum: number } } }] }];
    };
    expect(checked.value[0].info[0].measurement.datum.datum).toBe(1e20);
  });

  it.each([
    ["string", '"a"'],
    ["u64", "18446744073709551615"],
    ["i64", "-1"],
    ["ip_addr", '"fd00::1"'],
    ["ip_addr", '"10.0.0.1"'],
    ["uuid", '"6FA459EA-EE8A-3CA4-894E-DB77E160355E"'],
    ["bool", "false"],
  ])("takes a %s field of %s", (type, value) => {
    expect(check(field(type, value))).toHaveProperty("value");
  });

  it.each([
    ["ip_addr", '"10.0.0.256"'],
    ["uuid", '"6fa459ea"'],
    ["u8", "300"],
    ["f64", "1.5"],
    ["bool", "1"],
  ])("refuses a %s field of %s", (type, value) => {
    expect(check(field(type, value))).toHaveProperty("wrong");
  });

  it("takes an error item, and no other status", () => {
    expect(check('[{"status":"err","info":{"type":"datum_error","content":"kstat is gone"}},{"status":"ok","info":[]}]')).toHaveProperty(
      "value",
    );
    expect(check('[{"status":"perhaps","info":[]}]')).toHaveProperty("wrong");
    expect(check('{"status":"ok","info":[]}')).toHaveProperty("wrong");
  });

  it("refuses a name that is not target:metric", () => {
    expect(check(results('{"type":"bool","datum":true}', { name: "NightTrain:delay" }))).toHaveProperty("wrong");
    expect(check(results('{"type":"bool","datum":true}', { name: "night_train" }))).toHaveProperty("wrong");
  });
});
