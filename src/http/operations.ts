import type { Ajv, ValidateFunction } from "ajv";
import { parseExactJson } from "../wire/index.ts";
import { createAjv } from "./exact-keywords.ts";
import { COMPONENTS_ID, toJsonSchema } from "./json-schema.ts";
import {
  HTTP_METHODS,
  type HttpMethod,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
} from "./openapi-document.ts";
import { validationMessage } from "./validation-message.ts";

/** What a check came to: the checked value, in which 64-bit integers are bigint and UUIDs in lower case, or what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly wrong: string };

/** One operation of a document with the checks that its schemas ask for. */
export interface CompiledOperation {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** With parameters in braces. */
  readonly path: string;
  readonly hasBody: boolean;
  /** Parameters arrive as text; integers and booleans are read where the schema says so. Those not declared are left out. */
  checkParams(raw: Readonly<Record<string, unknown>>): Checked<Record<string, string>>;
  checkQuery(raw: Readonly<Record<string, unknown>>): Checked<Record<string, unknown>>;
  /** Takes the JSON value of a request's body. */
  checkBody(value: unknown): Checked<unknown>;
  /** Takes the JSON value of a response's body with this status. */
  checkResponse(status: number, value: unknown): Checked<unknown>;
}

const compiled = new WeakMap<OpenApiDocument, readonly CompiledOperation[]>();

/** Compiles a document, once. Throws a plain Error where the document itself is wrong, which only a defect can cause. */
export function compileOperations(document: OpenApiDocument): readonly CompiledOperation[] {
  const known = compiled.get(document);
  if (known !== undefined) return known;
  const operations = compileAll(document);
  compiled.set(document, operations);
  return operations;
}

function compileAll(document: OpenApiDocument): CompiledOperation[] {
  const ajv = createAjv();
  const definitions = Object.fromEntries(Object.entries(document.components.schemas).map(([name, schema]) => [name, toJsonSchema(schema)]));
  ajv.addSchema({ $id: COMPONENTS_ID, definitions });
  const operations: CompiledOperation[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of HTTP_METHODS) {
      const operation = item[method];
      if (operation !== undefined) operations.push(compileOperation(ajv, path, method, operation));
    }
  }
  return operations;
}

function compileOperation(ajv: Ajv, path: string, method: HttpMethod, operation: Operation): CompiledOperation {
  const parameters = operation.parameters ?? [];
  const checkParams = parameterCheck(
    ajv,
    parameters.filter((parameter) => parameter.in === "path"),
  );
  const checkQuery = parameterCheck(
    ajv,
    parameters.filter((parameter) => parameter.in === "query"),
  );
  const bodySchema = operation.requestBody?.content["application/json"]?.schema;
  const checkBody = bodySchema === undefined ? null : compileCheck(ajv, bodySchema);
  // Only clients and tests check responses, so those schemas are compiled when first needed.
  const responseChecks = new Map<string, (value: unknown) => Checked<unknown>>();
  return {
    operationId: operation.operationId,
    method,
    path,
    hasBody: checkBody !== null,
    checkParams: checkParams as CompiledOperation["checkParams"],
    checkQuery,
    checkBody: checkBody ?? ((value) => ({ value })),
    checkResponse(status, value) {
      const key = [String(status), `${String(status)[0]}XX`].find((candidate) => operation.responses[candidate] !== undefined);
      if (key === undefined) return { wrong: `status ${status} is not documented` };
      let check = responseChecks.get(key);
      if (check === undefined) {
        const response = operation.responses[key]!;
        const schema =
          response.$ref === undefined ? response.content?.["application/json"]?.schema : { $ref: "#/components/schemas/Error" };
        check = schema === undefined ? (body) => ({ value: body }) : compileCheck(ajv, schema);
        responseChecks.set(key, check);
      }
      return check(value);
    },
  };
}

function parameterCheck(
  ajv: Ajv,
  parameters: readonly Parameter[],
): (raw: Readonly<Record<string, unknown>>) => Checked<Record<string, unknown>> {
  const check = compileCheck(ajv, {
    type: "object",
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
    required: parameters.filter((parameter) => parameter.required === true).map((parameter) => parameter.name),
  });
  return (raw) => {
    const given = parameters.filter((parameter) => Object.hasOwn(raw, parameter.name));
    const value = Object.fromEntries(given.map((parameter) => [parameter.name, fromText(raw[parameter.name], parameter.schema)]));
    return check(value) as Checked<Record<string, unknown>>;
  };
}

function fromText(raw: unknown, schema: JsonSchema): unknown {
  if (typeof raw !== "string") return raw;
  if (schema["type"] === "integer" && /^-?\d{1,20}$/.test(raw)) return parseExactJson(raw.replace(/^(-?)0+(?=\d)/, "$1"));
  if (schema["type"] === "boolean" && (raw === "true" || raw === "false")) return raw === "true";
  return raw;
}

function compileCheck(ajv: Ajv, schema: JsonSchema): (value: unknown) => Checked<unknown> {
  const validate: ValidateFunction = ajv.compile(toJsonSchema(schema));
  return (value) => {
    // The keywords replace values within their parent, so even the outermost value gets one.
    const root = { value };
    return validate(root.value, {
      instancePath: "",
      parentData: root,
      parentDataProperty: "value",
      rootData: root,
      dynamicAnchors: {},
    } as never)
      ? root
      : { wrong: validationMessage(validate.errors) };
  };
}
