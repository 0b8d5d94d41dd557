import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { DEFINITION_SCHEMA_FILE, PRODUCT_SCHEMAS_DIR } from "./product-files.ts";
import type { TomlPath } from "./toml-positions.ts";

/** A place where a document has not the shape of a definition file. */
export interface ShapeFault {
  readonly path: TomlPath;
  readonly at: "key" | "value";
  readonly rule: "missing-key" | "unknown-key" | "wrong-type" | "unknown-value" | "version-range" | "format-version";
  readonly text: string;
}

let validator: ValidateFunction | null = null;

/** Checks a TOML document against `definition.schema.json`. */
export function shapeFaults(document: unknown): ShapeFault[] {
  validator ??= new Ajv({ allErrors: true, strict: true, strictRequired: false, strictTypes: false, verbose: true }).compile(
    JSON.parse(readFileSync(join(PRODUCT_SCHEMAS_DIR, DEFINITION_SCHEMA_FILE), "utf8")) as object,
  );
  if (validator(document)) return [];
  const faults: ShapeFault[] = [];
  const ofWrongType = new Set<string>();
  for (const error of validator.errors ?? []) if (error.keyword === "type") ofWrongType.add(error.instancePath);
  for (const error of validator.errors ?? []) {
    // What has the wrong type breaks other constraints too, which tells nobody more.
    if (error.keyword !== "type" && ofWrongType.has(error.instancePath)) continue;
    const fault = shapeFault(error, pathOf(document, error.instancePath));
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

function shapeFault(error: ErrorObject, path: TomlPath): ShapeFault | null {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
      return { path, at: "value", rule: "missing-key", text: `key "${String(params["missingProperty"])}" is missing${alternatives(path)}` };
    case "additionalProperties": {
      const key = String(params["additionalProperty"]);
      return { path: [...path, key], at: "key", rule: "unknown-key", text: `"${key}" is no key of a definition here` };
    }
    case "type":
      return {
        path,
        at: "value",
        rule: "wrong-type",
        text: `${nameOf(path)} is not ${WORDS[String(params["type"])] ?? String(params["type"])}`,
      };
    case "enum": {
      const allowed = (params["allowedValues"] as string[]).join(", ");
      return { path, at: "value", rule: "unknown-value", text: `"${String(error.data)}" is none of ${allowed}` };
    }
    case "const":
      return { path, at: "value", rule: "format-version", text: `format_version ${String(error.data)} is not supported; write 1` };
    case "minimum":
    case "maximum":
      return { path, at: "value", rule: "version-range", text: `version ${String(error.data)} is not within 1 to 255` };
    default:
      // "if": the branch that it chose has said what is wrong.
      return null;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  array: "an array",
  object: "a table",
};

/** A metric's version can be written in three ways; naming one key alone would mislead. */
function alternatives(path: TomlPath): string {
  return path[0] === "metrics" && path[2] === "versions" && path.length === 4
    ? " (write added_in and fields, or version and fields, or removed_in alone)"
    : "";
}

/** `metrics[0].name`, for messages. */
function nameOf(path: TomlPath): string {
  if (path.length === 0) return "the document";
  let name = "";
  for (const part of path) name += typeof part === "number" ? `[${part}]` : `${name === "" ? "" : "."}${part}`;
  return name;
}

function pathOf(document: unknown, pointer: string): TomlPath {
  const path: (string | number)[] = [];
  let value = document;
  for (const segment of pointer.split("/").slice(1)) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(value) ? Number(key) : key);
    value = (value as Record<string, unknown>)[key];
  }
  return path;
}
