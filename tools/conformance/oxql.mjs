// Holds the OxQL engine against a folder of cases, JSON files with an array of cases each. A case's `kind`, or else its file's name, says
// which part of the engine it is for; a file or kind that nothing here knows counts as a failure.
//
// Cases record what upstream does. Where upstream accepts, both of our dialects must give its result: the additions may not change the
// meaning of anything. Where upstream refuses, the upstream dialect must: the whole language may have a meaning for it by now.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Each exports `runCase(case)`: null where the case passes, else the reason why not; may be a promise. */
const RUNNERS = {
  parse: () => import("./oxql-parse.mjs"),
  plan: () => import("./oxql-plan.mjs"),
  delta: () => import("./oxql-delta.mjs"),
  "table-ops": () => import("./oxql-table-ops.mjs"),
  query: () => import("./oxql-query.mjs"),
};

/**
 * @param {string} dir
 * @param {(line: string) => void} write
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function run(dir, write) {
  const outcome = { passed: 0, failed: 0 };
  const fail = (what, reason) => {
    outcome.failed += 1;
    write(`FAIL ${what}: ${reason}`);
  };
  const files = (await readdir(dir)).filter((file) => file.endsWith(".json")).sort();
  if (files.length === 0) fail(dir, "there are no cases in this folder");
  for (const file of files) {
    const stem = file.slice(0, -".json".length);
    const cases = await readCases(join(dir, file));
    if (typeof cases === "string") {
      fail(file, cases);
      continue;
    }
    for (const [index, testCase] of cases.entries()) {
      const reason = await runOne(testCase, stem);
      if (reason === null) outcome.passed += 1;
      else fail(`${stem}/${testCase?.name ?? index}`, reason);
    }
  }
  return outcome;
}

async function readCases(path) {
  try {
    const cases = JSON.parse(await readFile(path, "utf8"));
    return Array.isArray(cases) ? cases : "it is not an array of cases";
  } catch (error) {
    return `it cannot be read as JSON: ${error.message}`;
  }
}

async function runOne(testCase, stem) {
  const kind = [testCase?.kind, stem].find((name) => Object.hasOwn(RUNNERS, String(name)));
  if (kind === undefined) return `nothing here knows cases of kind "${testCase?.kind ?? stem}"`;
  try {
    const { runCase } = await RUNNERS[kind]();
    return await runCase(testCase);
  } catch (error) {
    return `the engine failed: ${String(error?.stack ?? error)
      .split("\n")
      .slice(0, 3)
      .join(" ")}`;
  }
}
