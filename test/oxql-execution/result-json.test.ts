import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldSet, formatRfc3339, parseRfc3339, type Field } from "../../src/core/index.ts";
import { quantileEstimate, readResultJson, resultJsonParts, tablesToJson, type Column, type Table } from "../../src/oxql/index.ts";
import { TimeFormatter } from "../../src/oxql/format-times.ts";
import { TimeParser } from "../../src/oxql/parse-times.ts";
import { DAY_NS, doubles, everySecond, integers, listed, onlyColumn, SECOND_NS, stringFields } from "./tables.ts";

const ALL_FIELDS: Field[] = [
  { name: "address", value: { type: "ip_addr", value: "fd00::1" } },
  { name: "big", value: { type: "u64", value: (1n << 64n) - 1n } },
  { name: "id", value: { type: "uuid", value: "0d9f4c3a-7a53-4c8a-9b5e-2f6f4f3b1a10" } },
  { name: "low", value: { type: "i8", value: -5n } },
  { name: "on", value: { type: "bool", value: true } },
  { name: "text", value: { type: "string", value: 'a "quoted"\n\u0000line' } },
];

describe("the text of an answer", () => {
  test("is what upstream's server writes", () => {
    const table: Table = {
      name: "nic:tx,nic:rx",
      timeseries: [
        {
          fields: fieldSet([
            { name: "port", value: { type: "u16", value: 4n } },
            { name: "node", value: { type: "string", value: "n1" } },
          ]),
          points: {
            startTimesNs: null,
            timestampsNs: BigInt64Array.of(DAY_NS + 2n * SECOND_NS, DAY_NS + 4n * SECOND_NS + 250_000_000n),
            dimensions: [
              { metricType: "gauge", values: doubles([1.5, null]) },
              { metricType: "gauge", values: doubles([3, Number.POSITIVE_INFINITY]) },
            ],
          },
          alignment: null,
        },
      ],
    };
    expect(tablesToJson([table, { name: "a:b", timeseries: [] }], null)).toBe(
      '{"tables":[{"name":"nic:tx,nic:rx","timeseries":[{"fields":{"node":{"type":"string","value":"n1"},"port":{"type":"u16","value":4}},' +
        '"points":{"start_times":null,"timestamps":["2030-01-01T00:00:02Z","2030-01-01T00:00:04.250Z"],"values":[' +
        '{"values":{"type":"double","values":[1.5,null]},"metric_type":"gauge"},{"values":{"type":"double","values":[3.0,null]},"metric_type":"gauge"}]}}]},' +
        '{"name":"a:b","timeseries":[]}],"query_summaries":null}',
    );
  });

  test("has starts for deltas, and integers with all their digits", () => {
    const points = {
      startTimesNs: BigInt64Array.of(DAY_NS, DAY_NS + 1_000n),
      timestampsNs: BigInt64Array.of(DAY_NS + 1_000n, DAY_NS + 1_001n),
      dimensions: [{ metricType: "delta" as const, values: integers([(1n << 64n) - 1n, null]) }],
    };
    expect(tablesToJson([{ name: "a:b", timeseries: [{ fields: [], points, alignment: null }] }], null)).toContain(
      '{"start_times":["2030-01-01T00:00:00Z","2030-01-01T00:00:00.000001Z"],"timestamps":["2030-01-01T00:00:00.000001Z","2030-01-01T00:00:00.000001001Z"],' +
        '"values":[{"values":{"type":"integer","values":[18446744073709551615,null]},"metric_type":"delta"}]}',
    );
  });

  test("lists what the store ran, on request", () => {
    const statement = { id: "7f", text: "SELECT 'a'", elapsedMs: 12.4, rowsRead: 9_007_199_254_740_993n, bytesRead: 5n };
    expect(tablesToJson([], [statement])).toBe(
      '{"tables":[],"query_summaries":[{"id":"7f","query":"SELECT \'a\'","elapsed_ms":12,"io_summary":{"read":{"bytes":5,"rows":9007199254740993},' +
        '"written":{"bytes":0,"rows":0}},"profile_summary":{}}]}',
    );
  });

  test("may be had in parts", () => {
    const table = { name: "a:b", timeseries: [1, 2, 3].map((each) => everySecond(stringFields({ id: String(each) }), doubles([each]))) };
    const parts = [...resultJsonParts([table], null)];
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join("")).toBe(tablesToJson([table], null));
  });

  test("shows histograms with estimates of their quantiles", () => {
    const quantile = {
      p: 0.5,
      markerHeights: [1, 3, 4, 12, 0],
      markerPositions: [1n, 2n, 3n, 4n, 4n],
      desiredMarkerPositions: [1, 2, 3, 4, 5],
    };
    const distribution = {
      bins: [-(1n << 63n), 10n],
      counts: [1n, (1n << 64n) - 1n],
      min: 1n,
      max: null,
      sumOfSamples: -7n,
      squaredMean: 4,
      p50: quantile,
      p90: 2.5,
      p99: null,
    };
    const column: Column = { type: "integer_distribution", values: [distribution, null], present: Uint8Array.of(1, 0) };
    expect(tablesToJson([{ name: "a:b", timeseries: [everySecond([], column)] }], null)).toContain(
      '"values":[{"bins":[-9223372036854775808,10],"counts":[1,18446744073709551615],"min":1,"max":null,"sum_of_samples":-7,"squared_mean":4.0,' +
        '"p50":3.0,"p90":2.5,"p99":null},null]',
    );
  });
});

test("quantiles are estimated as upstream does", () => {
  const state = (p: number, heights: number[], samples: bigint): number | null =>
    quantileEstimate({ p, markerHeights: heights, markerPositions: [1n, 2n, 3n, 4n, samples], desiredMarkerPositions: [] });
  expect(state(0.5, [0, 0, 0, 0, 0], 0n)).toBeNull();
  expect(state(0.5, [9, 1, 0, 0, 0], 2n)).toBe(0);
  expect(state(0.9, [9, 1, 5, 3, 0], 4n)).toBe(9);
  expect(state(0.5, [1, 2, 30, 40, 50], 5n)).toBe(30);
});

describe("columns of times", () => {
  test("are written like single times", () => {
    const time = fc.oneof(
      fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
      fc.bigInt({ min: 0n, max: 5_000_000n }).map((ms) => DAY_NS + ms * 1_000_000n),
      fc.constant(-1n),
    );
    fc.assert(
      fc.property(fc.array(time), (times) => {
        const text = new TimeFormatter().elements(BigInt64Array.from(times));
        expect(text).toBe(times.map((each) => `"${formatRfc3339(each)}"`).join(","));
      }),
      { numRuns: 1000 },
    );
  });

  test("are read like single times", () => {
    const parts = {
      second: fc.nat(65),
      fraction: fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{0,11}$/), fc.constant(".x")),
      zone: fc.constantFrom("Z", "z", "+01:30", "", "ZZ"),
    };
    const text = fc.record({
      minute: fc.constantFrom("2030-01-01T00:00:", "2030-01-01T00:01:", "1969-12-31 23:59:", "2030-13-01T00:00:"),
      ...parts,
    });
    fc.assert(
      fc.property(fc.array(text), (rows) => {
        const texts = rows.map(({ minute, second, fraction, zone }) => `${minute}${String(second).padStart(2, "0")}${fraction}${zone}`);
        const wanted = texts.map(parseRfc3339);
        const firstBad = wanted.indexOf(null);
        const times = new BigInt64Array(texts.length);
        expect(new TimeParser().parseInto(times, texts)).toBe(firstBad === -1 ? null : firstBad);
        const read = firstBad === -1 ? wanted : wanted.slice(0, firstBad);
        expect([...times.subarray(0, read.length)]).toEqual(read);
      }),
      { numRuns: 2000 },
    );
  });

  test("are told apart within one memory", () => {
    const formatter = new TimeFormatter();
    const times = BigInt64Array.of(0n, SECOND_NS, 2n * SECOND_NS);
    expect(formatter.elements(times.subarray(1))).toBe('"1970-01-01T00:00:01Z","1970-01-01T00:00:02Z"');
    expect(formatter.elements(times.subarray(0, 2))).toBe('"1970-01-01T00:00:00Z","1970-01-01T00:00:01Z"');
  });
});

describe("reading an answer", () => {
  test("gives back what was written", () => {
    const i64 = fc.option(fc.oneof(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), fc.bigInt({ min: -99n, max: 99n })), {
      nil: null,
    });
    const row = fc.record({
      integer: i64,
      double: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null }),
      text: fc.option(fc.string({ unit: "binary" }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const texts = rows.map(({ text }) => text);
        const present = texts.includes(null) ? Uint8Array.from(texts, (text) => (text === null ? 0 : 1)) : null;
        const columns: Column[] = [
          integers(rows.map(({ integer }) => integer)),
          doubles(rows.map(({ double }) => double)),
          { type: "string", values: texts.map((text) => text ?? ""), present },
        ];
        const series = everySecond(fieldSet(ALL_FIELDS), columns[0]!, false);
        const points = {
          ...series.points,
          startTimesNs: series.points.timestampsNs,
          dimensions: columns.map((values) => ({ metricType: "delta" as const, values })),
        };
        const tables: Table[] = [{ name: "a:b", timeseries: [{ ...series, points }] }];
        expect(readResultJson(tablesToJson(tables, []))).toEqual(tables);
      }),
    );
  });

  test("keeps integers beyond the signed range", () => {
    const table = { name: "a:b", timeseries: [everySecond([], integers([(1n << 64n) - 1n, 1n]))] };
    expect(listed(onlyColumn(readResultJson(tablesToJson([table], null))))).toEqual([18446744073709551615n, 1n]);
  });

  test("takes long whole numbers as doubles where doubles are wanted, and leaves texts that look like them alone", () => {
    const text =
      '{"tables":[{"name":"a:b","timeseries":[{"fields":{"n":{"type":"string","value":"[12345678901234567890,"}},"points":{"start_times":null,"timestamps":["2030-01-01T00:00:00Z"],"values":[{"values":{"type":"double","values":[12345678901234567890]},"metric_type":"gauge"}]}}]}]}';
    const [table] = readResultJson(text);
    expect(table!.timeseries[0]!.fields[0]!.value.value).toBe("[12345678901234567890,");
    expect(listed(onlyColumn([table!]))).toEqual([Number("12345678901234567890")]);
  });

  test("takes histograms and booleans", () => {
    const distribution = {
      bins: [-(1n << 63n), 10n],
      counts: [1n, 2n],
      min: null,
      max: 3n,
      sumOfSamples: -7n,
      squaredMean: 4.5,
      p50: 1.5,
      p90: 2,
      p99: null,
    };
    const columns: Column[] = [
      { type: "integer_distribution", values: [distribution], present: null },
      { type: "double_distribution", values: [{ ...distribution, bins: [0.5], counts: [1n], max: 3, sumOfSamples: 1.25 }], present: null },
      { type: "boolean", values: [true], present: null },
    ];
    for (const column of columns) {
      expect(onlyColumn(readResultJson(tablesToJson([{ name: "a:b", timeseries: [everySecond([], column)] }], null)))).toEqual(column);
    }
  });

  test("takes the numeric keys of older releases", () => {
    const text = tablesToJson([{ name: "a:b", timeseries: [everySecond([], doubles([1]))] }], null);
    const older = text.replace('"timeseries":[', '"timeseries":{"12":').replace('"gauge"}]}}]}', '"gauge"}]}}}}');
    expect(readResultJson(older)[0]!.timeseries).toHaveLength(1);
  });

  test.each([
    ["text", "hello", /not JSON/],
    ["another document", '{"items":[]}', /tables should be a list and is undefined/],
    ["a name that is none", '{"tables":[{"name":5,"timeseries":[]}]}', /tables\[0\]\.name should be a string and is 5/],
    ["a time that is none", answer('"timestamps":["yesterday"]', "[1]"), /timestamps\[0\] should be an RFC 3339 time and is "yesterday"/],
    [
      "an integer with a fraction",
      answer('"timestamps":["2030-01-01T00:00:00Z"]', "[1.5]"),
      /values\[0\]\.values\.values\[0\] should be an integer and is 1.5/,
    ],
    ["columns of unlike length", answer('"timestamps":[]', "[1]"), /columns of one length/],
  ])("refuses %s, saying where", (_title, text, message) => {
    expect(() => readResultJson(text)).toThrow(message);
    expect(() => readResultJson(text)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });
});

function answer(timestamps: string, values: string): string {
  return `{"tables":[{"name":"a:b","timeseries":[{"fields":{},"points":{"start_times":null,${timestamps},"values":[{"values":{"type":"integer","values":${values}},"metric_type":"gauge"}]}}]}]}`;
}
