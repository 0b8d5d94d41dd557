// Makes everything that is committed but made from something else. Run by `make gen`; check-generated.mjs compares.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { $, createClient } from "@hey-api/openapi-ts";
import { runnerImport } from "vite";

export const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** What is generated: a folder or file of the repository, and how to make it at another place. */
export const GENERATED = [
  client("nexus-producers"),
  client("operator-api"),
  client("oximeter-collector"),
  { path: "docs/metrics.md", make: writeMetricsDoc },
  { path: "docs/configuration.md", make: writeConfigurationDoc },
];

function client(name) {
  return { path: `src/generated/${name}`, make: (target) => generateClient(name, target) };
}

/** Makes all of it below `root`. */
export async function generateAll(root) {
  for (const { path, make } of GENERATED) await make(join(root, path));
}

async function generateClient(name, target) {
  rmSync(target, { recursive: true, force: true });
  await createClient({
    input: join(ROOT, "openapi", `${name}.json`),
    output: {
      path: target,
      importFileExtension: ".ts",
      header: `// Generated from openapi/${name}.json by tools/generate.mjs; do not edit. Run \`make gen\` instead.`,
    },
    plugins: [
      // 64-bit integers are bigint; the generator knows that of int64 only, and then adds code that rounds first.
      {
        name: "@hey-api/typescript",
        "~resolvers": { number: (ctx) => (/^u?int64$/.test(ctx.schema.format ?? "") ? $.type("bigint") : ctx.nodes.base(ctx)) },
      },
      { name: "@hey-api/sdk", client: false },
      "@hey-api/client-fetch",
    ],
    logs: { level: "silent" },
  });
  // Our own transport takes the place of the one that comes with the generator.
  for (const part of ["client", "core", "client.gen.ts"]) rmSync(join(target, part), { recursive: true });
  const sdk = join(target, "sdk.gen.ts");
  writeFileSync(sdk, readFileSync(sdk, "utf8").replace("'./client/index.ts'", "'../transport.ts'"));
  // Laid out like everything else, wherever the target is.
  execFileSync(join(ROOT, "node_modules/.bin/oxfmt"), ["--config", join(ROOT, ".oxfmtrc.json"), target], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** The page about every timeseries. */
async function writeMetricsDoc(target) {
  const { loadCatalogue, renderMetricsDoc } = await importRoom("schema");
  writeDoc(target, renderMetricsDoc(loadCatalogue()));
}

/** The page about every setting. */
async function writeConfigurationDoc(target) {
  writeDoc(target, (await importRoom("config")).renderConfigurationDoc());
}

/** Pages are made by the product's own code, from its sources: what is generated is needed before there is a build. */
async function importRoom(name) {
  const { module } = await runnerImport(join(ROOT, "src", name, "index.ts"), { root: ROOT, configFile: false, logLevel: "silent" });
  return module;
}

function writeDoc(target, text) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generateAll(ROOT);
