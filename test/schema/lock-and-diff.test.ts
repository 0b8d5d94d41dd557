import { describe, expect, test } from "vitest";
import {
  checkLock,
  diffSchemas,
  emptyLock,
  errorsOf,
  formatFinding,
  freeze,
  readLock,
  readSchemaSet,
  renderLock,
  schemasOfSet,
  type Lock,
  type SchemaSet,
} from "../../src/schema/index.ts";
import { KETTLE_TOML, kettleWith } from "../support/kettle-schema.ts";

const setOf = (text: string, visibility?: string): SchemaSet => {
  const set = readSchemaSet(
    [{ file: "kettle.toml", text }, ...(visibility === undefined ? [] : [{ file: "visibility.toml", text: visibility }])],
    { ours: true },
  );
  expect(errorsOf(set.findings).map(formatFinding)).toEqual([]);
  return set;
};

function lockOf(set: SchemaSet): Lock {
  const lock = readLock("lock.json", renderLock(freeze(schemasOfSet(set))));
  if (!("frozen" in lock)) throw new Error(formatFinding(lock));
  return lock;
}

const NOBODY: ReadonlySet<string> = new Set();
const SECOND_METRIC = `
[[metrics]]
name = "spills"
description = "Times it boiled over"
units = "count"
datum_type = "cumulative_u64"
versions = [ { added_in = 1, fields = [ "cause" ] } ]
`;

/** Changes of the released kettle: what they do to the file, and the finding that refuses them; null where they are allowed. */
const CHANGES: readonly (readonly [string, string, string | null])[] = [
  ["nothing", KETTLE_TOML, null],
  ["other words in descriptions", kettleWith(['"A kettle"', '"Boils water"'], ['"What started it"', '"Why it boiled"']), null],
  ["a new metric", KETTLE_TOML + SECOND_METRIC, null],
  ["a new value", kettleWith(['"timer"', '"timer", "app"']), null],
  ["values in another order", kettleWith(['[ "button", "timer" ]', '[ "timer", "button" ]']), null],
  [
    "another order of the file's fields",
    kettleWith(['name = "kettle"\ndescription = "A kettle"', 'description = "A kettle"\nname = "kettle"']),
    null,
  ],
  [
    "another datum type",
    kettleWith(['"cumulative_u64"', '"u64"']),
    "kettle.toml:14:14: datum-type-changed: kettle:boils: datum type cumulative_u64 became u64; give the metric another name",
  ],
  [
    "other units",
    kettleWith(['units = "count"', 'units = "none"']),
    "kettle.toml:13:9: units-changed: kettle:boils: units count became none; give the metric another name",
  ],
  [
    "another field type",
    kettleWith(['type = "uuid"', 'type = "u32"']),
    'kettle.toml:17:9: field-type-changed: kettle:boils: field "kettle_id" of type uuid became u32',
  ],
  [
    "a field less",
    kettleWith(
      ['[ "cause" ]', "[ ]"],
      ['\n[fields.cause]\ntype = "string"\ndescription = "What started it"\nvalues = [ "button", "timer" ]\n', ""],
    ),
    'kettle.toml:11:8: fields-changed: kettle:boils: field "cause" was removed; give the metric another name',
  ],
  [
    "a field more",
    `${kettleWith(['[ "cause" ]', '[ "cause", "size" ]'])}\n[fields.size]\ntype = "u8"\ndescription = "Litres"\n`,
    'kettle.toml:26:9: fields-changed: kettle:boils: field "size" was added; give the metric another name',
  ],
  [
    "a field of the metric that became one of the target",
    kettleWith(['[ "kettle_id" ]', '[ "kettle_id", "cause" ]'], ['fields = [ "cause" ] } ]', "fields = [ ] } ]"]),
    'kettle.toml:21:9: fields-changed: kettle:boils: field "cause" moved from metric to target',
  ],
  [
    "a value less",
    kettleWith(['[ "button", "timer" ]', '[ "button" ]']),
    'kettle.toml:21:9: field-values-changed: kettle:boils: value "timer" of field "cause" was removed; stored samples may have it',
  ],
  [
    "an open field",
    kettleWith(['values = [ "button", "timer" ]\n', ""]),
    'kettle.toml:21:9: field-values-changed: kettle:boils: field "cause" was enumerated and is now open',
  ],
  [
    "shown to customers",
    kettleWith(["operator_only", "customer"]),
    "kettle.toml:7:14: visibility-widened: kettle:boils: operator_only became customer; if that is meant, pass --widen kettle:boils",
  ],
];

describe("lock", () => {
  test.each(CHANGES)("%s", (_, text, refused) => {
    const lock = lockOf(setOf(KETTLE_TOML));
    const findings = checkLock(lock, setOf(text), { widened: NOBODY, onlyChanges: true });
    expect(findings.map(formatFinding)).toEqual(refused === null ? [] : [refused]);
  });

  test("holds all of a timeseries that may not change, sorted, and reads back as what was written", () => {
    const text = renderLock(freeze(schemasOfSet(setOf(KETTLE_TOML + SECOND_METRIC))));
    expect(JSON.parse(text)).toEqual({
      format_version: 1,
      timeseries: {
        "kettle:boils": {
          version: 1,
          datum_type: "cumulative_u64",
          units: "count",
          visibility: "operator_only",
          fields: {
            cause: { source: "metric", type: "string", values: ["button", "timer"] },
            kettle_id: { source: "target", type: "uuid" },
          },
        },
        "kettle:spills": {
          version: 1,
          datum_type: "cumulative_u64",
          units: "count",
          visibility: "operator_only",
          fields: {
            cause: { source: "metric", type: "string", values: ["button", "timer"] },
            kettle_id: { source: "target", type: "uuid" },
          },
        },
      },
    });
    const again = readLock("lock.json", text);
    expect("frozen" in again && renderLock(again.frozen)).toBe(text);
  });

  test("what the lock does not hold, or not as it is, is a finding until it is locked", () => {
    const options = { widened: NOBODY, onlyChanges: false };
    const set = setOf(kettleWith(['"timer"', '"timer", "app"']) + SECOND_METRIC);
    const stale = (name: string): string => `lock-missing: the lock file does not hold ${name} as it is: run \`zonemeter schema lock\``;
    expect(checkLock(lockOf(setOf(KETTLE_TOML)), set, options).map(formatFinding)).toEqual([
      `kettle.toml:11:8: ${stale("kettle:boils")}`,
      `kettle.toml:27:8: ${stale("kettle:spills")}`,
    ]);
    expect(checkLock(emptyLock("lock.json"), setOf(KETTLE_TOML), options).map(formatFinding)).toEqual([
      `kettle.toml:11:8: ${stale("kettle:boils")}`,
    ]);
    expect(checkLock(lockOf(set), set, options)).toEqual([]);
    // What has changed is said once, and what is new beside it.
    const changed = setOf(kettleWith(['"cumulative_u64"', '"u64"']) + SECOND_METRIC);
    expect(checkLock(lockOf(setOf(KETTLE_TOML)), changed, options).map(formatFinding)).toEqual([
      "kettle.toml:14:14: datum-type-changed: kettle:boils: datum type cumulative_u64 became u64; give the metric another name",
      `kettle.toml:27:8: ${stale("kettle:spills")}`,
    ]);
  });

  test("a released timeseries that is gone is reported at its line of the lock file", () => {
    const lock = lockOf(setOf(KETTLE_TOML + SECOND_METRIC));
    expect(checkLock(lock, setOf(KETTLE_TOML), { widened: NOBODY, onlyChanges: true }).map(formatFinding)).toEqual([
      "lock.json:14:5: timeseries-removed: kettle:spills was released and is not defined any more",
    ]);
  });

  test("hiding is always allowed, and showing where it is named", () => {
    const shown = setOf(kettleWith(["operator_only", "customer"]));
    const hidden = setOf(KETTLE_TOML);
    expect(checkLock(lockOf(shown), hidden, { widened: NOBODY, onlyChanges: true })).toEqual([]);
    expect(checkLock(lockOf(hidden), shown, { widened: new Set(["kettle:boils"]), onlyChanges: true })).toEqual([]);
    expect(checkLock(lockOf(hidden), shown, { widened: new Set(["kettle:spills"]), onlyChanges: true })).toHaveLength(1);
  });

  test.each([
    ["{", "not a lock file: it is not JSON"],
    ["[]", "not a lock file: Invalid input: expected object, received array"],
    ['{"format_version":2,"timeseries":{}}', "not a lock file: format_version: Invalid input: expected 1"],
    [
      '{"format_version":1,"timeseries":{"a:b":{}}}',
      "not a lock file: timeseries.a:b.version: Invalid input: expected number, received undefined",
    ],
  ])("refuses %s", (text, reason) => {
    expect(readLock("x/lock.json", text)).toEqual({
      file: "x/lock.json",
      line: 1,
      column: 1,
      rule: "lock-invalid",
      severity: "error",
      text: reason,
    });
  });
});

describe("diff", () => {
  test.each(CHANGES)("%s", (_, text, refused) => {
    expect(diffSchemas(setOf(KETTLE_TOML), setOf(text), NOBODY).map(formatFinding)).toEqual(refused === null ? [] : [refused]);
  });

  test("what is gone is reported where it was", () => {
    expect(diffSchemas(setOf(KETTLE_TOML + SECOND_METRIC), setOf(KETTLE_TOML), NOBODY).map(formatFinding)).toEqual([
      "kettle.toml:27:8: timeseries-removed: kettle:spills was released and is not defined any more",
    ]);
  });

  test("lines of the visibility table may hide, and show only what is named", () => {
    const table = (...lines: string[]): string => `format_version = 1\n[timeseries]\n${lines.join("\n")}\n`;
    const before = setOf(KETTLE_TOML, table('"cup:*" = "operator_only"', '"cup:sips" = "customer"'));
    const after = setOf(KETTLE_TOML, table('"cup:sips" = "operator_only"', '"cup:breaks" = "customer"', '"pot:lids" = "customer"'));
    const widened = (line: number, name: string): string =>
      `visibility.toml:${line}:1: visibility-widened: ${name}: operator_only became customer; if that is meant, pass --widen ${name}`;
    expect(diffSchemas(before, after, NOBODY).map(formatFinding)).toEqual([widened(4, "cup:breaks"), widened(5, "pot:lids")]);
    expect(diffSchemas(before, after, new Set(["cup:breaks"])).map(formatFinding)).toEqual([widened(5, "pot:lids")]);
    expect(diffSchemas(after, before, new Set(["cup:sips"]))).toEqual([]);
    expect(diffSchemas(setOf(KETTLE_TOML), after, NOBODY)).toEqual([]);
  });
});
