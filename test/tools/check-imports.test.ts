import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { importTool } from "../support/import-tool.ts";

interface Breach {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}
interface Exception {
  readonly file: string;
  readonly rule: string;
  readonly reason: string;
}
interface Tool {
  checkImports(root: string, exceptions?: readonly Exception[]): Breach[];
  readonly EXCEPTIONS: readonly Exception[];
}

const { checkImports, EXCEPTIONS } = await importTool<Tool>("check-imports.mjs");

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rooms-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Breaches of a tree with one file of interest, as they are printed. */
function breachesOf(file: string, text: string): string[] {
  write(file, text);
  return checkImports(root, []).map((breach) => `${breach.file}:${breach.line}: ${breach.text}`);
}

describe("check-imports", () => {
  test.each([
    [
      "lower rooms by their index, files of the own room by name",
      "src/producer/a.ts",
      'import { b } from "./inner/b.ts";\nimport type { c } from "../store/index.ts";\nexport * from "../core/index.ts";',
    ],
    [
      "packages that belong to the room",
      "src/store/a.ts",
      'await import("chdb" as string);\nimport { createClient } from "@clickhouse/client";',
    ],
    [
      "packages that belong to nobody",
      "src/http/a.ts",
      'import fastify from "fastify";\nimport "node:fs";\nimport "fastifyish";\nimport "process-warning";',
    ],
    ["the kernel's files, in a source", "src/sources/a.ts", 'import "node:child_process";\nconst a = "/proc/stat", b = `/sys/${a}`;'],
    [
      "what only looks like the kernel's files",
      "src/http/a.ts",
      'const a = "/system/timeseries", b = "/v1/process", c = "a/proc/b"; // reads /proc/stat',
    ],
    ["the environment, in config", "src/config/a.ts", "export const a = process.env;"],
    ["the end, in bin", "src/bin/a.ts", "process.exit(1);"],
    [
      "what is called process and is not",
      "src/core/a.ts",
      "const worker = { process: { env: 1 } };\nworker.process.env;\nprocess.hrtime();\nconst { env } = worker.process;",
    ],
    ["JSON beside the file", "src/web/a.ts", 'import page from "./page.json" with { type: "json" };'],
  ])("allows %s", (_, file, text) => {
    expect(breachesOf(file, text)).toEqual([]);
  });

  test.each([
    ["src/core/a.ts", 'import "../runtime/index.ts";', "1: core (level 0) imports runtime (level 1): a room may import lower levels only"],
    [
      "src/wire/a.ts",
      '\nexport { x } from "../oxql/index.ts";',
      "2: wire (level 1) imports oxql (level 1): a room may import lower levels only",
    ],
    [
      "src/producer/a.ts",
      'import type { x } from "../collector/index.ts";',
      "1: producer (level 3) imports collector (level 3): a room may import lower levels only",
    ],
    [
      "src/cli/a.ts",
      'type X = import("../web/index.ts").X;',
      "1: cli (level 4) imports web (level 4): a room may import lower levels only",
    ],
    [
      "src/store/deep/a.ts",
      'await import("../../collector/index.ts");',
      "1: store (level 2) imports collector (level 3): a room may import lower levels only",
    ],
    [
      "src/store/a.ts",
      'import type { x } from "../core/datum.ts";',
      '1: imports "../core/datum.ts", the inside of core: import its index.ts',
    ],
    ["src/store/a.ts", 'import "../core/rules/index.ts";', '1: imports "../core/rules/index.ts", the inside of core: import its index.ts'],
    ["src/store/a.ts", 'import "../../tools/x.mjs";', '1: imports "../../tools/x.mjs", which is outside src/'],
    ["src/store/a.ts", 'import "../index.ts";', '1: imports "../index.ts", which is in no room'],
    ["src/store/a.ts", 'import "../helpers/index.ts";', '1: imports "../helpers/index.ts", which is in no room'],
    ["src/store/a.ts", 'import "./b.js";', '1: imports "./b.js" without its extension .ts'],
    ["src/store/a.ts", 'const x = "y";\nawait import(x);', "2: an import whose name is not a literal cannot be checked: write the name"],
    ["src/query/a.ts", 'import { Session } from "chdb";', '1: imports "chdb": only store may know ClickHouse'],
    [
      "src/query/a.ts",
      'await import("@clickhouse/client/web" as string);',
      '1: imports "@clickhouse/client/web": only store may know ClickHouse',
    ],
    [
      "src/query/a.ts",
      'const m = require("@clickhouse/client-web");',
      '1: imports "@clickhouse/client-web": only store may know ClickHouse',
    ],
    ["src/query/a.ts", 'require.resolve("chdb/connection");', '1: imports "chdb/connection": only store may know ClickHouse'],
    ["src/nexus/a.ts", 'import type { X } from "fastify";', '1: imports "fastify": only http may know the HTTP framework'],
    ["src/nexus/a.ts", 'import "@fastify/cors";', '1: imports "@fastify/cors": only http may know the HTTP framework'],
    [
      "src/cli/a.ts",
      'import { spawn } from "node:child_process";',
      '1: imports "node:child_process": only sources and actors may know other programs',
    ],
    [
      "src/cli/a.ts",
      'import { spawn } from "child_process";',
      '1: imports "child_process": only sources and actors may know other programs',
    ],
    [
      "src/cli/a.ts",
      'import { env } from "node:process";',
      '1: imports "node:process": use the global process, which this check can follow',
    ],
    ["src/cli/a.ts", "\n\nconst home = process.env.HOME;", "3: reads process.env: only config may"],
    ["src/cli/a.ts", 'process["env"];', "1: reads process.env: only config may"],
    ["src/cli/a.ts", "globalThis.process.env;", "1: reads process.env: only config may"],
    ["src/cli/a.ts", "const { env: e } = process;", "1: reads process.env: only config may"],
    ["src/cli/a.ts", "process.exit(2);", "1: uses process.exit: only bin ends the process"],
    ["src/cli/a.ts", "process.exitCode = 2;", "1: uses process.exitCode: only bin ends the process"],
    ["src/runtime/a.ts", "process.abort();", "1: uses process.abort: only bin ends the process"],
    ["src/runtime/a.ts", 'const f = "/proc/self/stat";', '1: "/proc/self/stat": only sources and actors read /proc and /sys'],
    ["src/config/a.ts", "const f = `/sys/fs/cgroup/${1}`;", '1: "/sys/fs/cgroup/": only sources and actors read /proc and /sys'],
    [
      "src/utils/a.ts",
      "",
      '1: "utils" is no room: the rooms are core, schema, wire, oxql, config, runtime, generated, sources, store, spool, http, actors, producer, collector, nexus, query, importer, web, cli, bin',
    ],
    ["src/a.ts", "", "1: a file of src/ must be in a room"],
  ])("%s: %s", (file, text, expected) => {
    expect(breachesOf(file, text)).toEqual([`${file}:${expected}`]);
  });

  test("an exception silences its own rule in its own file, and only while it is needed", () => {
    const exception = { file: "src/cli/a.ts", rule: "environment", reason: "a test" };
    write("src/cli/a.ts", "process.env;\nprocess.exit(1);\n");
    write("src/cli/b.ts", "process.env;\n");
    expect(checkImports(root, [exception]).map(({ file, line }) => `${file}:${line}`)).toEqual(["src/cli/a.ts:2", "src/cli/b.ts:1"]);
    write("src/cli/a.ts", "export {};\n");
    write("src/cli/b.ts", "export {};\n");
    expect(checkImports(root, [exception])).toEqual([
      { file: "src/cli/a.ts", line: 1, text: "tools/check-imports.mjs has an exception (environment) that this file does not need" },
    ]);
  });

  test("every exception says why", () => {
    for (const { file, reason } of EXCEPTIONS) expect(reason.length, file).toBeGreaterThan(20);
  });

  test("as a command it prints the breaches of a tree and ends with 1, and of this one with 0", async () => {
    const run = promisify(execFile);
    const tool = fileURLToPath(new URL("../../tools/check-imports.mjs", import.meta.url));
    write("src/oxql/b.ts", 'import "../store/index.ts";\n');
    write("src/core/a.ts", "\nprocess.exit();\n");
    await expect(run(process.execPath, [tool, root])).rejects.toMatchObject({
      code: 1,
      stdout:
        "src/core/a.ts:2: uses process.exit: only bin ends the process\n" +
        "src/oxql/b.ts:1: oxql (level 1) imports store (level 2): a room may import lower levels only\n",
    });
    expect(await run(process.execPath, [tool])).toEqual({ stdout: "", stderr: "" });
  });
});
