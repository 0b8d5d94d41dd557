import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The documents in openapi/: file names without `.json`. */
export type DocumentName = "nexus-producers" | "oximeter-producer" | "oximeter-collector" | "operator-api" | "customer-api";

/** The parts of an OpenAPI 3.0 document that the server kit reads. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<HttpMethod, Operation>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export const HTTP_METHODS = ["get", "post", "put", "delete"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  /** By status, `4XX` and the like too. A `$ref` stands for the common error. */
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly $ref?: string }>>;
}

export interface Parameter {
  /** Headers are declared for people; handlers read them themselves. */
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** A schema as OpenAPI 3.0 writes it, or as JSON Schema does. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Reads one of our documents. They lie beside src/ and dist/, so the same relative path serves a checkout and an installed package. */
export function loadDocument(name: DocumentName): OpenApiDocument {
  const path = fileURLToPath(new URL(`../../openapi/${name}.json`, import.meta.url));
  return JSON.parse(readFileSync(path, "utf8")) as OpenApiDocument;
}
