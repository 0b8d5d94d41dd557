import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { importTool } from "../support/import-tool.ts";

type Run = (dir: string, write: (line: string) => void) => Promise<{ passed: number; failed: number }>;

const { run } = await importTool<{ run: Run }>("conformance/oxql.mjs");

const folder = mkdtempSync(join(tmpdir(), "zonemeter-cases-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("reads a counter's row that is stored twice as upstream does, which refuses it", async () => {
  const sample = { start_time: "2026-05-04T00:00:00Z", timestamp: "2026-05-04T00:01:00Z", value: 7 };
  const testCase = {
    name: "stored_twice",
    kind: "query",
    now: "2026-05-04T00:10:00Z",
    schema: [{ timeseries_name: "pump:strokes", datum_type: "cumulative_u64", fields: { id: "u32" } }],
    data: [{ timeseries_name: "pump:strokes", fields: { id: { type: "u32", value: 1 } }, samples: [sample, sample] }],
    query: "get pump:strokes | filter timestamp > @2026-05-04",
  };
  const of = async (expectation: object): Promise<unknown> => {
    writeFileSync(join(folder, "query.json"), JSON.stringify([{ ...testCase, ...expectation }]));
    const lines: string[] = [];
    return { ...(await run(folder, (line: string) => lines.push(line))), lines };
  };
  expect(await of({ error: "delta_overlap" })).toEqual({ passed: 1, failed: 0, lines: [] });
  expect(await of({ error: "overflow" })).toMatchObject({ passed: 0, failed: 1 });
});
