import { describe, expect, test } from "vitest";
import {
  fieldSet,
  highwayHash64,
  NIL_UUID,
  timeseriesKey,
  ZonemeterError,
  type DatumType,
  type Field,
  type FieldValue,
} from "../../src/core/index.ts";
import { DATUM_TYPES } from "../../src/core/index.ts";

const field = (name: string, value: FieldValue): Field => ({ name, value });

/** Published by upstream: the label is the name of the one target field. */
const FIELD_KEYS: readonly (readonly [string, FieldValue, bigint])[] = [
  ["string", { type: "string", value: "" }, 5554437373902071418n],
  ["i8", { type: "i8", value: -10n }, 8051527130089763326n],
  ["u8", { type: "u8", value: 10n }, 1403385090410880239n],
  ["i16", { type: "i16", value: -2748n }, 4425083437960417917n],
  ["u16", { type: "u16", value: 2748n }, 13883626507745758865n],
  ["i32", { type: "i32", value: -180092928n }, 14729289749324644435n],
  ["u32", { type: "u32", value: 180092928n }, 12103188004421096629n],
  ["i64", { type: "i64", value: -773493236000882688n }, 961258395613152243n],
  ["u64", { type: "u64", value: 773493236000882688n }, 15804125619400967189n],
  ["ipaddr", { type: "ip_addr", value: "127.0.0.1" }, 14737150884237616680n],
  ["uuid", { type: "uuid", value: NIL_UUID }, 16911606541498230091n],
  ["bool", { type: "bool", value: true }, 10983724023695040909n],
];

/** The stream that is hashed, from the hex of its items, written by hand below. */
function keyOfItems(...items: readonly string[]): bigint {
  const parts = items.map((hex) => {
    const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    return Buffer.concat([length, bytes]);
  });
  return highwayHash64(Buffer.concat(parts));
}

const hexOf = (text: string): string => Buffer.from(text).toString("hex");

describe("timeseriesKey: published keys", () => {
  test.each(FIELD_KEYS)("one %s field", (name, value, expected) => {
    expect(timeseriesKey("timeseries name", [field(name, value)], [], "bool")).toBe(expected);
  });

  test("a sample with target and metric fields", () => {
    const target = fieldSet([field("num", { type: "i64", value: 1337n }), field("name", { type: "string", value: "Hello" })]);
    const metric = fieldSet([field("id", { type: "uuid", value: NIL_UUID })]);
    expect(timeseriesKey("test_target:test_metric", target, metric, "i64")).toBe(365003276793586811n);
  });

  test("a zone's CPU counter as a sled sends it", () => {
    const target = fieldSet([
      field("rack_id", { type: "uuid", value: "11111111-1111-1111-1111-111111111111" }),
      field("sled_id", { type: "uuid", value: "22222222-2222-2222-2222-222222222222" }),
      field("sled_model", { type: "string", value: "913-0000019" }),
      field("sled_revision", { type: "u32", value: 6n }),
      field("sled_serial", { type: "string", value: "BRM00000001" }),
    ]);
    const metric = fieldSet([
      field("zone_name", { type: "string", value: "oxz_nexus_33333333-3333-3333-3333-333333333333" }),
      field("zone_type", { type: "string", value: "nexus" }),
      field("zone_id", { type: "uuid", value: "33333333-3333-3333-3333-333333333333" }),
      field("state", { type: "string", value: "user" }),
    ]);
    expect(timeseriesKey("zone:cpu_nsec", target, metric, "cumulative_u64")).toBe(18234597539615165214n);
  });

  test("an IPv6 field", () => {
    const target = [field("ip", { type: "ip_addr", value: "fd00::1" })];
    expect(timeseriesKey("a:b", target, [], "cumulative_u64")).toBe(12961067431512817031n);
  });
});

describe("timeseriesKey: the stream", () => {
  test.each([
    [0, "00"],
    [127, "7f"],
    [128, "8001"],
    [300, "ac02"],
    [16_383, "ff7f"],
    [16_384, "808001"],
  ])("a string of %i characters says so in 7 bits a byte", (length, prefix) => {
    const text = "z".repeat(length);
    const expected = keyOfItems(`03${hexOf("a:b")}`, `01${hexOf("f")} 00 ${prefix}${hexOf(text)}`, "01");
    expect(timeseriesKey("a:b", [field("f", { type: "string", value: text })], [], "i8")).toBe(expected);
  });

  test("lengths count the bytes of UTF-8, also where the string is long or does not begin outside ASCII", () => {
    for (const text of ["é", "zone-é-日本-🦀", `${"x".repeat(120)}日本語`, "日".repeat(5000)]) {
      const bytes = Buffer.from(text);
      const prefix = bytes.length < 128 ? [bytes.length] : bytes.length < 16384 ? [(bytes.length % 128) | 128, bytes.length >> 7] : null;
      const expected = keyOfItems(`03${hexOf("a:b")}`, `01${hexOf("f")} 00 ${Buffer.from(prefix!).toString("hex")}${hexOf(text)}`, "00");
      expect(timeseriesKey("a:b", [field("f", { type: "string", value: text })], [], "bool"), text.slice(0, 20)).toBe(expected);
    }
  });

  test("payloads of every fixed type at their limits", () => {
    const cases: readonly (readonly [FieldValue, string])[] = [
      [{ type: "i8", value: -128n }, "01 80"],
      [{ type: "u8", value: 255n }, "02 ff"],
      [{ type: "i16", value: -32768n }, "03 0080"],
      [{ type: "u16", value: 65535n }, "04 ffff"],
      [{ type: "i32", value: -(2n ** 31n) }, "05 00000080"],
      [{ type: "u32", value: 2n ** 32n - 1n }, "06 ffffffff"],
      [{ type: "i64", value: -(2n ** 63n) }, "07 0000000000000080"],
      [{ type: "u64", value: 2n ** 53n + 1n }, "08 0100000000002000"],
      [{ type: "u64", value: 2n ** 64n - 1n }, "08 ffffffffffffffff"],
      [{ type: "ip_addr", value: "10.1.2.3" }, "09 00 0a010203"],
      [{ type: "ip_addr", value: "::ffff:10.1.2.3" }, "09 01 00000000000000000000ffff0a010203"],
      [{ type: "uuid", value: "0F1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0" }, "0a 10 0f1e2d3c4b5a69788796a5b4c3d2e1f0"],
      [{ type: "bool", value: false }, "0b 00"],
    ];
    for (const [value, payload] of cases) {
      const expected = keyOfItems(`03${hexOf("a:b")}`, `01${hexOf("f")} ${payload}`, "1a");
      expect(timeseriesKey("a:b", [field("f", value)], [], "histogram_f64"), `${value.type} ${value.value}`).toBe(expected);
    }
  });

  test("every datum type has a key of its own", () => {
    const keys = DATUM_TYPES.map((type: DatumType) => timeseriesKey("a:b", [field("f", { type: "u8", value: 1n })], [], type));
    expect(new Set(keys).size).toBe(27);
    expect(keys[14]).toBe(keyOfItems(`03${hexOf("a:b")}`, `01${hexOf("f")} 02 01`, "0e"));
  });

  test("a key does not depend on the call before, also after one that failed half-way or was very long", () => {
    const fields = [field("id", { type: "uuid", value: NIL_UUID })];
    const expected = timeseriesKey("a:b", fields, [], "u64");
    timeseriesKey("long:one", [field("text", { type: "string", value: "y".repeat(100_000) })], [], "u64");
    expect(timeseriesKey("a:b", fields, [], "u64")).toBe(expected);
    expect(() => timeseriesKey("a:b", [...fields, field("n", { type: "u8", value: 256n })], [], "u64")).toThrow(ZonemeterError);
    expect(timeseriesKey("a:b", fields, [], "u64")).toBe(expected);
  });

  test.each([
    [{ type: "uuid", value: "not-a-uuid" }, 'Field "f" holds "not-a-uuid", which is not of type uuid.'],
    [{ type: "ip_addr", value: "10.0.0" }, 'Field "f" holds "10.0.0", which is not of type IP address.'],
    [{ type: "i8", value: 128n }, 'Field "f" holds "128", which is not of type i8.'],
  ] as const)("refuses %o", (value, message) => {
    expect(() => timeseriesKey("a:b", [field("f", value)], [], "u64")).toThrow(message);
  });
});
