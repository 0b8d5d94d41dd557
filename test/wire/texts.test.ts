import { expect, test } from "vitest";
import { csvRow, ndjsonLine, prometheusText, stringifyExact } from "../../src/wire/index.ts";

const BIG = 2n ** 64n - 1n;

test("CSV quotes what RFC 4180 asks for and keeps nothing, empty and big apart", () => {
  expect(csvRow(["plain", 'say "hi"', "a,b", "two\nlines", "", null, BIG, 1.5, false])).toBe(
    'plain,"say ""hi""","a,b","two\nlines","",,18446744073709551615,1.5,false\r\n',
  );
});

test("NDJSON is one line with every digit", () => {
  expect(ndjsonLine({ n: BIG, list: [1, 2n, null, true], nested: { text: "a\nb" }, absent: undefined, notANumber: Number.NaN })).toBe(
    '{"n":18446744073709551615,"list":[1,2,null,true],"nested":{"text":"a\\nb"},"notANumber":null}\n',
  );
});

test("exact JSON is JSON, with keys quoted and half surrogate pairs replaced", () => {
  expect(JSON.parse(stringifyExact({ 'a"b': ["\udc00", -0.5, 2n ** 53n + 1n] }))).toEqual({ 'a"b': ["\ufffd", -0.5, 2 ** 53] });
});

test("Prometheus text: exact counters, escaped labels, cumulative buckets with +Inf", () => {
  const text = prometheusText([
    {
      name: "zonemeter_samples_total",
      help: "Samples\\ stored\nso far.",
      type: "counter",
      samples: [
        { labels: { reason: 'a"b\\c\nd' }, value: BIG },
        { labels: {}, value: 0n },
      ],
    },
    {
      name: "zonemeter_lag_seconds",
      help: "Lag.",
      type: "gauge",
      samples: [
        { labels: {}, value: -Infinity },
        { labels: { q: "x" }, value: Number.NaN },
      ],
    },
    {
      name: "zonemeter_read_seconds",
      help: "Reads.",
      type: "histogram",
      samples: [
        {
          labels: { source: "kstat" },
          buckets: [
            { upTo: 0.1, count: 2n },
            { upTo: 1, count: 3n },
          ],
          sum: 1.25,
          count: 4n,
        },
      ],
    },
  ]);
  expect(text).toBe(
    "# HELP zonemeter_samples_total Samples\\\\ stored\\nso far.\n# TYPE zonemeter_samples_total counter\n" +
      'zonemeter_samples_total{reason="a\\"b\\\\c\\nd"} 18446744073709551615\nzonemeter_samples_total 0\n' +
      '# HELP zonemeter_lag_seconds Lag.\n# TYPE zonemeter_lag_seconds gauge\nzonemeter_lag_seconds -Inf\nzonemeter_lag_seconds{q="x"} NaN\n' +
      "# HELP zonemeter_read_seconds Reads.\n# TYPE zonemeter_read_seconds histogram\n" +
      'zonemeter_read_seconds_bucket{source="kstat",le="0.1"} 2\nzonemeter_read_seconds_bucket{source="kstat",le="1"} 3\n' +
      'zonemeter_read_seconds_bucket{source="kstat",le="+Inf"} 4\nzonemeter_read_seconds_sum{source="kstat"} 1.25\nzonemeter_read_seconds_count{source="kstat"} 4\n',
  );
});
