import { readdirSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { compileOperations, loadDocument, type DocumentName } from "../../src/http/index.ts";

const names = readdirSync(new URL("../../openapi", import.meta.url))
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length) as DocumentName);

describe.each(names)("openapi/%s.json", (name) => {
  const document = loadDocument(name);

  it("is a valid OpenAPI 3.0 document", async () => {
    const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it("answers every operation's errors in Dropshot's shape and names the request", () => {
    for (const operation of compileOperations(document)) {
      const good = { request_id: "r", message: "Not Found" };
      for (const status of [400, 404, 500]) {
        expect(operation.checkResponse(status, good)).toEqual({ value: good });
        expect(operation.checkResponse(status, { message: "no id" })).toEqual({ wrong: "missing field `request_id`" });
        expect(operation.checkResponse(status, { ...good, error_code: null })).toHaveProperty("wrong");
      }
    }
  });

  it("declares a format for every integer and the request id on every response", () => {
    const integers: unknown[] = [];
    JSON.parse(JSON.stringify(document), (_key, value: Record<string, unknown> | null) => {
      if (value !== null && typeof value === "object" && value["type"] === "integer") integers.push(value["format"]);
      return value;
    });
    expect(integers.every((format) => /^u?int(8|16|32|64)$/.test(String(format)))).toBe(true);
    for (const item of Object.values(document.paths)) {
      for (const operation of Object.values(item)) {
        for (const response of Object.values(operation.responses as Record<string, { $ref?: string; headers?: object }>)) {
          expect(response.$ref === "#/components/responses/Error" || Object.keys(response.headers ?? {}).includes("x-request-id")).toBe(
            true,
          );
        }
      }
    }
  });
});

it("finds all five documents", () => {
  expect(names.toSorted()).toEqual(["customer-api", "nexus-producers", "operator-api", "oximeter-collector", "oximeter-producer"]);
});
