import type { ErrorObject } from "ajv";
import { RANGES_64 } from "./exact-keywords.ts";

/** What is wrong, in one clause that names the place and the value; serde's words where there are such. */
export function validationMessage(errors: readonly ErrorObject[] | null | undefined): string {
  // Branches of a choice report one after another; the last error is the choice itself, the deepest the most telling.
  const error = [...(errors ?? [])].sort((a, b) => b.instancePath.length - a.instancePath.length)[0];
  if (error === undefined) return "the value is not as documented";
  const place = error.instancePath.slice(1).replaceAll("/", ".");
  const prefix = place === "" ? "" : `${place}: `;
  const value = shown(error.data);
  switch (error.keyword) {
    case "required":
      return `${prefix}missing field \`${String(error.params["missingProperty"])}\``;
    case "enum":
      return `${prefix}unknown variant ${value}, expected one of ${(error.params["allowedValues"] as unknown[]).map((allowed) => `\`${String(allowed)}\``).join(", ")}`;
    case "integer64": {
      const [low, high] = RANGES_64[error.schema as keyof typeof RANGES_64];
      return `${prefix}${value} is not a whole number from ${low} to ${high}`;
    }
    case "minimum":
    case "maximum": {
      const { minimum, maximum } = error.parentSchema as { readonly minimum?: number; readonly maximum?: number };
      if (minimum === undefined || maximum === undefined) return `${prefix}${value} ${error.message!}`;
      return `${prefix}${value} is not from ${minimum} to ${maximum}`;
    }
    case "double":
      return `${prefix}${value} is not a finite number`;
    case "uuid":
      return `${prefix}${value} is not a UUID`;
    default:
      return `${prefix}${value} ${error.message ?? "is not as documented"}`;
  }
}

function shown(value: unknown): string {
  const text =
    typeof value === "string"
      ? JSON.stringify(value)
      : typeof value === "object" && value !== null
        ? Array.isArray(value)
          ? "an array"
          : "an object"
        : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
