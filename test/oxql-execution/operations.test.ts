import { describe, expect, test } from "vitest";
import type { Table, Timeseries } from "../../src/oxql/index.ts";
import { DAY_NS, doubles, everySecond, integers, listed, onlyColumn, run, SECOND_NS, stringFields } from "./tables.ts";

const A = stringFields({ id: "a" });
const B = stringFields({ id: "b" });

function table(name: string, ...timeseries: Timeseries[]): Table {
  return { name, timeseries };
}

describe("operations alone, on what no plan lets through", () => {
  const aligned = everySecond(A, doubles([1]));
  const raw = everySecond(A, doubles([1]), false);
  const joined = { ...aligned, points: { ...aligned.points, dimensions: [...aligned.points.dimensions, ...aligned.points.dimensions] } };
  const words: Timeseries = everySecond(A, { type: "string", values: ["x"], present: null });
  const delta: Timeseries = { ...raw, points: { ...raw.points, startTimesNs: BigInt64Array.of(DAY_NS - SECOND_NS) } };

  test.each([
    ["join", "not_aligned", [table("a:b", raw), table("c:d", aligned)]],
    ["join", "join_alignment_mismatch", [table("a:b", aligned), table("c:d", raw)]],
    [
      "join",
      "join_alignment_mismatch",
      [table("a:b", aligned), table("c:d", { ...aligned, alignment: { endTimeNs: DAY_NS, periodNs: 5n } })],
    ],
    [
      "join",
      "join_alignment_mismatch",
      [table("a:b", aligned), table("c:d", { ...aligned, alignment: { endTimeNs: DAY_NS + 1n, periodNs: SECOND_NS } })],
    ],
    ["join", "multi_dimensional", [table("a:b,c:d", joined), table("e:f", aligned)]],
    ["join on [colour]", "join_field_mismatch", [table("a:b", aligned), table("c:d", aligned)]],
    [
      "group_by [id]",
      "not_aligned",
      [table("a:b", aligned, { ...everySecond(B, doubles([1])), alignment: { endTimeNs: DAY_NS, periodNs: 5n } })],
    ],
    ["group_by [id]", "multi_dimensional", [table("a:b", joined)]],
    ["group_by [id]", "non_numeric", [table("a:b", words)]],
    ["align mean_within(1s)", "multi_dimensional", [table("a:b", joined)]],
    ["align mean_within(1s)", "non_numeric", [table("a:b", words)]],
    ["align rate(1s)", "type_mismatch", [table("a:b", raw)]],
    ["align interpolate(1s)", "type_mismatch", [table("a:b", delta)]],
    ["align mean_within(0s)", "parse", [table("a:b", raw)]],
    ["top 1", "multi_dimensional", [table("a:b", joined)]],
    ["top 1", "non_numeric", [table("a:b", words)]],
    ["map datum", "not_aligned", [table("a:b", raw)]],
    ["map datum", "non_numeric", [table("a:b", words)]],
    ["map datum", "invalid_identifier", [table("a:b,c:d", joined)]],
    ["map b", "invalid_identifier", [table("a:b,c:b", joined)]],
    ["filter datum > 1.0", "multi_dimensional", [table("a:b,c:d", joined)]],
    ["filter a:x > 1.0", "invalid_identifier", [table("a:b,c:d", joined)]],
    ["filter start_time > @00:00:00", "invalid_identifier", [table("a:b", raw)]],
    ["filter colour == 'red'", "invalid_identifier", [table("a:b"), table("c:d", raw)]],
    ["filter datum > @00:00:00", "type_mismatch", [table("a:b", raw)]],
    ["filter datum ~= 'x'", "type_mismatch", [table("a:b", raw)]],
    ["filter id in ['a', 5]", "type_mismatch", [table("a:b", raw)]],
  ] as const)("%s: %s", (text, kind, tables) => {
    expect(() => run(text, tables)).toThrow(expect.objectContaining({ code: "query", kind }));
  });

  test("histograms are filtered by field and time only", () => {
    const histogram = everySecond(A, { type: "integer_distribution", values: [null], present: Uint8Array.of(0) }, false);
    expect(run("filter id == 'a' && timestamp >= @00:00:00", [table("a:b", histogram)])[0]!.timeseries).toHaveLength(1);
    expect(() => run("filter min > 5", [table("a:b", histogram)])).toThrow(
      expect.objectContaining({ kind: "unsupported_filter_identifier" }),
    );
    expect(() => run("filter datum > 5", [table("a:b", histogram)])).toThrow(expect.objectContaining({ kind: "invalid_identifier" }));
  });
});

describe("tables without timeseries stay so", () => {
  test.each(["filter colour == 'red'", "align rate(1s)", "group_by [colour]", "first 1", "top 1", "map colour"])("%s", (text) => {
    expect(run(text, [table("a:b")])).toEqual([table("a:b")]);
  });

  test("join", () => {
    expect(run("join", [table("a:b"), table("c:d", everySecond(A, doubles([1])))])).toEqual([table("a:b,c:d")]);
  });

  test("each table on its own: an empty one does not spare the next a filter", () => {
    const [, second] = run("filter datum > 1.0", [table("a:b"), table("c:d", everySecond(A, doubles([1, 2])))]);
    expect(listed(onlyColumn([second!]))).toEqual([2]);
  });
});

describe("join", () => {
  test("keeps a timeseries whose times nobody shares, without points", () => {
    const later = everySecond(A, doubles([1]));
    const shifted = { ...later, points: { ...later.points, timestampsNs: BigInt64Array.of(DAY_NS - SECOND_NS) } };
    const [joined] = run("join", [table("a:b", later), table("c:d", shifted)]);
    expect(joined!.timeseries).toHaveLength(1);
    expect(joined!.timeseries[0]!.points.timestampsNs).toHaveLength(0);
    expect(joined!.timeseries[0]!.points.dimensions).toHaveLength(2);
  });

  test("tells fields of unlike type apart", () => {
    const wide = everySecond([{ name: "id", value: { type: "i64", value: 7n } }], doubles([1]));
    const narrow = everySecond([{ name: "id", value: { type: "u32", value: 7n } }], doubles([1]));
    expect(run("join", [table("a:b", wide), table("c:d", narrow)])).toEqual([table("a:b,c:d")]);
  });
});

test("inputs are left as they were", () => {
  const values = Float64Array.of(3, 1, 2);
  const input = table("a:b", everySecond(A, { type: "double", values, present: null }), everySecond(B, integers([5n, 6n, 7n])));
  const ofDoubles = table("a:b", input.timeseries[0]!);
  for (const text of ["map -datum / 2", "align mean_within(1s)", "group_by [], p50", "group_by [], sum", "top 1", "filter datum > 1.0"])
    run(text, [ofDoubles]);
  expect([...values]).toEqual([3, 1, 2]);
});
