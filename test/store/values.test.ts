import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldSet, type DatumType, type FieldSet, type Sample, type TimeseriesSchema } from "../../src/core/index.ts";
import type { Store } from "../../src/store/index.ts";
import { fieldIn, fieldIs, freshDirectory, NOW_NS, openStoreAt, selectRows, type LiteralValue } from "../support/store-at.ts";
import { sampleOf } from "../support/zone-samples.ts";
import { timeseries } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const AWKWARD = [
  "",
  "it's",
  'a "quote"',
  "back\\slash\\",
  "nul\0inside",
  "line\nbreak\r\ttab",
  "`tick`",
  "; DROP TABLE x; --",
  "日本 🦀",
  "\u0001\u007f",
  "x".repeat(300),
  "NULL",
  "\\N",
];

/** Values of every type that has a column, with the ends of its range. */
const VALUES: Readonly<Partial<Record<DatumType, readonly (bigint | number | boolean | string)[]>>> = {
  bool: [true, false],
  i8: [-128n, 0n, 127n],
  u8: [0n, 255n],
  i16: [-32_768n, 32_767n],
  u16: [0n, 65_535n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  i64: [-(2n ** 63n), -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n],
  u64: [0n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n],
  f32: [0, -1.5, 3.4028234663852886e38],
  f64: [0, -0, 0.1, 5e-324, 1.7976931348623157e308, Number.POSITIVE_INFINITY, Number.NaN],
  string: AWKWARD,
  cumulative_i64: [-(2n ** 63n), 2n ** 63n - 1n],
  cumulative_u64: [0n, 2n ** 64n - 1n],
  cumulative_f32: [0.25, 1.5],
  cumulative_f64: [0.1, 1e300],
};

const TYPES = Object.keys(VALUES) as DatumType[];
/** Metrics of one target, one for each type, and as many again so that presence takes two columns. Names meet those of the table's own columns. */
const METRICS = [
  ...TYPES.map((type) => [`of_${type}`, type] as const),
  ["b", "u64"],
  ["ts", "u64"],
  ["sid", "string"],
  ["start_time", "u64"],
  ...TYPES.map((type) => [`more_${type}`, type] as const),
] as const;
const SCHEMAS: readonly TimeseriesSchema[] = [
  ...METRICS.map(([name, type]) => timeseries(`thing:${name}`, type as DatumType, [["name", "string"]], [])),
  timeseries(
    "typed:count",
    "u64",
    [
      ["text", "string"],
      ["tiny", "i8"],
      ["byte", "u8"],
      ["short", "i16"],
      ["port", "u16"],
      ["whole", "i32"],
      ["unsigned", "u32"],
      ["long", "i64"],
      ["huge", "u64"],
      ["address", "ip_addr"],
      ["id", "uuid"],
      ["flag", "bool"],
      ["sid", "string"],
    ],
    [
      ["level", "u8", ["1", "2"]],
      ["on", "bool", ["true", "false"]],
      ["kind", "string", ["it's", "b`c"]],
    ],
  ),
];

const byName = (name: string): TimeseriesSchema => SCHEMAS.find(({ timeseriesName }) => timeseriesName === name)!;

describe("values", () => {
  const directory = freshDirectory();
  let store: Store;

  beforeAll(async () => {
    store = await openStoreAt(directory.path, { schemas: SCHEMAS });
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  it("of every type come back exactly", async () => {
    const target = { name: "thing", fields: fieldSet([{ name: "name", value: { type: "string", value: "one" } }]) };
    const samples = METRICS.flatMap(([name, type]) =>
      (VALUES[type as DatumType] ?? []).map((value, i) =>
        sampleOf(byName(`thing:${name}`), target, [], NOW_NS + BigInt(i) * SECOND, NOW_NS, value),
      ),
    );
    expect(await store.insert(samples, "values")).toEqual({ stored: samples.length, refused: new Map(), messages: [] });
    for (const [name, type] of METRICS) {
      const rows = await selectRows(store, `thing:${name}`, { schemas: SCHEMAS });
      expect(
        rows.map(({ value }) => value),
        name,
      ).toEqual(VALUES[type as DatumType]);
    }
  });

  it("are signed columns unless one passes 2^63-1", async () => {
    const select = async (name: string): Promise<unknown> => {
      const request = { schema: byName(name), alternatives: [], limit: { end: "first" as const, count: 3 }, lookBack: false, maxRows: 100 };
      return (await store.select(request, new AbortController().signal)).series[0]!.values.values;
    };
    expect(await select("thing:of_u64")).toEqual(BigInt64Array.of(0n, 2n ** 53n + 1n, 2n ** 63n - 1n));
    expect(await select("thing:of_cumulative_u64")).toEqual(BigUint64Array.of(0n, 2n ** 64n - 1n));
  });

  const typed = (text: string, port: bigint, address: string, flag: boolean): FieldSet =>
    fieldSet([
      { name: "text", value: { type: "string", value: text } },
      { name: "tiny", value: { type: "i8", value: -128n } },
      { name: "byte", value: { type: "u8", value: 255n } },
      { name: "short", value: { type: "i16", value: -32_768n } },
      { name: "port", value: { type: "u16", value: port } },
      { name: "whole", value: { type: "i32", value: -(2n ** 31n) } },
      { name: "unsigned", value: { type: "u32", value: 2n ** 32n - 1n } },
      { name: "long", value: { type: "i64", value: -(2n ** 63n) } },
      { name: "huge", value: { type: "u64", value: 2n ** 64n - 1n } },
      { name: "address", value: { type: "ip_addr", value: address } },
      { name: "id", value: { type: "uuid", value: "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0" } },
      { name: "flag", value: { type: "bool", value: flag } },
      { name: "sid", value: { type: "string", value: "a field, not an id" } },
    ]);
  const choice = (level: bigint, on: boolean, kind: string): FieldSet =>
    fieldSet([
      { name: "level", value: { type: "u8", value: level } },
      { name: "on", value: { type: "bool", value: on } },
      { name: "kind", value: { type: "string", value: kind } },
    ]);
  const count = (fields: FieldSet, choices: FieldSet, value: bigint): Sample =>
    sampleOf(byName("typed:count"), { name: "typed", fields }, choices, NOW_NS, 0n, value);

  it("of fields of every type tell series apart, also after reopening", async () => {
    const addresses = ["10.0.0.1", "::ffff:10.0.0.1", "fd00::1"];
    const samples = [
      ...AWKWARD.map((text, i) => count(typed(text, 1n, "10.0.0.9", true), choice(1n, true, "it's"), BigInt(i))),
      ...addresses.map((address, i) => count(typed("address", BigInt(80 + i), address, false), choice(2n, false, "b`c"), BigInt(100 + i))),
    ];
    expect(await store.insert(samples, "fields")).toMatchObject({ stored: samples.length });
    const ask = async (where: Parameters<typeof fieldIs>): Promise<unknown[]> =>
      (await selectRows(store, "typed:count", { schemas: SCHEMAS, where: [fieldIs(...where)] })).map(({ value }) => value);
    const check = async (): Promise<void> => {
      for (const [i, text] of AWKWARD.entries()) expect(await ask(["text", "==", text])).toEqual([BigInt(i)]);
      for (const [i, address] of addresses.entries())
        expect(await ask(["address", "==", { type: "ip_addr", value: address }])).toEqual([BigInt(100 + i)]);
      // IPv4 addresses come before IPv6 ones.
      expect(new Set(await ask(["address", ">", { type: "ip_addr", value: "10.0.0.9" }]))).toEqual(new Set([101n, 102n]));
      expect(new Set(await ask(["port", ">=", { type: "integer", value: 81n }]))).toEqual(new Set([101n, 102n]));
      expect(await ask(["port", ">", { type: "integer", value: 2n ** 64n - 1n }])).toEqual([]);
      expect(await ask(["flag", "<", { type: "boolean", value: true }])).toHaveLength(3);
      expect(await ask(["id", "==", { type: "uuid", value: "0F1E2D3C4B5A69788796A5B4C3D2E1F0" }])).toHaveLength(samples.length);
      expect(await ask(["level", "==", { type: "integer", value: 2n }])).toHaveLength(3);
      expect(await ask(["on", "==", { type: "boolean", value: false }])).toHaveLength(3);
      expect(await ask(["kind", "~=", "['`]"])).toHaveLength(samples.length);
    };
    await check();
    await store.close();
    store = await openStoreAt(directory.path, { schemas: SCHEMAS });
    await check();
    const [row] = await selectRows(store, "typed:count", { schemas: SCHEMAS, where: [fieldIs("text", "==", "nul\0inside")] });
    expect(row!.series).toBe(
      "address=10.0.0.9 byte=255 flag=true huge=18446744073709551615 id=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 kind=it's level=1 long=-9223372036854775808 on=true port=1 short=-32768 sid=a field, not an id text=nul\0inside tiny=-128 unsigned=4294967295 whole=-2147483648",
    );
  });

  it("are only compared with literals of their kind", async () => {
    const cases: readonly (readonly [field: string, literal: string | LiteralValue])[] = [
      ["text", { type: "integer", value: 1n }],
      ["port", { type: "double", value: 1 }],
      ["id", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"],
      ["address", "10.0.0.1"],
      ["flag", { type: "integer", value: 1n }],
    ];
    for (const [field, literal] of cases) {
      await expect(selectRows(store, "typed:count", { schemas: SCHEMAS, where: [fieldIn(field, [literal])] }), field).rejects.toMatchObject(
        { code: "query", kind: "type_mismatch" },
      );
    }
    await expect(selectRows(store, "typed:count", { schemas: SCHEMAS, where: [fieldIs("port", "~=", "8")] })).rejects.toMatchObject({
      kind: "type_mismatch",
    });
    await expect(selectRows(store, "typed:count", { schemas: SCHEMAS, where: [fieldIs("nothing", "==", "8")] })).rejects.toMatchObject({
      kind: "invalid_identifier",
    });
  });
});
