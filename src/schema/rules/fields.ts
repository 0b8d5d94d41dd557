import { referencedFields, type Rule } from "./rule.ts";

/** Upstream's figures. */
const MAX_FIELD_NAME_BYTES = 64;
const MAX_FIELD_DESCRIPTION_BYTES = 1024;

const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** Words that Rust keeps for itself; upstream makes an identifier of each field name. */
const RUST_KEYWORDS = new Set(
  (
    "abstract as async await become box break const continue crate do dyn else enum extern false final fn for if impl in let loop macro " +
    "match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use virtual " +
    "where while yield"
  ).split(" "),
);

export const FIELD_RULES: readonly Rule[] = [
  {
    id: "field-name-empty",
    refuses: "a declared field without a name",
    upstream: 6,
    check({ toml }, report) {
      if (Object.hasOwn(toml.fields, "")) report(["fields", ""], "the field's name is empty", "key");
    },
  },
  {
    id: "field-name-length",
    refuses: `a declared field whose name has more than ${MAX_FIELD_NAME_BYTES} bytes`,
    upstream: 7,
    check({ toml }, report) {
      for (const name of Object.keys(toml.fields)) {
        const bytes = Buffer.byteLength(name);
        if (bytes > MAX_FIELD_NAME_BYTES)
          report(["fields", name], `the field's name has ${bytes} bytes; at most ${MAX_FIELD_NAME_BYTES} are allowed`, "key");
      }
    },
  },
  {
    id: "field-description-empty",
    refuses: "a declared field without a description",
    upstream: 8,
    check({ toml }, report) {
      for (const [name, { description }] of Object.entries(toml.fields)) {
        if (description === "") report(["fields", name, "description"], `the description of field "${name}" is empty`);
      }
    },
  },
  {
    id: "field-description-length",
    refuses: `a field description of more than ${MAX_FIELD_DESCRIPTION_BYTES} bytes`,
    upstream: 8,
    check({ toml }, report) {
      for (const [name, { description }] of Object.entries(toml.fields)) {
        const bytes = Buffer.byteLength(description);
        if (bytes <= MAX_FIELD_DESCRIPTION_BYTES) continue;
        const text = `the description of field "${name}" has ${bytes} bytes; at most ${MAX_FIELD_DESCRIPTION_BYTES} are allowed`;
        report(["fields", name, "description"], text);
      }
    },
  },
  {
    id: "field-identifier",
    refuses: "a listed field whose name is not snake_case, or is a word that Rust reserves",
    upstream: 20,
    check(definition, report) {
      const used = referencedFields(definition);
      for (const name of Object.keys(definition.toml.fields)) {
        if (!used.has(name) || name === "") continue;
        if (RUST_KEYWORDS.has(name)) report(["fields", name], `"${name}" is a keyword of Rust and cannot name a field`, "key");
        else if (!SNAKE_CASE.test(name))
          report(["fields", name], `"${name}" is not snake_case: write lower-case words joined by single underscores`, "key");
      }
    },
  },
  {
    id: "uuid-field-name",
    refuses: "a listed field of type uuid that is not named `id` or `…_id`",
    upstream: 21,
    check(definition, report) {
      const used = referencedFields(definition);
      for (const [name, { type }] of Object.entries(definition.toml.fields)) {
        if (!used.has(name) || type !== "uuid" || name === "id" || name.endsWith("_id")) continue;
        report(["fields", name], `field "${name}" is a uuid: name it "id" or let its name end in "_id"`, "key");
      }
    },
  },
];
