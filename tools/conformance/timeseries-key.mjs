// Holds our timeseries keys against upstream's published ones. The folder has upstream's two files: `field-timeseries-keys.txt`, one line
// `LABEL -> KEY` for each field type, and `sample-timeseries-key.txt`, one key. They name no inputs; those of upstream's test are here.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** The value of the one target field, whose name is the label. The other inputs: name `timeseries name`, no metric fields, datum type bool. */
const FIELD_VALUES = {
  string: { type: "string", value: "" },
  i8: { type: "i8", value: -0x0an },
  u8: { type: "u8", value: 0x0an },
  i16: { type: "i16", value: -0x0abcn },
  u16: { type: "u16", value: 0x0abcn },
  i32: { type: "i32", value: -0x0abc_0000n },
  u32: { type: "u32", value: 0x0abc_0000n },
  i64: { type: "i64", value: -0x0abc_0000_0000_0000n },
  u64: { type: "u64", value: 0x0abc_0000_0000_0000n },
  ipaddr: { type: "ip_addr", value: "127.0.0.1" },
  uuid: { type: "uuid", value: NIL_UUID },
  bool: { type: "bool", value: true },
};

/**
 * Checks every key of the folder and writes a line for each that differs. `core` is the product's core room; without it the built one is taken.
 * @param {string} dir
 * @param {(line: string) => void} write
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function run(dir, write, core = undefined) {
  const { timeseriesKey } = core ?? (await import("../../dist/core/index.js"));
  const outcome = { passed: 0, failed: 0 };
  const check = (what, expected, actual) => {
    if (expected === actual) {
      outcome.passed += 1;
      return;
    }
    outcome.failed += 1;
    write(`${what}: expected ${expected}, got ${actual}`);
  };

  const read = async (file) => {
    try {
      return await readFile(join(dir, file), "utf8");
    } catch (error) {
      check(file, "a file of keys", error?.code === "ENOENT" ? "none" : String(error));
      return null;
    }
  };

  for (const line of ((await read("field-timeseries-keys.txt")) ?? "").split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const [, label, key] = /^\s*(\w+)\s*->\s*(\d+)\s*$/.exec(line) ?? [];
    const value = Object.hasOwn(FIELD_VALUES, label ?? "") ? FIELD_VALUES[label] : undefined;
    if (value === undefined) {
      check(`field-timeseries-keys.txt: ${line}`, "a line `TYPE -> KEY` of a known field type", "another line");
      continue;
    }
    check(`key of a ${label} field`, key, String(timeseriesKey("timeseries name", [{ name: label, value }], [], "bool")));
  }

  const target = [
    { name: "name", value: { type: "string", value: "Hello" } },
    { name: "num", value: { type: "i64", value: 1337n } },
  ];
  const metric = [{ name: "id", value: { type: "uuid", value: NIL_UUID } }];
  const sampleKey = await read("sample-timeseries-key.txt");
  if (sampleKey !== null)
    check("key of the sample", sampleKey.trim(), String(timeseriesKey("test_target:test_metric", target, metric, "i64")));
  return outcome;
}
