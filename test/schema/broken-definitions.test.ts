import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { errorsOf, formatFinding, readSchemaSet, RULES, type Finding } from "../../src/schema/index.ts";

/**
 * Each file of `broken/` breaks the rule it is named for. A comment line marks the place in the line above it: `^` stands below the first
 * character, `#<` means the first column; then rule and text as they are printed. They are named `.toml.txt` so that no formatter moves anything.
 */
const FOLDER = fileURLToPath(new URL("broken", import.meta.url));
const FILES = readdirSync(FOLDER).map((name) => name.replace(/\.txt$/, ""));

const textOf = (name: string): string => readFileSync(join(FOLDER, `${name}.txt`), "utf8");

function expectedFindings(file: string, text: string): string[] {
  const expected: string[] = [];
  let place = 0;
  for (const [i, line] of text.split("\n").entries()) {
    const [, marked, what] = /^(#<|\s*#\s*\^) (.*)$/.exec(line) ?? [];
    if (marked === undefined) place = i + 1;
    else expected.push(`${file}:${place}:${marked === "#<" ? 1 : marked.length}: ${what}`);
  }
  return expected;
}

const findingsOf = (file: string, text: string): readonly Finding[] => readSchemaSet([{ file, text }], { ours: false }).findings;

describe("broken definitions", () => {
  test.each(FILES)("%s", (name) => {
    const text = textOf(name);
    const expected = expectedFindings(name, text);
    expect(expected.length).toBeGreaterThan(0);
    expect(findingsOf(name, text).map(formatFinding)).toEqual(expected);
  });

  test("every rule about one file has a file here", () => {
    const broken = new Set(FILES.flatMap((name) => findingsOf(name, textOf(name))).map(({ rule }) => rule));
    const elsewhere = RULES.filter(({ id }) => !broken.has(id)).map(({ id }) => id);
    expect(elsewhere.sort()).toEqual([
      "datum-type-changed",
      "field-type-changed",
      "field-values-changed",
      "fields-changed",
      "lock-invalid",
      "lock-missing",
      "timeseries-duplicate",
      "timeseries-removed",
      "units-changed",
      "visibility-table-name",
      "visibility-table-owned",
      "visibility-widened",
    ]);
  });

  test("all 24 of upstream's checks have a rule, and no rule is listed twice", () => {
    const numbers = new Set(RULES.map(({ upstream }) => upstream).filter((number) => number !== null));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  });

  test("our own rules only warn where a file does not declare visibility, unless it must be ours", () => {
    const ownRules = new Set(RULES.filter(({ upstream, id }) => upstream === null && id !== "unknown-key").map(({ id }) => id));
    const ours = FILES.filter(
      (name) => ownRules.has(name.replace(/(-text|-unknown|-number)?\.toml$/, "")) && !name.startsWith("visibility-"),
    );
    expect(ours.length).toBeGreaterThanOrEqual(10);
    for (const name of ours) {
      const text = textOf(name).replace('visibility = "operator_only"\n', "");
      const findings = findingsOf(name, text);
      expect(errorsOf(findings), name).toEqual([]);
      expect(
        findings.map(({ rule }) => rule),
        name,
      ).toContain("visibility-missing");
      expect(findings.length, name).toBeGreaterThan(1);
      expect(errorsOf(readSchemaSet([{ file: name, text }], { ours: true }).findings).length, name).toBe(findings.length);
    }
  });
});
