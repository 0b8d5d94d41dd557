import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { importTool } from "../support/import-tool.ts";

interface CheckGenerated {
  staleFiles(root: string): Promise<string[]>;
}
const { GENERATED, ROOT } = await importTool<{ GENERATED: { path: string }[]; ROOT: string }>("generate.mjs");
const { staleFiles } = await importTool<CheckGenerated>("check-generated.mjs");

let copy: string;
beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "generated-"));
  for (const { path } of GENERATED) await cp(join(ROOT, path), join(copy, path), { recursive: true });
});
afterEach(async () => {
  await rm(copy, { recursive: true, force: true });
});

it("is current", async () => {
  expect(await staleFiles(ROOT)).toEqual([]);
});

it("would be found stale where a file is changed, missing or left over", async () => {
  const folder = join(copy, "src/generated/nexus-producers");
  const types = await readFile(join(folder, "types.gen.ts"), "utf8");
  await writeFile(join(folder, "types.gen.ts"), types.replace("secs: bigint;", "secs: number;"));
  await rm(join(folder, "index.ts"));
  await writeFile(join(folder, "extra.ts"), "");
  const found = await staleFiles(copy);
  expect(found.toSorted()).toEqual([
    "src/generated/nexus-producers/extra.ts is not generated any more",
    "src/generated/nexus-producers/index.ts is missing",
    expect.stringMatching(
      /^src\/generated\/nexus-producers\/types\.gen\.ts line \d+ is "\s+secs: number;" and should be "\s+secs: bigint;"$/,
    ),
  ]);
});

it("says in every client that it is not to be edited", async () => {
  for (const { path } of GENERATED.filter((each) => each.path.startsWith("src/generated/"))) {
    for (const name of await readdir(join(ROOT, path))) {
      const [first] = (await readFile(join(ROOT, path, name), "utf8")).split("\n");
      expect(first).toBe(
        `// Generated from openapi/${path.split("/").at(-1)}.json by tools/generate.mjs; do not edit. Run \`make gen\` instead.`,
      );
    }
  }
});
