import type { JsonSchema } from "./openapi-document.ts";

/** Where the schemas of a document's components are found once they have been added to ajv. */
export const COMPONENTS_ID = "components";

const INTEGER_BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32_768, 32_767],
  uint16: [0, 65_535],
  int32: [-2_147_483_648, 2_147_483_647],
  uint32: [0, 4_294_967_295],
};

/**
 * Rewrites an OpenAPI 3.0 schema as the JSON Schema that means the same to ajv: `nullable` becomes a choice, integer formats become bounds,
 * and 64-bit integers, floats and UUIDs become the keywords of exact-keywords.ts.
 */
export function toJsonSchema(schema: JsonSchema): JsonSchema {
  const { nullable, ...rest } = schema;
  if (nullable === true) return { anyOf: [toJsonSchema(rest), { type: "null" }] };
  const { type, format, ...others } = schema;
  if (type === "integer" && (format === "int64" || format === "uint64")) return { integer64: format };
  if (type === "number") return { double: true };
  if (type === "string" && format === "uuid") return { type, uuid: true };
  const bounds = type === "integer" ? INTEGER_BOUNDS[String(format)] : undefined;
  if (bounds !== undefined) {
    const [low, high] = bounds;
    return {
      ...others,
      type,
      minimum: Math.max(low, Number(others["minimum"] ?? low)),
      maximum: Math.min(high, Number(others["maximum"] ?? high)),
    };
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, rewriteKeyword(key, value)]));
}

function rewriteKeyword(key: string, value: unknown): unknown {
  switch (key) {
    case "$ref":
      return String(value).replace("#/components/schemas/", `${COMPONENTS_ID}#/definitions/`);
    case "properties":
      return Object.fromEntries(Object.entries(value as JsonSchema).map(([name, inner]) => [name, toJsonSchema(inner as JsonSchema)]));
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as JsonSchema[]).map(toJsonSchema);
    case "items":
      return toJsonSchema(value as JsonSchema);
    case "additionalProperties":
      return typeof value === "boolean" ? value : toJsonSchema(value as JsonSchema);
    default:
      return value;
  }
}
