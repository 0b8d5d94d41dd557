import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as core from "../../src/core/index.ts";
import { importTool } from "../support/import-tool.ts";

type Run = (dir: string, write: (line: string) => void, core: unknown) => Promise<{ passed: number; failed: number }>;

const { run } = await importTool<{ run: Run }>("conformance/timeseries-key.mjs");

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "keys-"));
});
afterEach(() => rm(dir, { recursive: true }));

async function outcomeOf(fields: string, sample: string): Promise<{ passed: number; failed: number; lines: string[] }> {
  await writeFile(join(dir, "field-timeseries-keys.txt"), fields);
  await writeFile(join(dir, "sample-timeseries-key.txt"), sample);
  const lines: string[] = [];
  return { ...(await run(dir, (line) => lines.push(line), core)), lines };
}

test("right keys pass, with or without a newline at the end", async () => {
  expect(await outcomeOf("u64 -> 15804125619400967189\nbool -> 10983724023695040909\n", "365003276793586811")).toEqual({
    passed: 3,
    failed: 0,
    lines: [],
  });
});

test("a wrong key, an unknown type and an unreadable line each fail alone, naming themselves", async () => {
  const outcome = await outcomeOf("i8 -> 8051527130089763326\nu8 -> 17\nf64 -> 3\nnonsense", "365003276793586812\n");
  expect(outcome.passed).toBe(1);
  expect(outcome.failed).toBe(4);
  expect(outcome.lines).toEqual([
    "key of a u8 field: expected 17, got 1403385090410880239",
    "field-timeseries-keys.txt: f64 -> 3: expected a line `TYPE -> KEY` of a known field type, got another line",
    "field-timeseries-keys.txt: nonsense: expected a line `TYPE -> KEY` of a known field type, got another line",
    "key of the sample: expected 365003276793586812, got 365003276793586811",
  ]);
});

test("a missing file fails alone, and what the other holds is checked", async () => {
  await writeFile(join(dir, "field-timeseries-keys.txt"), "bool -> 10983724023695040909\n");
  const lines: string[] = [];
  expect(await run(dir, (line) => lines.push(line), core)).toEqual({ passed: 1, failed: 1 });
  expect(lines).toEqual(["sample-timeseries-key.txt: expected a file of keys, got none"]);
});
