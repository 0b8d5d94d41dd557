import { describe, expect, test } from "vitest";
import { Catalogue } from "../../src/core/index.ts";
import { formatFinding, readSchemaSet, resolveVisibility, schemasOfSet, type SchemaSet } from "../../src/schema/index.ts";
import { KETTLE_TOML, kettleWith } from "../support/kettle-schema.ts";

const withTable = (table: string, definition = KETTLE_TOML): SchemaSet =>
  readSchemaSet(
    [
      { file: "kettle.toml", text: definition },
      { file: "some/visibility.toml", text: table },
    ],
    { ours: true },
  );

describe("visibility table", () => {
  test("a line for a name counts more than one for its target, and what has no line is hidden", () => {
    const set = withTable(
      'format_version = 1\n[timeseries]\n"cup:*" = "operator_only"\n"cup:sips" = "customer"\n"pot:lids" = "operator_only"\n',
    );
    expect(set.findings).toEqual([]);
    const catalogue = new Catalogue(schemasOfSet(set));
    const of = (name: string): string => resolveVisibility(name, catalogue, set.table);
    expect(of("cup:sips")).toBe("customer");
    expect(of("cup:breaks")).toBe("operator_only");
    expect(of("pot:lids")).toBe("operator_only");
    expect(of("pan:lids")).toBe("operator_only");
    expect(of("cup")).toBe("operator_only");
    expect(of("kettle:boils")).toBe("operator_only");
    expect(resolveVisibility("cup:sips", catalogue, null)).toBe("operator_only");
  });

  test("a definition's own word counts more than any table's", () => {
    const shown = new Catalogue(schemasOfSet(withTable("format_version = 1\n[timeseries]\n", kettleWith(["operator_only", "customer"]))));
    const { table } = withTable('format_version = 1\n[timeseries]\n"kettle:boils" = "operator_only"\n');
    expect(resolveVisibility("kettle:boils", shown, table)).toBe("customer");
  });

  test.each([
    ["x", "1:1: toml-syntax: not TOML: incomplete key-value: cannot find end of key"],
    ["[timeseries]", '1:1: missing-key: key "format_version" is missing'],
    ["format_version = 1", '1:1: missing-key: key "timeseries" is missing'],
    ["format_version = 2\n[timeseries]", "1:18: format-version: format_version of a visibility table is not supported; write 1"],
    ["format_version = 1\ntimeseries = 3", "2:14: wrong-type: timeseries is not a table"],
    ["format_version = 1\nnames = 3\n[timeseries]", '2:1: unknown-key: "names" is no key of a visibility table'],
    [
      'format_version = 1\n[timeseries]\n"cup" = "customer"',
      '3:1: visibility-table-name: "cup" is no timeseries: write "target:metric" or "target:*"',
    ],
    [
      'format_version = 1\n[timeseries]\n"*:sips" = "operator_only"',
      '3:1: visibility-table-name: "*:sips" is no timeseries: write "target:metric" or "target:*"',
    ],
    [
      'format_version = 1\n[timeseries]\n"cup:sips" = "public"',
      '3:14: unknown-value: the visibility of "cup:sips" is none of operator_only, customer',
    ],
    [
      'format_version = 1\n[timeseries]\n"cup:sips" = true',
      '3:14: unknown-value: the visibility of "cup:sips" is none of operator_only, customer',
    ],
    [
      'format_version = 1\n[timeseries]\n"cup:*" = "customer"',
      '3:1: visibility-table-name: "cup:*" would show customers what upstream may add later: name each metric',
    ],
    [
      'format_version = 1\n[timeseries]\n"kettle:boils" = "operator_only"',
      '3:1: visibility-table-owned: "kettle:boils" is declared in a definition, which says itself who may see it: remove this line',
    ],
    [
      'format_version = 1\n[timeseries]\n"kettle:*" = "operator_only"',
      '3:1: visibility-table-owned: "kettle:*" is declared in a definition, which says itself who may see it: remove this line',
    ],
  ])("refuses %j", (text, expected) => {
    expect(withTable(text).findings.map(formatFinding)).toEqual([`some/visibility.toml:${expected}`]);
  });

  test("a line that is refused hides", () => {
    const { table } = withTable(
      'format_version = 1\n[timeseries]\n"cup:*" = "customer"\n"cup:sips" = "customers"\n"pot:lids" = "customer"\n',
    );
    expect(table?.get("cup:sips")).toBeUndefined();
    expect(table?.get("cup:other")).toBeUndefined();
    expect(table?.get("pot:lids")).toBe("customer");
  });
});
