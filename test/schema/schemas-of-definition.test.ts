import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareNames, DATUM_TYPES, FIELD_TYPES, UNITS } from "../../src/core/index.ts";
import { formatFinding, readSchemaSet, schemasOfSet, type SchemaText } from "../../src/schema/index.ts";
import { KETTLE_TOML, kettleWith } from "../support/kettle-schema.ts";

const read = (...texts: readonly SchemaText[]): ReturnType<typeof readSchemaSet> => readSchemaSet(texts, { ours: true });

describe("schemas of definitions", () => {
  test("one schema for each metric, with everything that the file says", () => {
    const set = read({ file: "kettle.toml", text: KETTLE_TOML });
    expect(set.findings).toEqual([]);
    expect(schemasOfSet(set)).toEqual([
      {
        timeseriesName: "kettle:boils",
        targetName: "kettle",
        metricName: "boils",
        version: 1,
        targetDescription: "A kettle",
        metricDescription: "Times the water boiled",
        authzScope: "fleet",
        visibility: "operator_only",
        units: "count",
        datumType: "cumulative_u64",
        fields: [
          { name: "cause", type: "string", source: "metric", description: "What started it", values: ["button", "timer"] },
          { name: "kettle_id", type: "uuid", source: "target", description: "ID of the kettle", values: null },
        ],
      },
    ]);
  });

  test("a file without visibility is hidden, and one that says customer is not", () => {
    const visibilityOf = (text: string): string => schemasOfSet(readSchemaSet([{ file: "a.toml", text }], { ours: false }))[0]!.visibility;
    expect(visibilityOf(kettleWith(['visibility = "operator_only"\n', ""]))).toBe("operator_only");
    expect(visibilityOf(kettleWith(["operator_only", "customer"]))).toBe("customer");
  });

  test("schemas come in the order of names, whatever the order of files", () => {
    const second = kettleWith(["kettle", "cup"], ['name = "boils"', 'name = "sips"']);
    const set = read({ file: "kettle.toml", text: KETTLE_TOML }, { file: "cup.toml", text: second });
    expect(schemasOfSet(set).map(({ timeseriesName }) => timeseriesName)).toEqual(["cup:sips", "kettle:boils"]);
  });

  test("one timeseries in two files is refused at the second; one target in two files is not", () => {
    const twice = read({ file: "a.toml", text: KETTLE_TOML }, { file: "b.toml", text: KETTLE_TOML });
    expect(twice.findings.map(formatFinding)).toEqual(["b.toml:11:8: timeseries-duplicate: kettle:boils is defined in a.toml already"]);
    const apart = read(
      { file: "a.toml", text: KETTLE_TOML },
      {
        file: "b.toml",
        text: kettleWith(['name = "boils"', 'name = "spills"'], ['"fleet"', '"viewable_to_all"'], ["operator_only", "customer"]),
      },
    );
    expect(apart.findings).toEqual([]);
  });

  test("a file that is broken does not hide what is wrong in another, and a file that is not UTF-8 is a finding", () => {
    const set = read(
      { file: "a.toml", text: "= 1" },
      { file: "b.toml", text: null },
      { file: "c.toml", text: kettleWith(['"A kettle"', '""']) },
    );
    expect(set.findings.map(formatFinding)).toEqual([
      "a.toml:1:1: toml-syntax: not TOML: unexpected end of key",
      "b.toml:1:1: toml-syntax: not TOML: the file is not UTF-8",
      "c.toml:5:15: target-description-empty: the target's description is empty",
    ]);
  });

  test("names that JavaScript knows are fields and keys like any other", () => {
    const text = KETTLE_TOML.replaceAll("cause", "constructor");
    const set = read({ file: "a.toml", text });
    expect(set.findings).toEqual([]);
    expect(schemasOfSet(set)[0]!.fields.map(({ name }) => name)).toEqual(["constructor", "kettle_id"]);
    const missing = read({
      file: "b.toml",
      text: kettleWith(['[ "cause" ]', '[ "toString" ]'], ["[fields.cause]", '[fields."__proto__"]']),
    });
    expect(missing.findings.map(({ rule }) => rule)).toEqual(["field-undeclared", "field-unused"]);
  });

  test("any valid definition loads as what it was made from", () => {
    fc.assert(
      fc.property(arbitraryDefinition, ({ toml, target, metrics, fields }) => {
        const set = read({ file: "any.toml", text: toml });
        expect(set.findings.map(formatFinding)).toEqual([]);
        const schemas = schemasOfSet(set);
        expect(schemas.map(({ metricName }) => metricName)).toEqual(metrics.map(({ name }) => name).sort(compareNames));
        for (const schema of schemas) {
          const metric = metrics.find(({ name }) => name === schema.metricName)!;
          expect(schema).toMatchObject({
            timeseriesName: `${target.name}:${metric.name}`,
            targetDescription: target.description,
            metricDescription: metric.description,
            units: metric.units,
            datumType: metric.datumType,
          });
          const expected = [
            ...target.fields.map((name) => ({ name, source: "target" })),
            ...metric.fields.map((name) => ({ name, source: "metric" })),
          ];
          expect(schema.fields).toEqual(
            expected.map(({ name, source }) => ({ name, source, ...fields.get(name)! })).sort((a, b) => compareNames(a.name, b.name)),
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `x_${words.join("_")}_x`);
const description = fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }).filter((text) => text.trim() !== "");
const toml = (value: string): string => JSON.stringify(value).replaceAll("\u007f", "\\u007f");

/** A definition that breaks no rule, as text and as what the text should mean. */
const arbitraryDefinition = fc
  .record({
    target: fc.record({ name, description }),
    metrics: fc.uniqueArray(
      fc.record({ name, description, datumType: fc.constantFrom(...DATUM_TYPES), units: fc.constantFrom(...UNITS) }),
      {
        selector: (metric) => metric.name,
        minLength: 1,
        maxLength: 4,
      },
    ),
    fields: fc.uniqueArray(
      fc.record({
        name,
        description,
        type: fc.constantFrom(...FIELD_TYPES),
        values: fc.option(fc.uniqueArray(word, { minLength: 1, maxLength: 3 })),
      }),
      { selector: (field) => field.name, minLength: 2, maxLength: 6 },
    ),
    split: fc.nat({ max: 4 }),
    order: fc.boolean(),
  })
  .map(({ target, metrics, fields, split, order }) => {
    const named = fields.map((field) => ({
      ...field,
      name: field.type === "uuid" ? `${field.name}_id` : field.name,
      values: field.type === "string" ? field.values : null,
    }));
    const cut = 1 + (split % (named.length - 1));
    const targetFields = named.slice(0, cut).map((field) => field.name);
    const metricFields = named.slice(cut).map((field) => field.name);
    // The first metric uses every field that is not the target's, so that none is unused; the others every second one.
    const whole = metrics.map((metric, m) => ({
      ...metric,
      units: ["bool", "string", "bytes"].includes(metric.datumType) ? ("none" as const) : metric.units,
      fields: metricFields.filter((_, i) => m === 0 || i % 2 === 0),
    }));
    const parts = [
      `[target]\nname = ${toml(target.name)}\ndescription = ${toml(target.description)}\nauthz_scope = "fleet"\nvisibility = "operator_only"\nversions = [{ version = 1, fields = ${JSON.stringify(targetFields)} }]`,
      ...whole.map(
        (metric) =>
          `[[metrics]]\nversions = [{ added_in = 1, fields = ${JSON.stringify(metric.fields)} }]\nname = "${metric.name}"\ndescription = ${toml(metric.description)}\nunits = "${metric.units}"\ndatum_type = "${metric.datumType}"`,
      ),
      ...named.map(
        (field) =>
          `[fields.${field.name}]\ntype = "${field.type}"\ndescription = ${toml(field.description)}${field.values === null ? "" : `\nvalues = ${JSON.stringify(field.values)}`}`,
      ),
    ];
    return {
      toml: `format_version = 1\n${(order ? parts : parts.reverse()).join("\n\n")}\n`,
      target: { ...target, fields: targetFields },
      metrics: whole,
      fields: new Map(named.map(({ name: key, type, description: text, values }) => [key, { type, description: text, values }])),
      order,
    };
  });
